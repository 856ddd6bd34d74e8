package audio

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"strconv"
	"strings"

	"github.com/hajimehoshi/go-mp3"
	"gopkg.in/hraban/opus.v2"
)

// ErrFormat marks the error of sound that cannot be decoded.
var ErrFormat = errors.New("the sound cannot be decoded")

// Source reads sound of any supported format as mono PCM while it arrives: WAV, MP3, Ogg Opus, or raw PCM of 16 bits, little endian.
type Source struct {
	read     func(interleaved []int16) (int, error)
	channels int
	resample *Resampler // nil where the rate is right
	buffer   [4800]int16
	filled   int          // samples of an incomplete group of channels in the buffer
	close    func() error // of the decoder; nil for none
}

// NewSource returns the source of the sound in a stream, converted to rate. Its format is what its first bytes say. Of a media type such as
// audio/pcm;rate=16000 only the rate and the channels of raw PCM count; without them it has this rate and one channel. Errors are ErrFormat,
// or the stream's.
func NewSource(stream io.Reader, mediaType string, rate int) (*Source, error) {
	in := bufio.NewReaderSize(&stickyReader{in: stream}, 2*MaxHead)
	head, _ := in.Peek(8)
	switch { // some formats have their marks further on
	case len(head) > 0 && head[0] == 0xFF:
		head, _ = in.Peek(MaxHead)
	case bytes.HasPrefix(head, []byte("OggS")):
		head, _ = in.Peek(opusHead)
	}
	switch format := DetectFormat(head); format {
	case WAV:
		return newWAVSource(in, rate)
	case MP3:
		return newMP3Source(in, rate)
	case OggOpus:
		return newOpusSource(in, int(head[opusHead-1]), rate)
	case Unmarked:
		return newRawSource(in, mediaType, rate)
	default:
		return nil, fmt.Errorf("%w: it is %s", ErrFormat, format)
	}
}

// stickyReader returns the error of a stream at each read after it: a bufio.Reader returns it to Peek, whose result is looked at alone, once.
type stickyReader struct {
	in  io.Reader
	err error
}

func (r *stickyReader) Read(p []byte) (n int, err error) {
	if r.err != nil {
		return 0, r.err
	}
	n, r.err = r.in.Read(p)
	return n, r.err
}

func newSource(read func([]int16) (int, error), channels, from, to int) (*Source, error) {
	if channels < 1 || channels > 2 || from < 8000 || from > 96000 {
		return nil, fmt.Errorf("%w: it has %d channels and %d Hz; 1 or 2 channels and 8 to 96 kHz are supported", ErrFormat, channels, from)
	}
	s := &Source{read: read, channels: channels}
	if from != to {
		s.resample = NewResampler(from, to)
	}
	return s, nil
}

// Next returns the next samples. With an error they are the last ones; io.EOF is the proper end.
func (s *Source) Next() ([]int16, error) {
	n, err := s.read(s.buffer[s.filled:])
	n += s.filled
	whole := n - n%s.channels
	pcm := make([]int16, 0, whole/s.channels)
	for i := 0; i < whole; i += s.channels {
		sum := 0
		for _, v := range s.buffer[i : i+s.channels] {
			sum += int(v)
		}
		pcm = append(pcm, int16(sum/s.channels))
	}
	s.filled = copy(s.buffer[:], s.buffer[whole:n])
	if s.resample == nil {
		return pcm, err
	}
	out := s.resample.Process(pcm, nil)
	if err != nil {
		out = s.resample.Flush(out)
	}
	return out, err
}

// Close releases the decoder. It does not close the stream.
func (s *Source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// unplayable are media types of compressed sound without a mark of its own: telephone codecs.
var unplayable = map[string]bool{"audio/basic": true, "audio/pcmu": true, "audio/pcma": true, "audio/x-mulaw": true, "audio/mulaw": true, "audio/x-alaw": true, "audio/alaw": true,
	"audio/amr": true, "audio/g722": true}

// newRawSource reads raw PCM, at the rate of its media type.
func newRawSource(in io.Reader, mediaType string, rate int) (*Source, error) {
	kind, parameters, err := mime.ParseMediaType(mediaType)
	if err == nil && unplayable[kind] {
		return nil, fmt.Errorf("%w: it is %s", ErrFormat, kind)
	}
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(strings.TrimSpace(parameters[name])); err == nil {
			return n
		}
		return otherwise
	}
	return newSource((&sampleReader{in: in, decode: decodeInt16, size: 2}).read, number("channels", 1), number("rate", rate), rate)
}

// newMP3Source reads MP3.
func newMP3Source(in io.Reader, rate int) (source *Source, err error) {
	defer recoverDecoder(&err)
	decoder, err := mp3.NewDecoder(in)
	if err != nil {
		return nil, fmt.Errorf("%w: MP3: %w", ErrFormat, err)
	}
	samples := &sampleReader{in: decoder, decode: decodeInt16, size: 2}
	read := func(pcm []int16) (n int, err error) {
		defer recoverDecoder(&err)
		return samples.read(pcm)
	}
	return newSource(read, 2, decoder.SampleRate(), rate)
}

// recoverDecoder turns the panic of a decoder, at data that is broken, into an error.
func recoverDecoder(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: the data is broken", ErrFormat)
	}
}

const (
	// opusHead is the length of a stream of Ogg Opus up to its number of channels, in bytes. RFC 7845, section 5.1.
	opusHead = 38
	// opusRate is the rate to which libopusfile decodes.
	opusRate = 48000
)

// newOpusSource reads Ogg Opus.
func newOpusSource(in io.Reader, channels, rate int) (*Source, error) {
	stream, err := opus.NewStream(in)
	if err != nil {
		return nil, fmt.Errorf("%w: Ogg Opus: %w", ErrFormat, err)
	}
	read := func(pcm []int16) (int, error) {
		n, err := stream.Read(pcm)
		return n * channels, err
	}
	s, err := newSource(read, channels, opusRate, rate)
	if err != nil {
		return nil, errors.Join(err, stream.Close())
	}
	s.close = stream.Close
	return s, nil
}

// sampleReader reads samples of a fixed size in bytes.
type sampleReader struct {
	in     io.Reader
	decode func([]byte) int16
	size   int
	buffer [4096]byte
	filled int // bytes of an incomplete sample in the buffer
}

func (r *sampleReader) read(pcm []int16) (int, error) {
	n, err := r.in.Read(r.buffer[r.filled:min(len(r.buffer), len(pcm)*r.size)])
	n += r.filled
	samples := n / r.size
	for i := range samples {
		pcm[i] = r.decode(r.buffer[i*r.size:])
	}
	r.filled = copy(r.buffer[:], r.buffer[samples*r.size:n])
	return samples, err
}

func decodeInt16(b []byte) int16 { return int16(binary.LittleEndian.Uint16(b)) }

func decodeFloat32(b []byte) int16 {
	v := float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	if math.IsNaN(v) {
		return 0
	}
	return int16(math.Max(-1, math.Min(1, v)) * math.MaxInt16)
}
