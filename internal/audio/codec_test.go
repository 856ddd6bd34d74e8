package audio

import (
	"math"
	"testing"
	"time"
)

func TestOpusKeepsTones(t *testing.T) {
	for _, rates := range [][2]int{{24000, 16000}, {16000, 24000}, {48000, 16000}, {8000, 8000}} {
		for _, freq := range []float64{440, 1000, 2500} {
			enc, err := NewEncoder(rates[0])
			if err != nil {
				t.Fatal(err)
			}
			dec, err := NewDecoder(rates[1])
			if err != nil {
				t.Fatal(err)
			}
			in, size := Tone(freq, rates[0], time.Second), FrameLength(rates[0])
			var out []int16
			packet, pcm := make([]byte, MaxPacket), make([]int16, MaxPacketFrames*FrameLength(rates[1]))
			for ; len(in) >= size; in = in[size:] {
				n, err := enc.Encode(in[:size], packet)
				if err != nil {
					t.Fatal(err)
				}
				if n, err = dec.Decode(packet[:n], pcm); err != nil {
					t.Fatal(err)
				}
				out = append(out, pcm[:n]...)
			}
			if len(out) != rates[1] {
				t.Errorf("%v: %d samples out of a second", rates, len(out))
			}
			mid := out[len(out)/4 : 3*len(out)/4]
			if p, other := Power(mid, freq, rates[1]), Power(mid, freq*1.3, rates[1]); p < 0.9 || other > 0.01 {
				t.Errorf("%v: %v Hz carries %.3f of the energy, %v Hz %.3f", rates, freq, p, freq*1.3, other)
			}
		}
	}
}

// A tone with every tenth packet lost must stay a tone: concealed it loses little, recovered still less.
func TestLossConcealment(t *testing.T) {
	for _, recover := range []bool{false, true} {
		enc, _ := NewEncoder(24000)
		dec, _ := NewDecoder(16000)
		speech := say(t, "we are open from nine to five on weekdays and from ten to two on saturdays", -20)
		up := NewResampler(16000, 24000)
		in := up.Flush(up.Process(speech, nil))
		whole, _ := NewDecoder(16000)
		var packets [][]byte
		var want []int16
		pcm := make([]int16, 320)
		for ; len(in) >= 480; in = in[480:] {
			buf := make([]byte, MaxPacket)
			n, err := enc.Encode(in[:480], buf)
			if err != nil {
				t.Fatal(err)
			}
			packets = append(packets, buf[:n])
			if _, err := whole.Decode(buf[:n], pcm); err != nil {
				t.Fatal(err)
			}
			want = append(want, pcm...)
		}
		var lostEnergy, keptEnergy float64
		for i := range packets {
			lost := i%10 == 5
			var err error
			switch {
			case lost && recover && i+1 < len(packets):
				err = dec.DecodeFEC(packets[i+1], pcm)
			case lost:
				err = dec.Conceal(pcm)
			default:
				_, err = dec.Decode(packets[i], pcm)
			}
			if err != nil {
				t.Fatal(err)
			}
			if lost {
				lostEnergy += math.Pow(RMS(pcm), 2)
				keptEnergy += math.Pow(RMS(want[i*320:(i+1)*320]), 2)
			}
		}
		ratio := lostEnergy / keptEnergy
		t.Logf("recover %v: lost frames come back with %.2f of their energy", recover, ratio)
		if ratio < 0.3 || ratio > 2 {
			t.Errorf("recover %v: lost frames came back with %.2f of their energy", recover, ratio)
		}
	}
}

// Speech is encoded by transform, which is the cheaper way, while no losses are expected (RFC 6716, section 3.1: from 16
// on, the configuration of a packet is CELT).
func TestTransformWithoutLosses(t *testing.T) {
	speech := say(t, "we are open from nine to five on weekdays", -20)
	for percent, want := range map[int]bool{0: true, UsualLoss: false} {
		enc, _ := NewEncoder(16000)
		if err := enc.ExpectLoss(percent); err != nil {
			t.Fatal(err)
		}
		packet := make([]byte, MaxPacket)
		for in := speech; len(in) >= 320; in = in[320:] {
			if _, err := enc.Encode(in[:320], packet); err != nil {
				t.Fatal(err)
			}
			if transform := packet[0]>>3 >= 16; transform != want {
				t.Fatalf("%d %% expected: encoded by transform: %t", percent, transform)
			}
		}
	}
}

