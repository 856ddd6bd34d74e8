package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each test that docs/security.md names as the one that holds a defence exists.
func TestSecurityDocumentNamesTests(t *testing.T) {
	document, err := os.ReadFile("../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, root := range []string{".", "../e2e"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, match := range declared.FindAllStringSubmatch(string(source), -1) {
				tests[match[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(document), -1)
	for _, name := range named {
		if !tests[name[1]] {
			t.Errorf("docs/security.md names %s, which does not exist", name[1])
		}
	}
	if len(named) < 20 {
		t.Errorf("docs/security.md names %d tests", len(named))
	}
}
