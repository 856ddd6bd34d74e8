package speechhttp

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

// errSoundEnds is the end of the speech.
var errSoundEnds = errors.New("the speech ends")

// sound is the streamed speech of an answer: PCM at dialogue.SpeakRate, or WAV at the rate in its header.
type sound struct {
	in       *bufio.Reader
	source   io.Closer // of in
	channels int
	resample *audio.Resampler // nil at dialogue.SpeakRate
	buffer   [4800]byte
	filled   int // bytes of an incomplete sample in the buffer
}

// newSound begins to read the speech of an answer. It is closed by close.
func (v *Vendor) newSound(response *http.Response) (*sound, error) {
	if v.Audio != nil {
		pcm, err := v.Audio(response)
		if err != nil {
			return nil, err
		}
		return &sound{in: bufio.NewReader(pcm), source: pcm, channels: 1}, nil
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if kind != "" && kind != "application/octet-stream" && !strings.HasPrefix(kind, "audio/") {
		return nil, vendorerror.Unexpected("the answer is no audio: is the base URL right?", kind)
	}
	s := &sound{in: bufio.NewReader(response.Body), source: response.Body, channels: 1}
	if head, err := s.in.Peek(4); err == nil && string(head) == "RIFF" {
		return s, s.readHeader()
	}
	return s, nil
}

func (s *sound) close() { _ = s.source.Close() }

// readHeader reads a RIFF/WAVE header up to the samples. The sizes in a streamed file mean nothing.
func (s *sound) readHeader() error {
	if _, err := s.in.Discard(12); err != nil {
		return dialogue.NewError("the speech is no WAV file")
	}
	for {
		var chunk struct {
			ID   [4]byte
			Size uint32
		}
		if err := binary.Read(s.in, binary.LittleEndian, &chunk); err != nil {
			return dialogue.NewError("the speech is a WAV file without samples")
		}
		if string(chunk.ID[:]) == "data" {
			return nil
		}
		body := make([]byte, min(chunk.Size+chunk.Size&1, 1<<16))
		if _, err := io.ReadFull(s.in, body); err != nil {
			return dialogue.NewError("the speech is a WAV file without samples")
		}
		if string(chunk.ID[:]) != "fmt " || len(body) < 16 {
			continue
		}
		channels, rate, bits := int(binary.LittleEndian.Uint16(body[2:])), int(binary.LittleEndian.Uint32(body[4:])), binary.LittleEndian.Uint16(body[14:])
		if bits != 16 || channels < 1 || channels > 2 || rate < 8000 || rate > 96000 {
			return dialogue.Errorf("the speech has %d bits, %d channels and %d Hz; 16 bits, 1 or 2 channels and 8 to 96 kHz are supported", bits, channels, rate)
		}
		s.channels = channels
		if rate != dialogue.SpeakRate {
			s.resample = audio.NewResampler(rate, dialogue.SpeakRate)
		}
	}
}

// next returns the next samples. With an error they are the last ones; errSoundEnds is the proper end.
func (s *sound) next() ([]int16, error) {
	n, err := s.in.Read(s.buffer[s.filled:])
	n += s.filled
	frame := 2 * s.channels
	var pcm []int16
	for i := 0; i+frame <= n; i += frame {
		sum := 0
		for c := range s.channels {
			sum += int(int16(binary.LittleEndian.Uint16(s.buffer[i+2*c:])))
		}
		pcm = append(pcm, int16(sum/s.channels))
	}
	s.filled = copy(s.buffer[:], s.buffer[n-n%frame:n])
	if errors.Is(err, io.EOF) {
		err = errSoundEnds
	}
	if s.resample == nil {
		return pcm, err
	}
	out := s.resample.Process(pcm, nil)
	if err != nil {
		out = s.resample.Flush(out)
	}
	return out, err
}
