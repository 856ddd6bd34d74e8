package audio

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

const (
	// oggHead is the length of a page's header without its table of segments: RFC 3533, section 6.
	oggHead = 27
	// oggSegments is the most segments of a page.
	oggSegments = 255
)

// The flags of an Ogg page.
const (
	oggContinued = 1 << iota // it begins within a packet
	oggFirst
	oggLast
)

// oggPage is a page of an Ogg file.
type oggPage struct {
	flags            byte
	granule          int64 // position of the last packet that ends on it; -1 where none does
	serial, sequence uint32
	segments         []byte // their lengths
	payload          []byte
}

// parseOggPage reads the page that data begins with, and returns what follows it. An error is ErrFormat.
func parseOggPage(data []byte) (p oggPage, rest []byte, err error) {
	if !bytes.HasPrefix(data, []byte("OggS")[:min(4, len(data))]) {
		return p, nil, formatError("it is damaged: no Ogg page begins where one should")
	}
	if len(data) < oggHead || len(data) < oggHead+int(data[26]) {
		return p, nil, errCutOff
	}
	if data[4] != 0 {
		return p, nil, formatError("it is Ogg of version %d", data[4])
	}
	p = oggPage{
		flags: data[5], granule: int64(binary.LittleEndian.Uint64(data[6:])), serial: binary.LittleEndian.Uint32(data[14:]),
		sequence: binary.LittleEndian.Uint32(data[18:]), segments: data[oggHead : oggHead+int(data[26])],
	}
	size := oggHead + len(p.segments)
	for _, length := range p.segments {
		size += int(length)
	}
	if len(data) < size {
		return p, nil, errCutOff
	}
	if oggChecksum(data[:size]) != binary.LittleEndian.Uint32(data[22:]) {
		return p, nil, formatError("it is damaged: the checksum of a page is wrong")
	}
	p.payload = data[oggHead+len(p.segments) : size]
	return p, data[size:], nil
}

// next removes a packet, or the part of one that is on the page, and reports whether it ends there.
func (p *oggPage) next() (packet []byte, ends bool) {
	size, n := 0, 0
	for n < len(p.segments) && !ends {
		size += int(p.segments[n])
		ends = p.segments[n] < oggSegments
		n++
	}
	packet, p.payload, p.segments = p.payload[:size:size], p.payload[size:], p.segments[n:]
	return packet, ends
}

// appendOggPage appends a page of whole packets, each of fewer than 255*255 bytes in all.
func appendOggPage(out []byte, p oggPage, packets ...[]byte) []byte {
	at := len(out)
	out = append(out, "OggS\x00"...)
	out = append(out, p.flags)
	out = binary.LittleEndian.AppendUint64(out, uint64(p.granule))
	out = binary.LittleEndian.AppendUint32(out, p.serial)
	out = binary.LittleEndian.AppendUint32(out, p.sequence)
	out = append(out, 0, 0, 0, 0, 0) // checksum and number of segments
	for _, packet := range packets {
		for range len(packet) / oggSegments {
			out = append(out, oggSegments)
		}
		out = append(out, byte(len(packet)%oggSegments))
	}
	out[at+26] = byte(len(out) - at - oggHead)
	for _, packet := range packets {
		out = append(out, packet...)
	}
	binary.LittleEndian.PutUint32(out[at+22:], oggChecksum(out[at:]))
	return out
}

// oggTable has the checksums of bytes by the polynomial of RFC 3533, section 6, which begins with its highest bit.
var oggTable = func() (table [256]uint32) {
	for n := range table {
		sum := uint32(n) << 24
		for range 8 {
			high := sum >> 31
			sum = sum<<1 ^ high*0x04c11db7
		}
		table[n] = sum
	}
	return table
}()

// oggChecksum returns the checksum of a page; the one that it has counts as zero.
func oggChecksum(page []byte) (sum uint32) {
	for n, b := range page {
		if n >= 22 && n < 26 {
			b = 0
		}
		sum = sum<<8 ^ oggTable[byte(sum>>24)^b]
	}
	return sum
}

func formatError(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, a...))
}

// errCutOff is the error of a file whose end is missing.
var errCutOff = formatError("it is cut off: its end is missing")
