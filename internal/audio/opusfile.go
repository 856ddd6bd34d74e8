package audio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"time"
)

const (
	// opusPageFrames is how many frames EncodeOpusFile puts on a page: their segments are at most 240 of 255.
	opusPageFrames = 40
	// opusLookahead is the delay of an Encoder at opusRate, 6.5 ms, which players leave out.
	opusLookahead = 312
	// opusLongest is the longest packet at opusRate, 120 ms: RFC 6716, section 3.2.5.
	opusLongest = opusRate * 120 / 1000
)

// ErrTooLong is the error of sound that lasts longer than is allowed.
var ErrTooLong = errors.New("the sound is too long")

// OpusFile is a file of Ogg Opus with one stream of one or two channels. RFC 7845.
type OpusFile struct {
	// Packets may be parts of the data that they were parsed from.
	Packets  [][]byte
	decoded  int // samples of all packets at opusRate
	preSkip  int // of these, before the sound begins
	duration int // of the sound, which may end before the last packet does
}

// ParseOpusFile reads a whole file with at most longest of sound. Errors are ErrTooLong, or ErrFormat: of a file that is damaged, that does not
// end with the mark of its end, or that has more than one stream.
func ParseOpusFile(data []byte, longest time.Duration) (*OpusFile, error) {
	p := opusParser{file: new(OpusFile), limit: opusSamples(longest), offset: -1}
	for first := true; ; first = false {
		page, rest, err := parseOggPage(data)
		if err != nil {
			return nil, err
		}
		if first {
			p.page = oggPage{serial: page.serial, sequence: page.sequence - 1}
		}
		if err := p.add(page, first); err != nil {
			return nil, err
		}
		last := page.flags&oggLast != 0
		switch data = rest; {
		case last && len(data) > 0:
			return nil, errSeveralStreams
		case last && p.part == nil && p.packets >= 2:
			return p.file, p.end()
		case last || len(data) == 0:
			return nil, errCutOff
		}
	}
}

var errSeveralStreams = formatError("it has several streams, and only one is supported")

// opusParser reads the pages of a file.
type opusParser struct {
	file    *OpusFile
	limit   int     // of its sound, in samples at opusRate
	page    oggPage // the one before
	part    []byte  // the beginning of a packet that goes on; nil for none
	packets int     // with the two of the header
	offset  int64   // the position at which the sound begins: a recording may begin later than at 0; -1 until it is known
	last    int64   // the position at which it ends
}

// add reads a page.
func (p *opusParser) add(page oggPage, first bool) error {
	switch {
	case first != (page.flags&oggFirst != 0) || page.serial != p.page.serial:
		return errSeveralStreams
	case page.sequence != p.page.sequence+1:
		return formatError("it is damaged: a page is missing")
	case (page.flags&oggContinued != 0) != (p.part != nil) || page.granule < -1:
		return formatError("it is damaged: its pages do not follow each other")
	}
	p.page = page
	for len(page.segments) > 0 {
		packet, ends := page.next()
		if p.part != nil || !ends {
			p.part = append(p.part, packet...)
			packet = p.part
		}
		if !ends {
			break
		}
		p.part = nil
		if err := p.addPacket(packet); err != nil {
			return err
		}
	}
	if page.granule < 0 || len(p.file.Packets) == 0 {
		return nil
	}
	if p.offset < 0 {
		if p.offset = 0; page.flags&oggLast == 0 {
			p.offset = max(0, page.granule-int64(p.file.decoded))
		}
	}
	p.last = page.granule
	return nil
}

func (p *opusParser) addPacket(packet []byte) error {
	switch p.packets++; p.packets {
	case 1:
		return p.file.parseHead(packet)
	case 2:
		if !bytes.HasPrefix(packet, []byte("OpusTags")) {
			return formatError("it is damaged: the header of Ogg Opus is not complete")
		}
		return nil
	}
	samples := opusPacketSamples(packet)
	if samples == 0 {
		return formatError("it is damaged: packet %d is not Opus", p.packets-2)
	}
	f := p.file
	f.Packets, f.decoded = append(f.Packets, packet), f.decoded+samples
	if f.decoded-f.preSkip-opusLongest > p.limit {
		return ErrTooLong
	}
	return nil
}