// The first frame of a tone is lost: concealment has no earlier audio.
func TestExpectedLossDecidesCorrection(t *testing.T) {
	for percent, want := range map[int]bool{0: false, UsualLoss: true, 25: true} {
		enc, _ := NewEncoder(24000)
		dec, _ := NewDecoder(24000)
		if err := enc.ExpectLoss(percent); err != nil {
			t.Fatal(err)
		}
		sound := append(make([]int16, 20*480), Tone(300, 24000, 40*time.Millisecond)...)
		var packets [][]byte
		for i := 0; i < len(sound); i += 480 {
			packet := make([]byte, MaxPacket)
			n, err := enc.Encode(sound[i:i+480], packet)
			if err != nil {
				t.Fatal(err)
			}
			packets = append(packets, packet[:n])
		}
		pcm := make([]int16, 480)
		for _, packet := range packets[:20] {
			if _, err := dec.Decode(packet, pcm); err != nil {
				t.Fatal(err)
			}
		}
		if err := dec.DecodeFEC(packets[21], pcm); err != nil {
			t.Fatal(err)
		}
		if corrected := Level(pcm) > -40; corrected != want {
			t.Errorf("%d %% of loss expected: a lost frame comes back at %.0f dBFS", percent, Level(pcm))
		}
	}
}

func TestConcealmentFades(t *testing.T) {
	enc, _ := NewEncoder(16000)
	dec, _ := NewDecoder(16000)
	tone, packet, pcm := Tone(300, 16000, time.Second), make([]byte, MaxPacket), make([]int16, 320)
	for i := 0; i < len(tone)/2; i += 320 {
		n, err := enc.Encode(tone[i:i+320], packet)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dec.Decode(packet[:n], pcm); err != nil {
			t.Fatal(err)
		}
	}
	before := Level(pcm)
	for i := range 50 {
		if err := dec.Conceal(pcm); err != nil {
			t.Fatal(err)
		}
		if i == 0 && Level(pcm) < before-6 {
			t.Errorf("the first lost frame fell from %.1f to %.1f dBFS", before, Level(pcm))
		}
	}
	if Level(pcm) > -60 {
		t.Errorf("a second after the last packet there is still sound at %.1f dBFS", Level(pcm))
	}
}

func TestOpusRefusesNonsense(t *testing.T) {
	if _, err := NewEncoder(22050); err == nil {
		t.Error("an encoder at 22,050 Hz")
	}
	if _, err := NewDecoder(44100); err == nil {
		t.Error("a decoder at 44,100 Hz")
	}
	enc, _ := NewEncoder(24000)
	if _, err := enc.Encode(make([]int16, 100), make([]byte, MaxPacket)); err == nil {
		t.Error("encoded a frame of 100 samples")
	}
	dec, _ := NewDecoder(16000)
	if _, err := dec.Decode(nil, make([]int16, 320)); err == nil {
		t.Error("decoded an empty packet")
	}
	if _, err := dec.Decode([]byte{0xff, 0xff, 0xff}, make([]int16, 320)); err == nil {
		t.Error("decoded garbage")
	}
}

func TestFramePathAllocatesNothing(t *testing.T) {
	enc, _ := NewEncoder(24000)
	dec, _ := NewDecoder(16000)
	vad, up := NewVAD(VADOptions{}), NewResampler(16000, 24000)
	var jitter Jitter
	tone := Tone(440, 24000, 20*time.Millisecond)
	packet, pcm, wide := make([]byte, MaxPacket), make([]int16, 1920), make([]int16, 0, 1000)
	var seq uint16
	step := func() {
		n, err := enc.Encode(tone, packet)
		if err != nil {
			t.Fatal(err)
		}
		seq++
		jitter.Push(seq, packet[:n])
		payload, _, ok := jitter.Next()
		if !ok {
			t.Fatal("no packet came out of order's keeping")
		}
		if n, err = dec.Decode(payload, pcm); err != nil {
			t.Fatal(err)
		}
		vad.Push(pcm[:n])
		wide = up.Process(pcm[:n], wide[:0])
		if err := dec.Conceal(pcm[:320]); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func BenchmarkFrame(b *testing.B) {
	vad, up := NewVAD(VADOptions{}), NewResampler(16000, 24000)
	tone := Tone(440, 16000, 20*time.Millisecond)
	wide := make([]int16, 0, 1000)
	b.Run("VAD", func(b *testing.B) {
		for b.Loop() {
			vad.Push(tone)
		}
	})
	b.Run("Resample", func(b *testing.B) {
		for b.Loop() {
			wide = up.Process(tone, wide[:0])
		}
	})
}
