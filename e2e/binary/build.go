package binary

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Path is the binary under test: that of PARLEY_BIN, else built from this checkout into dir.
func Path(dir string) (string, error) {
	if given := os.Getenv("PARLEY_BIN"); given != "" {
		return filepath.Abs(given)
	}
	path := filepath.Join(dir, "parley")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", path, "parley/cmd/parley").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build parley: %w\n%s", err, out)
	}
	return path, nil
}
