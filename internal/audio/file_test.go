package audio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

const longest = 5 * time.Minute

// The files of testdata were made with SoX 14.4.2 and opusenc 0.2 (libopus 1.3.1): tones of 1 kHz, at 6 dB below full scale.
func TestDecodeFilesOfOtherPrograms(t *testing.T) {
	for name, lasts := range map[string]time.Duration{
		"sox24.wav":    1200 * time.Millisecond, // 11,025 Hz, stereo, 24 bits, extensible
		"sox8.wav":     1200 * time.Millisecond, // 8,000 Hz, 8 bits
		"opusenc.opus": 2345 * time.Millisecond, // stereo, packets of 60 ms
	} {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		pcm, err := DecodeFile(file, 24000, longest)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if took := Duration(len(pcm), 24000); (took - lasts).Abs() > time.Millisecond {
			t.Errorf("%s lasts %v, want %v", name, took, lasts)
		}
		if power, level := Power(pcm, 1000, 24000), Level(pcm); power < 0.98 || math.Abs(level+9) > 0.5 {
			t.Errorf("%s: the tone has a share of %.2f and %.1f dBFS", name, power, level)
		}
	}
}

func TestDecodeWAVFiles(t *testing.T) {
	samples := func(encode func(v int16) []byte) (data []byte) {
		for _, v := range tone440(24000) {
			data = append(data, encode(v)...)
		}
		return data
	}
	for name, file := range map[string][]byte{
		"16 bits": samples(func(v int16) []byte { return littleEndian([]int16{v}) }),
		"32 bits": samples(func(v int16) []byte { return littleEndian([]int16{0, v}) }),
		"float":   samples(func(v int16) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)/32768)) }),
		"stereo":  samples(func(v int16) []byte { return littleEndian([]int16{v, v}) }),
	} {
		format := map[string]wavFormat{"16 bits": mono16(24000), "32 bits": {wavPCM, 1, 24000, 96000, 4, 32}, "float": {wavFloat, 1, 24000, 96000, 4, 32}, "stereo": {wavPCM, 2, 24000, 96000, 4, 16}}[name]
		pcm, err := DecodeFile(wavFile(format, uint32(len(file)), file, []byte("LIST\x04\x00\x00\x00abcd")...), 24000, longest)
		if err != nil || len(pcm) != 12000 || Power(pcm, 440, 24000) < 0.99 || math.Abs(Level(pcm)-Level(tone440(24000))) > 0.1 {
			t.Errorf("%s: %d samples at %.1f dBFS, %v", name, len(pcm), Level(pcm), err)
		}
	}
}

// A stored file is what was encoded, delayed by as much as a player leaves out.
func TestOpusFile(t *testing.T) {
	encoder, err := NewEncoder(24000)
	if err != nil {
		t.Fatal(err)
	}
	var packets [][]byte
	for at, pcm := 0, Tone(1000, 24000, 3*time.Second); at < len(pcm); at += 480 {
		buf := make([]byte, MaxPacket)
		n, err := encoder.Encode(pcm[at:at+480], buf)
		if err != nil {
			t.Fatal(err)
		}
		packets = append(packets, buf[:n])
	}
	file := EncodeOpusFile(packets, 24000)
	pcm, err := DecodeFile(file, 24000, longest)
	if want := 3*24000 - opusLookahead/2; err != nil || len(pcm) != want || Power(pcm[480:], 1000, 24000) < 0.99 {
		t.Errorf("%d samples, %v; want %d", len(pcm), err, want)
	}
	source, err := readSource(bytes.NewReader(file), "") // by libopusfile
	if err != nil || len(source) != len(pcm) || Power(source[480:], 1000, 24000) < 0.99 {
		t.Errorf("libopusfile reads %d samples, %v; want %d", len(source), err, len(pcm))
	}
}

