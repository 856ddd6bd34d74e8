// Package examples runs the programs of the folder examples beside the built binary, by the commands of their READMEs.
package examples

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/e2e/page"
)

// root is the checkout.
const root = "../.."

// patience bounds the wait for a condition, on a busy machine.
const patience = 3 * time.Minute

var (
	program string // the binary under test
	server  *binary.Server
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "parley-examples-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if program, err = binary.Path(dir); err == nil {
		server, err = binary.Start(program, filepath.Join(dir, "data"), nil)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code = m.Run()
	if err := server.Stop(); err != nil {
		fmt.Fprintf(os.Stderr, "the server: %v\n%s", err, server.Log.String())
		return 1
	}
	return code
}

// readme returns the blocks of an example's README in a language.
func readme(t *testing.T, example, language string) (texts []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "examples", example, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range page.Blocks(string(text)) {
		if b.Language == language {
			texts = append(texts, b.Text)
		}
	}
	if len(texts) == 0 {
		t.Fatalf("examples/%s/README.md has no block in %s", example, language)
	}
	return texts
}

func newShell(t *testing.T) *page.Shell {
	t.Helper()
	sh, err := page.NewShell(t.TempDir(), root, program, server)
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// output runs commands of a README, which have to succeed.
func output(t *testing.T, sh *page.Shell, commands string, env ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := sh.Run(ctx, commands, env...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := page.Accepted(out); err != nil {
		t.Error(err)
	}
	return out
}

// launch starts an example until the end of the test. Its words are those of the README's command after the settings;
// go run, which leaves its child behind when it is killed, is replaced by what it would run.
func launch(t *testing.T, sh *page.Shell, command string, settings map[string]string) *binary.Process {
	t.Helper()
	words := slices.DeleteFunc(strings.Fields(command), func(word string) bool { return strings.Contains(word, "=") })
	if words[0] == "go" {
		built := filepath.Join(t.TempDir(), "example")
		c := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", built, words[2])
		c.Dir = root
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		words = []string{built}
	} else {
		words[1] = filepath.Join(sh.Dir, words[1])
	}
	settings["PARLEY_SERVER"], settings["PARLEY_API_KEY"] = server.URL, server.Key
	p, err := binary.Launch(words[0], settings, words[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s\n%s%s", command, p.Out.String(), p.Log.String())
		}
	})
	return p
}

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("within %v not: %s", patience, what)
		}
	}
}

func awaitListener(t *testing.T, url string) {
	t.Helper()
	await(t, url+" is served", func() bool {
		answer, err := http.Post(url, "application/json", nil)
		if err != nil {
			return false
		}
		answer.Body.Close()
		return true
	})
}
