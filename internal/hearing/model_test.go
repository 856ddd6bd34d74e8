package hearing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/hearing"
	"parley/internal/hearing/corpus"
)

// zeros returns whole numbers as in the file of an RNNoise model.
func zeros(n int) string { return strings.Repeat("0 ", n) + "\n" }

// rnnoiseModel returns an RNNoise model whose probability is the logistic function of a bias, in units of 1/256.
func rnnoiseModel(bias string) string {
	recurrent := "1 1 0\n" + zeros(3) + zeros(3) + zeros(3)
	return "rnnoise-nu model file version 1\n42 1 0\n" + zeros(42) + zeros(1) + recurrent + recurrent + recurrent + "1 1 1\n0\n0\n1 1 1\n0\n" + bias + "\n"
}

// speechIn returns the highest probability of speech in a voice.
func speechIn(t *testing.T, m hearing.Model) (highest float64) {
	t.Helper()
	voice, err := corpus.Voice(corpus.Held, "ru", 1, 3, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	l := hearing.New(m.Options())
	for i, pcm := 0, voice.PCM(); (i+1)*frame <= len(pcm); i++ {
		_, e := l.Push(pcm[i*frame:(i+1)*frame], start.Add(time.Duration(i)*20*time.Millisecond))
		highest = max(highest, e.Speech)
	}
	return highest
}

// An RNNoise model is a second opinion: one that finds no voice makes speech improbable, one that finds it everywhere leaves
// it as it is. Each call has its own state of the model.
func TestRNNoiseModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.rnnn")
	load := func(bias string) hearing.Model {
		t.Helper()
		if err := os.WriteFile(path, []byte(rnnoiseModel(bias)), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := hearing.LoadModel(path)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if p := speechIn(t, hearing.Model{}); p < 0.95 {
		t.Errorf("speech is %.3f probable to the built-in network", p)
	}
	if p := speechIn(t, load("2560")); p < 0.95 { // 10
		t.Errorf("speech is %.3f probable where the model finds it everywhere", p)
	}
	if p := speechIn(t, load("-2560")); p > 0.01 {
		t.Errorf("speech is %.3f probable where the model finds none", p)
	}
	m := load("0")
	if a, b := m.Options().Classifier, m.Options().Classifier; a == b {
		t.Error("two calls have one classifier")
	}
}

func TestLoadModelErrors(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct{ content, want string }{
		"ONNX":              {"\x08\x07\x12\x07pytorch", "is neither a network of tools/hearing nor an RNNoise model"},
		"an old RNNoise":    {"rnnoise-nu model file version 0\n", `not "rnnoise-nu model file version 1"`},
		"a cut-off RNNoise": {rnnoiseModel("1")[:200], "ends within layer"},
		"an old network":    {`{"mean":[0],"scale":[1],"hidden":[[1]],"bias":[0],"output":[1],"offset":0}`, "is for 1 features, not the 34"},
		"a huge file":       {strings.Repeat(" ", 8<<20+1), "more than 8388608"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "model")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := hearing.LoadModel(path)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %q of %s", err, tc.want, path)
			}
		})
	}
}
