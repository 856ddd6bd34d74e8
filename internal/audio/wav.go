package audio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	wavPCM        = 1
	wavExtensible = 0xFFFE // the real format is in the extension; 16-bit files of this kind are PCM
)

type wavFormat struct {
	Format, Channels uint16
	Rate, ByteRate   uint32
	BlockAlign, Bits uint16
}

// WriteWAV writes pcm as a mono 16-bit RIFF/WAVE file at rate.
func WriteWAV(w io.Writer, pcm []int16, rate int) error {
	var head bytes.Buffer
	size := uint32(2 * len(pcm))
	head.WriteString("RIFF")
	_ = binary.Write(&head, binary.LittleEndian, 36+size)
	head.WriteString("WAVEfmt ")
	_ = binary.Write(&head, binary.LittleEndian, uint32(16))
	_ = binary.Write(&head, binary.LittleEndian, wavFormat{wavPCM, 1, uint32(rate), uint32(2 * rate), 2, 16})
	head.WriteString("data")
	_ = binary.Write(&head, binary.LittleEndian, size)
	if _, err := w.Write(head.Bytes()); err != nil {
		return fmt.Errorf("write WAV header: %w", err)
	}
	if err := binary.Write(w, binary.LittleEndian, pcm); err != nil {
		return fmt.Errorf("write WAV samples: %w", err)
	}
	return nil
}

// ReadWAV reads a 16-bit PCM RIFF/WAVE file and returns it as mono at rate: channels are averaged, another rate is
// converted. A data chunk that promises more than there is, as programs that write to a pipe leave it, ends with the
// file.
func ReadWAV(r io.Reader, rate int) ([]int16, error) {
	var riff [12]byte
	if _, err := io.ReadFull(r, riff[:]); err != nil {
		return nil, fmt.Errorf("read WAV header: %w", err)
	}
	if string(riff[:4]) != "RIFF" || string(riff[8:]) != "WAVE" {
		return nil, errors.New("read WAV: no RIFF/WAVE file")
	}
	var format wavFormat
	for {
		var chunk struct {
			ID   [4]byte
			Size uint32
		}
		if err := binary.Read(r, binary.LittleEndian, &chunk); err != nil {
			return nil, fmt.Errorf("read WAV: no data chunk: %w", err)
		}
		body := io.LimitReader(r, int64(chunk.Size)+int64(chunk.Size&1)) // chunks are padded to even length
		switch string(chunk.ID[:]) {
		case "fmt ":
			if err := binary.Read(body, binary.LittleEndian, &format); err != nil {
				return nil, fmt.Errorf("read WAV format: %w", err)
			}
			if err := format.check(); err != nil {
				return nil, err
			}
		case "data":
			if format.Channels == 0 {
				return nil, errors.New("read WAV: the data comes before its format")
			}
			data, err := io.ReadAll(body)
			if err != nil {
				return nil, fmt.Errorf("read WAV samples: %w", err)
			}
			return resampleAll(mixDown(data, int(format.Channels)), int(format.Rate), rate), nil
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			return nil, fmt.Errorf("read WAV chunk %q: %w", chunk.ID, err)
		}
	}
}

func (f wavFormat) check() error {
	switch {
	case f.Format != wavPCM && f.Format != wavExtensible || f.Bits != 16:
		return fmt.Errorf("read WAV: format %d with %d bits, want 16-bit PCM", f.Format, f.Bits)
	case f.Channels < 1 || f.Channels > 8:
		return fmt.Errorf("read WAV: %d channels, want 1 to 8", f.Channels)
	case f.Rate < 4000 || f.Rate > 192000:
		return fmt.Errorf("read WAV: %d Hz, want 4,000 to 192,000", f.Rate)
	}
	return nil
}

func mixDown(data []byte, channels int) []int16 {
	pcm := make([]int16, len(data)/(2*channels))
	for i := range pcm {
		sum := 0
		for c := range channels {
			sum += int(int16(binary.LittleEndian.Uint16(data[2*(i*channels+c):])))
		}
		pcm[i] = int16(sum / channels)
	}
	return pcm
}

func resampleAll(pcm []int16, from, to int) []int16 {
	if from == to {
		return pcm
	}
	r := NewResampler(from, to)
	out := make([]int16, 0, int(int64(len(pcm))*int64(to)/int64(from))+1)
	return r.Flush(r.Process(pcm, out))
}
