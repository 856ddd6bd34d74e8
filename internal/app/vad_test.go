package app

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/config"
)

func TestVADModel(t *testing.T) {
	if _, err := loadVADModel(""); err != nil {
		t.Errorf("without a model: %v", err)
	}
	_, err := loadVADModel(filepath.Join(t.TempDir(), "absent"))
	var invalid *config.Error
	if !errors.As(err, &invalid) || invalid.Variable != "PARLEY_VAD_MODEL" || !strings.Contains(invalid.Problem, "no such file") || strings.Contains(invalid.Problem, "\n") {
		t.Errorf("error %v, want one of PARLEY_VAD_MODEL", err)
	}
}
