package audio

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestResamplerKeepsTones(t *testing.T) {
	for _, rates := range [][2]int{{16000, 24000}, {24000, 16000}, {48000, 16000}, {8000, 16000}, {44100, 16000}, {22050, 24000}, {16000, 48000}} {
		for _, freq := range []float64{300, 1000, 3000} {
			sine := make([]int16, rates[0])
			for i := range sine {
				sine[i] = int16(math.Round(20000 * math.Sin(2*math.Pi*freq*float64(i)/float64(rates[0]))))
			}
			r := NewResampler(rates[0], rates[1])
			out := r.Flush(r.Process(sine, nil))
			if len(out) != rates[1] {
				t.Errorf("%v: a second became %d samples", rates, len(out))
			}
			if snr := sineSNR(out[rates[1]/10:rates[1]*9/10], freq, rates[1]); snr < 80 {
				t.Errorf("%v: %v Hz with %.1f dB of signal above noise, want 80", rates, freq, snr)
			}
			mid := out[rates[1]/4 : rates[1]*3/4]
			if gain := RMS(mid) * math.Sqrt2 / 20000; math.Abs(gain-1) > 0.01 {
				t.Errorf("%v: %v Hz comes out %.3f as loud", rates, freq, gain)
			}
		}
	}
}

// sineSNR fits the sine at freq to pcm and compares it, in dB, with what is left over.
func sineSNR(pcm []int16, freq float64, rate int) float64 {
	var ss, sc, cc, sy, cy float64
	for i, v := range pcm {
		s, c := math.Sincos(2 * math.Pi * freq * float64(i) / float64(rate))
		ss, sc, cc, sy, cy = ss+s*s, sc+s*c, cc+c*c, sy+s*float64(v), cy+c*float64(v)
	}
	det := ss*cc - sc*sc
	a, b := (sy*cc-cy*sc)/det, (cy*ss-sy*sc)/det
	var signal, rest float64
	for i, v := range pcm {
		s, c := math.Sincos(2 * math.Pi * freq * float64(i) / float64(rate))
		fit := a*s + b*c
		signal += fit * fit
		rest += (float64(v) - fit) * (float64(v) - fit)
	}
	return 10 * math.Log10(signal/rest)
}

func TestResamplerRejectsAliases(t *testing.T) {
	tone := Tone(10000, 24000, time.Second) // would fold to 6 kHz at 16 kHz
	r := NewResampler(24000, 16000)
	if out := r.Flush(r.Process(tone, nil)); Level(out[1000:15000]) > Level(tone)-80 {
		t.Errorf("a tone beyond the band comes through at %.1f dBFS, of %.1f", Level(out[1000:15000]), Level(tone))
	}
}

func TestResamplerStreams(t *testing.T) {
	tone := Tone(700, 22050, 500*time.Millisecond)
	r := NewResampler(22050, 16000)
	whole := r.Flush(r.Process(tone, nil))
	var pieces []int16
	for size, rest := 1, tone; len(rest) > 0; size = size%441 + 7 {
		n := min(size, len(rest))
		pieces, rest = r.Process(rest[:n], pieces), rest[n:]
	}
	if pieces = r.Flush(pieces); !slices.Equal(pieces, whole) {
		t.Error("in pieces it sounds other than in one")
	}
	same := NewResampler(16000, 16000)
	if got := same.Flush(same.Process(tone, nil)); !slices.Equal(got, tone) {
		t.Error("equal rates changed the samples")
	}
}