// opusPackets is a file of packets, each on a page that change may alter.
func opusPackets(packets [][]byte, change func(n int, p *oggPage)) []byte {
	head := []byte("OpusHead\x01\x01\x38\x01\xc0\x5d\x00\x00\x00\x00\x00")
	var out []byte
	for n, packet := range append([][]byte{head, []byte("OpusTags\x00\x00\x00\x00\x00\x00\x00\x00")}, packets...) {
		p := oggPage{serial: 7, sequence: uint32(n), granule: int64(max(0, n-1)) * 960}
		if n == 0 {
			p.flags = oggFirst
		}
		if n == len(packets)+1 {
			p.flags = oggLast
		}
		if change != nil {
			change(n, &p)
		}
		out = appendOggPage(out, p, packet)
	}
	return out
}

func TestDecodeFileRefuses(t *testing.T) {
	read := func(name string) []byte {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	pcm := littleEndian(tone440(24000))
	wav := func(format wavFormat) []byte { return wavFile(format, uint32(len(pcm)), pcm) }
	opus, damaged := read("opusenc.opus"), bytes.Clone(read("opusenc.opus"))
	damaged[len(damaged)/2]++
	quiet := make([][]byte, 200)
	for n := range quiet {
		quiet[n] = []byte{0xF8, 0xFF, 0xFE} // 20 ms
	}
	bomb := make([][]byte, 40_000)
	for n := range bomb {
		bomb[n] = []byte{0xE3, 48} // 48 frames of 2.5 ms without data
	}
	for want, file := range map[string][]byte{
		"it is neither WAV nor Ogg Opus":                          []byte("this is a text and no sound"),
		"it is MP3, and only":                                     read("tone24000.mp3"),
		"it is Ogg without Opus":                                  []byte("OggS" + strings.Repeat("\x00", 60)),
		"announces 4294967295 bytes of samples, and 24000 follow": wavFile(mono16(24000), math.MaxUint32, pcm),
		"announces 24000 bytes of samples, and 100 follow":        wav(mono16(24000))[:len(wav(mono16(24000)))-23900],
		"it is cut off within a sample":                           wavFile(mono16(24000), 3, pcm[:3]),
		"it is a WAV file without samples":                        wav(mono16(24000))[:50],
		"it is WAV, but":                                          []byte("RIFF\x00\x00\x00\x00AVI LIST"),
		"it has 255 channels":                                     wav(wavFormat{wavPCM, 255, 24000, 0, 510, 16}),
		"it has 0 channels":                                       wav(wavFormat{wavPCM, 0, 24000, 0, 0, 16}),
		"it has 1 Hz":                                             wav(mono16(1)),
		"it has 23999 Hz":                                         wav(mono16(23999)),
		"format 7 with 8 bits":                                    read("ulaw.wav"),
		"its format contradicts itself":                           wav(wavFormat{wavPCM, 1, 24000, 48000, 7, 16}),
		"it is cut off: its end is missing":                       opus[:len(opus)-100],
		"the checksum of a page is wrong":                         damaged,
		"no Ogg page begins":                                      append(opusPackets(quiet, func(_ int, p *oggPage) { p.flags &^= oggLast }), "Oggg"...),
		"it has several streams":                                  append(bytes.Clone(opus), opus...),
		"a page is missing":                                       opusPackets(quiet, func(n int, p *oggPage) { p.sequence += uint32(n / 5) }),
		"do not follow each other":                                opusPackets(quiet, func(n int, p *oggPage) { p.flags |= byte(n / 5 % 2) }),
		"the end of the stream":                                   opusPackets(quiet, func(_ int, p *oggPage) { p.flags &^= oggLast }),
		"packet 3 is not Opus":                                    opusPackets([][]byte{{0xF8}, {0xF8}, {}}, nil),
		"packet 1 is not Opus":                                    opusPackets([][]byte{{0xFB, 63}}, nil),
		"too long":                                                opusPackets(bomb, nil),
		"too long ":                                               wavFile(mono16(8000), 16000*301, make([]byte, 16000*301)),
	} {
		began := time.Now()
		pcm, err := DecodeFile(file, 24000, longest)
		switch {
		case strings.HasPrefix(want, "too long"):
			if !errors.Is(err, ErrTooLong) {
				t.Errorf("%s: %v", want, err)
			}
		case want == "the end of the stream": // as errCutOff
			if !errors.Is(err, errCutOff) {
				t.Errorf("%s: %v", want, err)
			}
		case want == "it is WAV, but":
			if !errors.Is(err, ErrFormat) {
				t.Errorf("%s: %v", want, err)
			}
		case !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want):
			t.Errorf("%d samples, %v; want %q", len(pcm), err, want)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s: it took %v", want, took)
		}
	}
}

