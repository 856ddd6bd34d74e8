package audio

import (
	"encoding/binary"
	"slices"
	"time"
)

// fileRates are the rates of WAV files that DecodeFile supports, in hertz. A Resampler keeps a filter for each.
var fileRates = []uint32{8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 88200, 96000}

// DecodeFile returns the sound of a whole file as mono PCM at rate: WAV with PCM of 8, 16, 24 or 32 bits or floats of 32, or Ogg Opus, both
// with one or two channels. Unlike a Source it refuses a file that is cut off or damaged. Errors are ErrFormat, or ErrTooLong of more sound
// than longest.
func DecodeFile(data []byte, rate int, longest time.Duration) ([]int16, error) {
	switch format := DetectFormat(data[:min(len(data), MaxHead)]); format {
	case WAV:
		return decodeWAVFile(data, rate, longest)
	case OggOpus:
		file, err := ParseOpusFile(data, longest)
		if err != nil {
			return nil, err
		}
		return file.Decode(rate)
	case Unmarked:
		return nil, formatError("it is neither WAV nor Ogg Opus")
	default:
		return nil, formatError("it is %s, and only WAV and Ogg Opus are supported", format)
	}
}

// decodeWAVFile decodes a whole WAV file.
func decodeWAVFile(data []byte, rate int, longest time.Duration) ([]int16, error) {
	format, samples, err := wavFileSamples(data)
	if err != nil {
		return nil, err
	}
	channels, size := int(format.Channels), int(format.Bits/8)
	n := len(samples) / (channels * size)
	if Duration(n, int(format.Rate)) > longest {
		return nil, ErrTooLong
	}
	decode := wavSamples[[2]uint16{format.Format, format.Bits}]
	resampler := NewResampler(int(format.Rate), rate)
	out := make([]int16, 0, int(int64(n)*int64(rate)/int64(format.Rate))+1)
	for block := range slices.Chunk(samples, 4096*channels*size) {
		pcm := make([]int16, 0, 4096)
		for frame := range slices.Chunk(block, channels*size) {
			sum := 0
			for sample := range slices.Chunk(frame, size) {
				sum += int(decode(sample))
			}
			pcm = append(pcm, int16(sum/channels))
		}
		out = resampler.Process(pcm, out)
	}
	return resampler.Flush(out), nil
}

// wavSamples decode a sample by format and bits of a WAV file.
var wavSamples = map[[2]uint16]func([]byte) int16{
	{wavPCM, 8}:    func(b []byte) int16 { return (int16(b[0]) - 128) << 8 },
	{wavPCM, 16}:   decodeInt16,
	{wavPCM, 24}:   func(b []byte) int16 { return decodeInt16(b[1:]) },
	{wavPCM, 32}:   func(b []byte) int16 { return decodeInt16(b[2:]) },
	{wavFloat, 32}: decodeFloat32,
}

// wavFileSamples returns the samples of a WAV file, whole ones of all channels.
func wavFileSamples(data []byte) (format wavFormat, samples []byte, err error) {
	if len(data) < 12 {
		return format, nil, errCutOff
	}
	if string(data[:4]) != "RIFF" || string(data[8:12]) != "WAVE" {
		return format, nil, formatError("it is RIFF or RF64, but not WAV")
	}
	for data = data[12:]; len(data) >= 8; {
		id, size := string(data[:4]), int64(binary.LittleEndian.Uint32(data[4:]))
		if data = data[8:]; size > int64(len(data)) {
			if id == "data" {
				return format, nil, formatError("it is cut off: its header announces %d bytes of samples, and %d follow", size, len(data))
			}
			return format, nil, errCutOff
		}
		body := data[:size]
		switch id {
		case "fmt ":
			if format, err = parseWAVFormat(body); err != nil {
				return format, nil, err
			}
			if err := format.checkFile(); err != nil {
				return format, nil, err
			}
		case "data":
			switch {
			case format.Channels == 0:
				return format, nil, formatError("it is damaged: the samples come before their format")
			case size%int64(format.BlockAlign) != 0:
				return format, nil, formatError("it is cut off within a sample")
			}
			return format, body, nil
		}
		data = data[min(size+size&1, int64(len(data))):] // chunks are padded to even length
	}
	return format, nil, formatError("it is a WAV file without samples")
}

func (f wavFormat) checkFile() error {
	switch {
	case wavSamples[[2]uint16{f.Format, f.Bits}] == nil:
		return formatError("it is a WAV file of format %d with %d bits; PCM of 8, 16, 24 or 32 bits and floats of 32 are supported", f.Format, f.Bits)
	case f.Channels < 1 || f.Channels > 2:
		return formatError("it has %d channels; 1 or 2 are supported", f.Channels)
	case !slices.Contains(fileRates, f.Rate):
		return formatError("it has %d Hz; the usual rates from 8,000 to 96,000 Hz are supported, such as 44,100 and 48,000", f.Rate)
	case f.BlockAlign != f.Channels*f.Bits/8:
		return formatError("it is damaged: its format contradicts itself")
	}
	return nil
}
