package app

import (
	"math"
	"strings"
	"testing"
)

func TestCheckDisk(t *testing.T) {
	folder := t.TempDir()
	if err := checkDisk(folder, 1); err != nil {
		t.Error(err)
	}
	if err := checkDisk(folder, math.MaxUint64); err == nil || !strings.Contains(err.Error(), "PARLEY_DATA_DIR is full") {
		t.Errorf("a full disk: %v", err)
	}
	if err := checkDisk(folder+"/none", 1); err == nil {
		t.Error("a folder that does not exist is healthy")
	}
}
