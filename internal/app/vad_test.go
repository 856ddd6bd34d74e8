package app

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/config"
	network "parley/internal/hearing/speech"
)

func TestVADModel(t *testing.T) {
	small := network.Network{Bias: []float32{0}, Output: []float32{1}, Hidden: make([][network.Inputs]float32, 1)}
	for i := range small.Scale {
		small.Scale[i] = 1
	}
	valid, err := json.Marshal(small)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "vad.json")
	for _, tc := range []struct{ name, path, content, problem string }{
		{"none", "", "", ""},
		{"valid", path, string(valid), ""},
		{"broken", path, "\x08\x07\x12\x07pytorch", "is no network"},
		{"absent", path + ".absent", "", "no such file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			n, err := loadVADModel(tc.path)
			if tc.problem == "" {
				if err != nil || n == nil {
					t.Errorf("network %v, error %v", n, err)
				}
				return
			}
			var invalid *config.Error
			if !errors.As(err, &invalid) || invalid.Variable != "PARLEY_VAD_MODEL" || !strings.Contains(invalid.Problem, tc.problem) || strings.Contains(invalid.Problem, "\n") {
				t.Errorf("error %v, want one of PARLEY_VAD_MODEL with %q", err, tc.problem)
			}
		})
	}
}
