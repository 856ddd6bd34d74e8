package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What fails once passes with a note; what fails twice fails the run.
func TestRunAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, body string
		ok         bool
		want       string
	}{
		{"fails once", `if err := os.Mkdir("ran", 0o700); err == nil { t.Fatal("the first time") }`, true, "1 passed, 0 failed"},
		{"fails twice", `os.Mkdir("ran", 0o700); t.Fatal("each time")`, false, "0 passed, 1 failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, content := range map[string]string{
				"go.mod":    "module sample\n",
				"x_test.go": "package sample\n\nimport (\"os\"; \"testing\")\n\nfunc TestSample(t *testing.T) {" + test.body + "}\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			r := &results{out: &out}
			s := suite{packages: []string{"sample"}, dir: dir}
			s.run(t.Context(), nil, r)
			r.runAgain(t.Context(), nil)
			if ok := r.report(0); ok != test.ok || !strings.Contains(out.String(), test.want) {
				t.Errorf("passed: %v, want %v and %q in\n%s", ok, test.ok, test.want, out.String())
			}
			if noted := strings.Contains(out.String(), "passed alone"); noted != test.ok {
				t.Errorf("noted: %v in\n%s", noted, out.String())
			}
		})
	}
}
