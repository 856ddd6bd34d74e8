package deploy

import (
	"os"
	"path/filepath"
	"testing"
)

// The packages of the clients in dist/ are found by Node and Python as they are installed, and can be imported.
func TestPackagesOfClients(t *testing.T) {
	packed, wheel := onlyFile(t, "parley-client-*.tgz"), onlyFile(t, "parley_client-*.whl")
	folder := t.TempDir()
	module := filepath.Join(folder, "node_modules", "parley-client")
	if err := os.MkdirAll(module, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, "tar", "-xzf", packed, "-C", module, "--strip-components=1")
	program := filepath.Join(folder, "import.mjs")
	text := "import { Parley } from 'parley-client';\nif (!new Parley({ baseUrl: 'http://127.0.0.1' }).calls.start) process.exit(1);\n"
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "node", program)
	run(t, "python3", "-c", "import sys; sys.path.insert(0, '"+wheel+"'); import parley; parley.Parley('http://127.0.0.1').calls.start")
}

// onlyFile is the one file of dist/ that a pattern fits.
func onlyFile(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "dist", pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("dist/ has %d files %s: run make dist", len(found), pattern)
	}
	path, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}