func TestWAV(t *testing.T) {
	tone := Tone(440, 16000, 300*time.Millisecond)
	var file bytes.Buffer
	if err := WriteWAV(&file, tone, 16000); err != nil {
		t.Fatal(err)
	}
	mono := bytes.Clone(file.Bytes())
	if got, err := ReadWAV(&file, 16000); err != nil || !slices.Equal(got, tone) {
		t.Errorf("what was written reads as %d samples, %v", len(got), err)
	}
	piped := bytes.Clone(mono)
	binary.LittleEndian.PutUint32(piped[40:], 0xFFFFFFFF)
	if got, err := ReadWAV(bytes.NewReader(piped), 16000); err != nil || !slices.Equal(got, tone) {
		t.Errorf("a data chunk without an end reads as %d samples, %v", len(got), err)
	}

	var data bytes.Buffer
	for _, v := range Tone(440, 48000, 300*time.Millisecond) {
		_ = binary.Write(&data, binary.LittleEndian, [2]int16{v, v / 2})
	}
	stereo := join16(mono[:20], uint16(1), uint16(2), uint32(48000), uint32(192000), uint16(4), uint16(16),
		[]byte("LIST"), uint32(3), []byte("abc\x00"), []byte("data"), uint32(data.Len()), data.Bytes())
	got, err := ReadWAV(bytes.NewReader(stereo), 16000)
	if err != nil || len(got) != 4800 {
		t.Fatalf("stereo at 48 kHz reads as %d samples, %v", len(got), err)
	}
	if p := Power(got[400:4400], 440, 16000); p < 0.99 {
		t.Errorf("the tone carries %.3f of the energy", p)
	}

	for name, file := range map[string][]byte{
		"empty":            nil,
		"no RIFF":          []byte("ID3 but not a wave file at all, sorry"),
		"no data":          mono[:36],
		"data before fmt":  join16(mono[:12], []byte("data"), uint32(4), uint32(0)),
		"8 bits":           join16(mono[:34], uint16(8), mono[36:]),
		"rate of nothing":  join16(mono[:24], uint32(0), mono[28:]),
		"too short a head": mono[:9],
	} {
		if _, err := ReadWAV(bytes.NewReader(file), 16000); err == nil || !strings.Contains(err.Error(), "WAV") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func join16(parts ...any) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		_ = binary.Write(&b, binary.LittleEndian, p)
	}
	return b.Bytes()
}

func TestJitter(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   []uint16
		want []int // sequence numbers as they come out; -1 is a lost packet
	}{
		{"in order", []uint16{1, 2, 3, 4}, []int{1, 2, 3, 4}},
		{"two swapped", []uint16{1, 3, 2, 4}, []int{1, 2, 3, 4}},
		{"three late", []uint16{1, 4, 3, 2, 5}, []int{1, 2, 3, 4, 5}},
		{"twice", []uint16{1, 2, 2, 1, 3, 3}, []int{1, 2, 3}},
		{"one lost", []uint16{1, 3, 4, 5, 6}, []int{1, -1, 3, 4, 5, 6}},
		{"two lost", []uint16{1, 4, 5, 6, 7}, []int{1, -1, -1, 4, 5, 6, 7}},
		{"lost one comes too late", []uint16{1, 3, 4, 5, 2, 6}, []int{1, -1, 3, 4, 5, 6}},
		{"over the wrap", []uint16{65534, 0, 65535, 2, 1}, []int{65534, 65535, 0, 1, 2}},
		{"stream begins anew", []uint16{1, 2, 500, 501, 9, 10}, []int{1, 2, 500, 501, 9, 10}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var j Jitter
			var got []int
			for _, seq := range tc.in {
				j.Push(seq, binary.BigEndian.AppendUint16(nil, seq))
				for {
					payload, lost, ok := j.Next()
					if !ok {
						break
					}
					for range lost {
						got = append(got, -1)
					}
					got = append(got, int(binary.BigEndian.Uint16(payload)))
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
	var j Jitter
	j.Push(1, []byte{1})
	j.Next()
	j.Push(3, []byte{3})
	if _, _, ok := j.Next(); ok {
		t.Error("a packet that came early was not held back")
	}
	if payload, lost, ok := j.Drain(); !ok || lost != 1 || payload[0] != 3 {
		t.Errorf("drained %v after %d lost, %v", payload, lost, ok)
	}
	if _, _, ok := j.Drain(); ok {
		t.Error("something left after draining")
	}
}
