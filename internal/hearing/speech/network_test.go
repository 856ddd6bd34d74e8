package speech_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/hearing/speech"
)

func TestLoad(t *testing.T) {
	n := speech.Network{Bias: []float32{0}, Output: []float32{1}, Hidden: make([][speech.Inputs]float32, 1), Offset: 2}
	for i := range n.Scale {
		n.Scale[i] = 1
	}
	small, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "network.json")
	load := func(content string) (*speech.Network, error) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return speech.Load(path)
	}
	loaded, err := load(string(small))
	if err != nil {
		t.Fatal(err)
	}
	if p := speech.NewClassifier(loaded).Classify(make([]int16, 320)); p < 0.88 || p > 0.89 {
		t.Errorf("probability %v, not that of the offset 2", p)
	}
	for content, want := range map[string]string{
		"ONNX": "is no network", "{}": "0 hidden units",
		strings.Replace(string(small), `"bias":[0]`, `"bias":[]`, 1): "0 biases",
	} {
		if _, err := load(content); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%.20q is refused with %v, not %q", content, err, want)
		}
	}
}
