package audio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"testing"
	"testing/iotest"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4/pkg/media/oggwriter"
)

// tone440 is half a second, in the formats that a voice may send.
func tone440(rate int) []int16 { return Tone(440, rate, 500*time.Millisecond) }

func littleEndian(pcm []int16) []byte {
	raw := make([]byte, 0, 2*len(pcm))
	for _, v := range pcm {
		raw = binary.LittleEndian.AppendUint16(raw, uint16(v))
	}
	return raw
}

func chunk(id string, size uint32, body []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(id), size), body...)
}

// wavFile returns a WAV file with a size of its data, and what follows it.
func wavFile(format wavFormat, size uint32, data []byte, after ...byte) []byte {
	var head bytes.Buffer
	head.WriteString("RIFF\xff\xff\xff\xffWAVE")
	head.Write(chunk("LIST", 5, []byte("INFO!\x00"))) // padded
	head.WriteString("fmt \x10\x00\x00\x00")
	_ = binary.Write(&head, binary.LittleEndian, format)
	return append(append(head.Bytes(), chunk("data", size, data)...), after...)
}

func mono16(rate int) wavFormat { return wavFormat{wavPCM, 1, uint32(rate), uint32(2 * rate), 2, 16} }

func oggOpus(t *testing.T, pcm []int16) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := oggwriter.NewWith(&out, 48000, 1)
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := NewEncoder(24000)
	if err != nil {
		t.Fatal(err)
	}
	packet := make([]byte, MaxPacket)
	for at := 0; at+480 <= len(pcm); at += 480 {
		n, err := encoder.Encode(pcm[at:at+480], packet)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteRTP(&rtp.Packet{Header: rtp.Header{Timestamp: uint32(2 * at)}, Payload: packet[:n]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readSource returns all samples of a stream.
func readSource(stream io.Reader, mediaType string) (pcm []int16, err error) {
	s, err := NewSource(stream, mediaType, 24000)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for {
		more, err := s.Next()
		pcm = append(pcm, more...)
		if errors.Is(err, io.EOF) {
			return pcm, nil
		}
		if err != nil {
			return pcm, err
		}
	}
}

// Sound of each format is the same tone, whatever its label says and however it arrives.
func TestSourceIsReadByItsBytes(t *testing.T) {
	tone := tone440(24000)
	raw := littleEndian(tone)
	size := uint32(len(raw))
	stereo := make([]int16, 0, 2*len(tone))
	floats := make([]byte, 0, 4*len(tone))
	for _, v := range tone {
		stereo = append(stereo, v, v)
		floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(float32(v)/32768))
	}
	read := func(name string) []byte {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, tc := range map[string]struct {
		label string
		data  []byte
	}{
		"raw":                           {"audio/pcm", raw},
		"raw, with another label":       {"audio/mpeg", raw},
		"raw at 16 kHz":                 {"audio/pcm;rate=16000", littleEndian(tone440(16000))},
		"raw in stereo":                 {"audio/L16; rate=24000; channels=2", littleEndian(stereo)},
		"WAV":                           {"audio/wav", wavFile(mono16(24000), size, raw)},
		"WAV at 16 kHz labelled as MP3": {"audio/mpeg", wavFile(mono16(16000), 16000, littleEndian(tone440(16000)))},
		"WAV with a chunk after data":   {"audio/wav", wavFile(mono16(24000), size, raw, chunk("LIST", 400, bytes.Repeat([]byte{0x7f, 0x80}, 200))...)},
		"WAV without a size":            {"audio/wav", wavFile(mono16(24000), 0, raw)},
		"WAV with the largest size":     {"audio/wav", wavFile(mono16(24000), math.MaxUint32, raw)},
		"WAV with too small a size":     {"audio/wav", wavFile(mono16(24000), 1000, raw)},
		"two WAV files":                 {"audio/wav", append(wavFile(mono16(24000), size/2, raw[:size/2]), wavFile(mono16(24000), size/2, raw[size/2:])...)},
		"WAV of floats":                 {"audio/wav", wavFile(wavFormat{wavFloat, 1, 24000, 96000, 4, 32}, 2*size, floats)},
		"MP3":                           {"audio/pcm", read("tone24000.mp3")},
		"MP3 at 44.1 kHz":               {"audio/mpeg", read("tone44100.mp3")},
		"Ogg Opus":                      {"audio/pcm", oggOpus(t, tone)},
	} {
		for way, stream := range map[string]io.Reader{"at once": bytes.NewReader(tc.data), "byte by byte": iotest.OneByteReader(bytes.NewReader(tc.data))} {
			pcm, err := readSource(stream, tc.label)
			if len(pcm) < 10000 || len(pcm) > 14500 {
				t.Errorf("%s, %s: %d samples, %v", name, way, len(pcm), err)
				continue
			}
			mid := pcm[3000:9000]
			if p := Power(mid, 440, 24000); err != nil || p < 0.9 {
				t.Errorf("%s, %s: the tone carries %.2f of the energy; %v", name, way, p, err)
			}
			var noise NoiseDetector
			if noise.Push(pcm) {
				t.Errorf("%s, %s: counts as noise", name, way)
			}
		}
	}
}

// What cannot be played is refused before there is any sound, and data that has no mark is found to be noise.
func TestSourceRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ label, data string }{
		"FLAC":           {"audio/pcm", "fLaC\x00\x00\x00\x22" + string(make([]byte, 100))},
		"MP4":            {"audio/pcm", "\x00\x00\x00\x20ftypM4A " + string(make([]byte, 100))},
		"WebM":           {"audio/pcm", "\x1aE\xdf\xa3" + string(make([]byte, 100))},
		"Vorbis":         {"audio/ogg", "OggS" + string(make([]byte, 24)) + "\x01vorbis" + string(make([]byte, 100))},
		"an error":       {"audio/mpeg", `{"error":"quota"}`},
		"telephony":      {"audio/basic", string(make([]byte, 100))},
		"an empty WAV":   {"audio/wav", "RIFF\x00\x00\x00\x00WAVE"},
		"WAV of 24 bits": {"audio/wav", string(wavFile(wavFormat{wavPCM, 1, 24000, 72000, 3, 24}, 100, make([]byte, 100)))},
		"rate":           {"audio/pcm;rate=1000", string(make([]byte, 100))},
	} {
		if pcm, err := readSource(bytes.NewReader([]byte(tc.data)), tc.label); !errors.Is(err, ErrFormat) || len(pcm) > 0 {
			t.Errorf("%s: %d samples, %v", name, len(pcm), err)
		}
	}
	speech := say(t, "we are open from nine to five on weekdays", -3)
	var noise NoiseDetector
	if noise.Push(speech) {
		t.Error("loud speech counts as noise")
	}
	swapped, floats := make([]int16, len(speech)), make([]int16, 0, 2*len(speech))
	for i, v := range speech {
		swapped[i] = int16(uint16(v)<<8 | uint16(v)>>8)
		bits := math.Float32bits(float32(v) / 32768)
		floats = append(floats, int16(bits), int16(bits>>16))
	}
	mp3, err := os.ReadFile("testdata/tone44100.mp3")
	if err != nil {
		t.Fatal(err)
	}
	data := make([]int16, len(mp3)/2)
	for i := range data {
		data[i] = int16(binary.LittleEndian.Uint16(mp3[2*i:]))
	}
	for name, pcm := range map[string][]int16{"bytes in the other order": swapped, "floats": floats, "MP3": data} {
		noise = NoiseDetector{}
		if !noise.Push(pcm) {
			t.Errorf("%s: no noise", name)
		}
	}
}

// The error of a stream is the source's, wherever it comes.
func TestSourceEndsWithItsError(t *testing.T) {
	broken := errors.New("connection reset")
	for n := range 10 {
		stream := io.MultiReader(bytes.NewReader(make([]byte, n)), iotest.ErrReader(broken))
		if pcm, err := readSource(stream, ""); !errors.Is(err, broken) || len(pcm) != n/2 {
			t.Errorf("after %d bytes: %d samples, %v", n, len(pcm), err)
		}
	}
}

// FuzzSource: no panic and no endless reading, whatever the bytes.
func FuzzSource(f *testing.F) {
	for _, name := range []string{"testdata/tone24000.mp3", "testdata/tone44100.mp3"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "audio/mpeg")
	}
	f.Add(wavFile(mono16(16000), 4, []byte{1, 2, 3, 4}, chunk("LIST", 4, []byte("abcd"))...), "audio/wav")
	f.Add([]byte("OggS"+string(make([]byte, 24))+"OpusHead\x01\x02"), "audio/ogg")
	f.Add([]byte{1, 2, 3}, "audio/pcm;rate=8000;channels=2")
	f.Fuzz(func(t *testing.T, data []byte, label string) {
		whole, wholeErr := readSource(bytes.NewReader(data), label)
		split, splitErr := readSource(iotest.OneByteReader(bytes.NewReader(data)), label)
		if len(whole) != len(split) || (wholeErr == nil) != (splitErr == nil) {
			t.Errorf("%d samples, %v; split into bytes %d, %v", len(whole), wholeErr, len(split), splitErr)
		}
	})
}
