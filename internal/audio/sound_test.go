package audio

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// say returns flite's voice at 16 kHz, scaled to the given level of its spoken parts in dBFS.
func say(t *testing.T, text string, level float64) []int16 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "say.wav")
	if out, err := exec.Command("flite", "-voice", "slt", "-t", text, "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("flite: %v %s", err, out)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pcm, err := ReadWAV(f, vadRate)
	if err != nil {
		t.Fatal(err)
	}
	start, end := spoken(pcm)
	gain := math.Pow(10, (level-Level(pcm[start:end]))/20)
	for i, v := range pcm {
		pcm[i] = clip(float32(float64(v) * gain))
	}
	return pcm
}

// spoken returns where speech begins and ends in a clean recording.
func spoken(pcm []int16) (start, end int) {
	const step = vadRate / 200 // 5 ms
	var peak float64
	for i := 0; i+step <= len(pcm); i += step {
		peak = max(peak, Level(pcm[i:i+step])+100)
	}
	for i := 0; i+step <= len(pcm); i += step {
		if Level(pcm[i:i+step])+100 > peak-30 {
			if start == 0 {
				start = i
			}
			end = i + step
		}
	}
	return start, end
}

// noise is steady noise of the given level in dBFS: white, or after a low-pass of one pole.
func noise(level float64, d time.Duration, pole float64) []int16 {
	random := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, int(d.Seconds()*vadRate))
	var last, sum float64
	for i := range x {
		last = pole*last + random.NormFloat64()
		x[i] = last
		sum += last * last
	}
	gain := 32768 * math.Pow(10, level/20) / math.Sqrt(sum/float64(len(x)))
	pcm := make([]int16, len(x))
	for i := range x {
		pcm[i] = clip(float32(gain * x[i]))
	}
	return pcm
}

func zeros(d time.Duration) []int16 { return make([]int16, int(d.Seconds()*vadRate)) }

// mix adds b to a, beginning at sample at.
func mix(a, b []int16, at int) []int16 {
	out := append([]int16(nil), a...)
	for i, v := range b {
		if at+i < len(out) {
			out[at+i] = clip(float32(out[at+i]) + float32(v))
		}
	}
	return out
}

func join(parts ...[]int16) (all []int16) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// overOpus sends pcm at 16 kHz through encoder and decoder, as a call does.
func overOpus(t *testing.T, pcm []int16) (out []int16) {
	t.Helper()
	enc, err := NewEncoder(vadRate)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := NewDecoder(vadRate)
	if err != nil {
		t.Fatal(err)
	}
	packet, heard := make([]byte, MaxPacket), make([]int16, 320)
	for ; len(pcm) >= 320; pcm = pcm[320:] {
		n, err := enc.Encode(pcm[:320], packet)
		if err != nil {
			t.Fatal(err)
		}
		if n, err = dec.Decode(packet[:n], heard); err != nil || n != 320 {
			t.Fatalf("decoded %d samples: %v", n, err)
		}
		out = append(out, heard...)
	}
	return out
}
