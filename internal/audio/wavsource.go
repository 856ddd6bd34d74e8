package audio

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

const (
	wavFloat = 3
	// maxWAVChunk bounds the chunks before the samples, in bytes.
	maxWAVChunk = 1 << 20
)

// newWAVSource reads WAV: samples of 16 bits, or floats of 32.
func newWAVSource(in *bufio.Reader, rate int) (*Source, error) {
	format, size, err := readWAVHeader(in)
	if err != nil {
		return nil, err
	}
	samples := &sampleReader{in: &wavData{in: in, left: int64(size), format: format}, decode: decodeInt16, size: 2}
	if format.Bits == 32 {
		samples.decode, samples.size = decodeFloat32, 4
	}
	return newSource(samples.read, int(format.Channels), int(format.Rate), rate)
}

// readWAVHeader reads a RIFF/WAVE header up to the samples. The size of their chunk is what it says, which may mean nothing in a stream.
func readWAVHeader(in *bufio.Reader) (format wavFormat, size uint32, err error) {
	if _, err := in.Discard(12); err != nil {
		return format, 0, fmt.Errorf("%w: it is a WAV file without samples", ErrFormat)
	}
	for {
		var chunk struct {
			ID   [4]byte
			Size uint32
		}
		if err := binary.Read(in, binary.LittleEndian, &chunk); err != nil {
			return format, 0, fmt.Errorf("%w: it is a WAV file without samples", ErrFormat)
		}
		if string(chunk.ID[:]) == "data" {
			return format, chunk.Size, format.checkPlayable()
		}
		if chunk.Size > maxWAVChunk {
			return format, 0, fmt.Errorf("%w: it is a WAV file with a chunk of %d bytes before the samples", ErrFormat, chunk.Size)
		}
		body := make([]byte, chunk.Size+chunk.Size&1) // chunks are padded to even length
		if _, err := io.ReadFull(in, body); err != nil {
			return format, 0, fmt.Errorf("%w: it is a WAV file without samples", ErrFormat)
		}
		if string(chunk.ID[:]) == "fmt " {
			if format, err = parseWAVFormat(body); err != nil {
				return format, 0, err
			}
		}
	}
}

func parseWAVFormat(body []byte) (format wavFormat, err error) {
	if len(body) < 16 {
		return format, fmt.Errorf("%w: the format of its WAV file is cut off", ErrFormat)
	}
	if _, err := binary.Decode(body, binary.LittleEndian, &format); err != nil {
		return format, err
	}
	if format.Format == wavExtensible && len(body) >= 26 {
		format.Format = binary.LittleEndian.Uint16(body[24:])
	}
	return format, nil
}

func (f wavFormat) checkPlayable() error {
	if f.Format == wavPCM && f.Bits == 16 || f.Format == wavFloat && f.Bits == 32 {
		return nil
	}
	return fmt.Errorf("%w: it is a WAV file of format %d with %d bits; PCM of 16 bits and floats of 32 are supported", ErrFormat, f.Format, f.Bits)
}

// wavData reads the samples of a WAV stream. The size that the header gives is kept where another chunk or file follows it; otherwise what
// follows are samples, for many servers do not know the size when they begin.
type wavData struct {
	in     *bufio.Reader
	left   int64 // of the size; negative after it, or without one
	format wavFormat
}

// Read implements io.Reader.
func (d *wavData) Read(p []byte) (int, error) {
	if d.left == 0 {
		if err := d.endChunk(); err != nil {
			return 0, err
		}
	}
	if d.left > 0 {
		p = p[:min(int64(len(p)), d.left)]
	}
	n, err := d.in.Read(p)
	if d.left > 0 {
		d.left -= int64(n)
	}
	return n, err
}

// endChunk looks at what follows the samples: another chunk ends the sound, another file of the same format continues it, and anything
// else is more samples.
func (d *wavData) endChunk() error {
	head, err := d.in.Peek(8)
	d.left = -1
	switch {
	case err != nil && len(head) == 0:
		return err
	case DetectFormat(head) == WAV:
		format, size, err := readWAVHeader(d.in)
		if err != nil {
			return err
		}
		if format != d.format {
			return fmt.Errorf("%w: it is WAV files of different formats", ErrFormat)
		}
		d.left = int64(size)
		if size == 0 {
			d.left = -1
		}
	case isChunkID(head):
		return io.EOF
	}
	return nil
}

// isChunkID reports whether the header of a chunk begins here: four characters such as "LIST", and a size that such chunks have.
func isChunkID(head []byte) bool {
	if len(head) < 8 || binary.LittleEndian.Uint32(head[4:]) > maxWAVChunk {
		return false
	}
	for _, c := range head[:4] {
		if c != ' ' && (c < '0' || c > 'z') {
			return false
		}
	}
	return true
}
