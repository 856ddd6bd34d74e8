package binary

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// RunTests runs the tests of a package with the binary under test, whose path it stores in program, and returns the exit code.
func RunTests(m interface{ Run() int }, program *string) int {
	dir, err := os.MkdirTemp("", "parley-binary-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if *program, err = Path(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

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
