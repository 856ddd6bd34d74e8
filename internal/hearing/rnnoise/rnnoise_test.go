package rnnoise_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"parley/internal/hearing/rnnoise"
)

const (
	features = 42
	period   = 40 // the feature of the pitch's period
)

// numbers returns n whole numbers, 0 but for those given.
func numbers(n int, set map[int]int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(set[i])
	}
	return strings.Join(all, " ") + "\n"
}

// tiny returns a model whose output is the logistic function of 2 plus the feature of the period. Its unit of memory moves
// half of the way in 10 ms.
func tiny() string {
	const one = 256
	empty := "1 1 0\n" + numbers(3, nil) + numbers(3, nil) + numbers(3, nil)
	return "rnnoise-nu model file version 1\n" +
		"42 2 2\n" + numbers(features*2, map[int]int{period * 2: one}) + numbers(2, map[int]int{0: 2 * one}) +
		"2 2 2\n" + numbers(2*6, map[int]int{4: one}) + numbers(2*6, nil) + numbers(6, nil) +
		empty + empty + "1 1 1\n0\n0\n" +
		"2 1 1\n" + numbers(2, map[int]int{0: one}) + "0\n"
}

// hertz returns a frame of a tone with two harmonics, from a sample on.
func hertz(pitch float64, at int) []int16 {
	frame := make([]int16, 320)
	for i := range frame {
		t := float64(at+i) / 16000
		for harmonic := range 3 {
			frame[i] += int16(3000 * math.Sin(2*math.Pi*pitch*float64(harmonic+1)*t))
		}
	}
	return frame
}

func TestClassify(t *testing.T) {
	m, err := rnnoise.Parse([]byte(tiny()))
	if err != nil {
		t.Fatal(err)
	}
	for _, pitch := range []float64{100, 160, 200, 250, 400} {
		c := m.NewClassifier()
		var got float64
		for i := range 50 {
			got = c.Classify(hertz(pitch, i*320))
		}
		want := 1 / (1 + math.Exp(-(2 + 0.01*(48000/pitch-300))))
		if math.Abs(got-want) > 0.01 {
			t.Errorf("a voice of %v Hz: probability %.3f, want %.3f", pitch, got, want)
		}
		for range 20 {
			got = c.Classify(make([]int16, 320))
		}
		if got != 0 {
			t.Errorf("silence: probability %.3f, want 0", got)
		}
	}
}

// A frame that is cut short counts as one with silence at its end.
func TestShortFrames(t *testing.T) {
	m, err := rnnoise.Parse([]byte(tiny()))
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{0, 1, 159, 161, 319} {
		if p := m.NewClassifier().Classify(hertz(200, 0)[:length]); p < 0 || p > 1 {
			t.Errorf("%d samples: probability %v", length, p)
		}
	}
}

func TestParseErrors(t *testing.T) {
	model := tiny()
	for name, tc := range map[string]struct{ file, want string }{
		"another version":     {strings.Replace(model, "version 1", "version 2", 1), `not "rnnoise-nu model file version 1"`},
		"empty":               {"", "begins with"},
		"cut off":             {model[:len(model)/2], "ends within layer input_dense"},
		"without a layer":     {model[:strings.LastIndex(model, "2 1 1")], "ends within layer vad_output"},
		"text":                {strings.Replace(model, "42 2 2\n0", "42 2 2\nx", 1), `has "x" in layer input_dense`},
		"a huge layer":        {strings.Replace(model, "42 2 2", "42 9999 2", 1), "42 inputs and 9999 units"},
		"an empty layer":      {strings.Replace(model, "42 2 2", "42 0 2", 1), "42 inputs and 0 units"},
		"another activation":  {strings.Replace(model, "42 2 2", "42 2 3", 1), "unknown activation function 3"},
		"other features":      {strings.Replace(model, "42 2 2\n0 0 ", "41 2 2\n", 1), "41 features, not 42"},
		"more than a model":   {model + "7\n", "1 values after the last layer"},
		"layers that misfit":  {strings.Replace(model, "2 1 1\n256 0\n", "1 1 1\n256\n", 1), "do not fit"},
		"a number of 17 bits": {strings.Replace(model, "256", "65536", 1), `has "65536"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := rnnoise.Parse([]byte(tc.file)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestClassifyAllocatesNothing(t *testing.T) {
	m, err := rnnoise.Parse([]byte(tiny()))
	if err != nil {
		t.Fatal(err)
	}
	c, frame := m.NewClassifier(), hertz(200, 0)
	if n := testing.AllocsPerRun(100, func() { c.Classify(frame) }); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// BenchmarkClassify runs a model as large as the published ones: 24 units.
func BenchmarkClassify(b *testing.B) {
	empty := "1 1 0\n" + numbers(3, nil) + numbers(3, nil) + numbers(3, nil)
	file := "rnnoise-nu model file version 1\n" + "42 24 0\n" + numbers(42*24+24, nil) + "24 24 2\n" + numbers(24*72+24*72+72, nil) +
		empty + empty + "1 1 1\n0\n0\n" + "24 1 1\n" + numbers(24, nil) + "0\n"
	m, err := rnnoise.Parse([]byte(file))
	if err != nil {
		b.Fatal(err)
	}
	c, frame := m.NewClassifier(), hertz(200, 0)
	b.ReportAllocs()
	for b.Loop() {
		c.Classify(frame)
	}
}
