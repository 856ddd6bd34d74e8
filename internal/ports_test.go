package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// No test listens on a port of its choice, which another process may have. The programs that tests start are given free ports by
// binary.Launch, and tools/test takes the usual ones in CI.
func TestNoTestChoosesItsPort(t *testing.T) {
	chosen := regexp.MustCompile(`Listen(Packet|AndServe|TCP|UDP)?\([^\n]*(:[1-9][0-9]*"|Port: [1-9])`)
	files := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git" || entry.Name() == "third_party"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, "../e2e/") || !strings.HasSuffix(path, ".go"):
			return nil
		}
		files++
		source, err := os.ReadFile(path)
		for n, line := range strings.Split(string(source), "\n") {
			if chosen.MatchString(line) {
				t.Errorf("%s:%d: %s", path, n+1, strings.TrimSpace(line))
			}
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}