// end finds out where the sound ends.
func (p *opusParser) end() error {
	f, end := p.file, int64(p.file.decoded)
	if p.offset >= 0 {
		end = min(end, p.last-p.offset)
	}
	if f.duration = int(max(0, end-int64(f.preSkip))); f.duration > p.limit {
		return ErrTooLong
	}
	return nil
}

// opusSamples returns the samples of a duration at opusRate.
func opusSamples(d time.Duration) int { return int(d * opusRate / time.Second) }

// parseHead reads the identification header: RFC 7845, section 5.1.
func (f *OpusFile) parseHead(packet []byte) error {
	if !bytes.HasPrefix(packet, []byte("OpusHead")) || len(packet) < 19 {
		return formatError("it is Ogg, but not Opus")
	}
	version, channels, mapping := packet[8], packet[9], packet[18]
	if version > 15 || mapping != 0 || channels < 1 || channels > 2 {
		return formatError("it is Ogg Opus of version %d with %d channels and the channel mapping %d; 1 or 2 channels and the mapping 0 are supported", version, channels, mapping)
	}
	f.preSkip = int(binary.LittleEndian.Uint16(packet[10:]))
	return nil
}

// opusPacketSamples returns how long a packet lasts, in samples at opusRate; 0 for one that is not Opus. RFC 6716, section 3.
func opusPacketSamples(packet []byte) int {
	if len(packet) == 0 {
		return 0
	}
	var frame int // in 0.1 ms
	switch config := packet[0] >> 3; {
	case config < 12: // SILK
		frame = [...]int{100, 200, 400, 600}[config&3]
	case config < 16: // hybrid
		frame = [...]int{100, 200}[config&1]
	default: // CELT
		frame = [...]int{25, 50, 100, 200}[config&3]
	}
	frames := [...]int{1, 2, 2, 0}[packet[0]&3]
	if frames == 0 && len(packet) > 1 {
		frames = int(packet[1] & 0x3F)
	}
	samples := frames * frame * opusRate / 10_000
	if samples > opusLongest {
		return 0
	}
	return samples
}

// Decode returns the sound as mono PCM at rate, which a Decoder supports.
func (f *OpusFile) Decode(rate int) ([]int16, error) {
	decoder, err := NewDecoder(rate)
	if err != nil {
		return nil, err
	}
	at := func(samples int) int { return int(int64(samples) * int64(rate) / opusRate) }
	pcm := make([]int16, 0, at(f.decoded)+MaxPacketFrames*FrameLength(rate))
	for n, packet := range f.Packets {
		samples, err := decoder.Decode(packet, pcm[len(pcm):cap(pcm)])
		if err != nil {
			return nil, formatError("it is damaged: packet %d is not Opus", n+1)
		}
		pcm = pcm[:len(pcm)+samples]
	}
	begin := min(at(f.preSkip), len(pcm))
	return pcm[begin:min(begin+at(f.duration), len(pcm))], nil
}

// EncodeOpusFile returns a file of the packets of frames at the rate of an Encoder.
func EncodeOpusFile(packets [][]byte, rate int) []byte {
	head := append([]byte("OpusHead\x01\x01"), 0, 0, 0, 0, 0, 0, 0, 0, 0)
	binary.LittleEndian.PutUint16(head[10:], opusLookahead)
	binary.LittleEndian.PutUint32(head[12:], uint32(rate))
	const vendor = "parley"
	tags := binary.LittleEndian.AppendUint32([]byte("OpusTags"), uint32(len(vendor)))
	tags = append(append(tags, vendor...), 0, 0, 0, 0)
	const serial = 1
	out := appendOggPage(nil, oggPage{flags: oggFirst, serial: serial}, head)
	out = appendOggPage(out, oggPage{serial: serial, sequence: 1}, tags)
	page := oggPage{serial: serial, sequence: 2}
	for len(packets) > 0 {
		n := min(len(packets), opusPageFrames)
		page.granule += int64(n * FrameLength(opusRate))
		if n == len(packets) {
			page.flags = oggLast
		}
		out = appendOggPage(out, page, packets[:n]...)
		packets, page.sequence = packets[n:], page.sequence+1
	}
	return out
}