// Files that are as large as is allowed take little time and memory, whatever they consist of.
func TestDecodeLargestFiles(t *testing.T) {
	const size = 5 << 20
	head := opusPackets(nil, func(_ int, p *oggPage) { p.flags &^= oggLast })
	empty, tiny, long := bytes.Clone(head), bytes.Clone(head), bytes.Clone(head)
	for n := uint32(2); len(empty) < size; n++ {
		empty = appendOggPage(empty, oggPage{serial: 7, sequence: n, granule: -1})
	}
	for n := uint32(2); len(tiny) < size; n++ { // one byte each, of 2.5 ms
		tiny = appendOggPage(tiny, oggPage{serial: 7, sequence: n}, slicesOf([]byte{0xE0}, 255)...)
	}
	for n := uint32(2); len(long) < size; n++ { // a packet that does not end
		p := oggPage{serial: 7, sequence: n, granule: -1}
		if n > 2 {
			p.flags = oggContinued
		}
		page := appendOggPage(nil, p, make([]byte, 255))
		page[26], page = 1, append(page[:28], page[29:]...)
		binary.LittleEndian.PutUint32(page[22:], oggChecksum(page))
		long = append(long, page...)
	}
	for name, file := range map[string][]byte{"empty pages": empty, "tiny packets": tiny, "an endless packet": long, "zeros": make([]byte, size)} {
		began := time.Now()
		allocated := testing.AllocsPerRun(1, func() {
			if _, err := DecodeFile(file, 24000, longest); err == nil {
				t.Errorf("%s: accepted", name)
			}
		})
		if took := time.Since(began); took > 4*time.Second || allocated > 200_000 {
			t.Errorf("%s: %v, %.0f allocations", name, took, allocated)
		}
	}
}

func slicesOf(packet []byte, n int) (packets [][]byte) {
	for range n {
		packets = append(packets, packet)
	}
	return packets
}

func FuzzDecodeFile(f *testing.F) {
	for _, name := range []string{"sox8.wav", "ulaw.wav", "opusenc.opus", "tone24000.mp3"} {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Add(opusPackets([][]byte{{0xF8, 0xFF, 0xFE}, {0xE3, 48}}, nil))
	f.Fuzz(func(t *testing.T, file []byte) {
		if bytes.HasPrefix(file, []byte("OggS")) {
			mend(file)
		}
		pcm, err := DecodeFile(file, 24000, 10*time.Second)
		if err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrTooLong) {
			t.Error(err)
		}
		if Duration(len(pcm), 24000) > 10*time.Second {
			t.Errorf("%d samples", len(pcm))
		}
	})
}

// mend corrects the checksums of pages, so that what is behind them is tested.
func mend(file []byte) {
	for at := 0; at+oggHead <= len(file) && string(file[at:at+4]) == "OggS"; {
		end := at + oggHead + int(file[at+26])
		if end > len(file) {
			return
		}
		for _, n := range file[at+oggHead : end] {
			end += int(n)
		}
		if end > len(file) {
			return
		}
		binary.LittleEndian.PutUint32(file[at+22:], oggChecksum(file[at:end]))
		at = end
	}
}
