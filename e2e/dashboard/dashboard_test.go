// Package dashboard uses the dashboard of the running binary in a browser.
package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/internal/audio"
	"parley/internal/provider/emulator"
)

// limit bounds all tours together, on a machine with much else to do.
const limit = 15 * time.Minute

// Every file of this folder but lib.mjs is a tour of the dashboard on one server; no page has a serious violation of
// axe-core's rules, an error on the console or one of the content security policy. PARLEY_SCREENSHOTS is where screenshots of
// every page go.
func TestTour(t *testing.T) {
	dir := t.TempDir()
	program, err := binary.Path(dir)
	if err != nil {
		t.Fatal(err)
	}
	deepgram := emulator.NewDeepgram(t, emulator.Options{Key: "a-key-of-deepgram-1234"}, emulator.RecognizerScript{})
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"id":"order-%s"}`, path.Base(r.URL.Path))
	}))
	t.Cleanup(backend.Close)
	s, signIn := startDemo(t, program)
	screenshots := cmp.Or(os.Getenv("PARLEY_SCREENSHOTS"), filepath.Join(dir, "screenshots"))
	if err := os.MkdirAll(screenshots, 0o755); err != nil {
		t.Fatal(err)
	}
	const reader, readersPassword = "reader@example.com", "correct horse battery"
	create := exec.Command(program, "user", "create", "--data-dir", s.Dir, "--tenant", "demo", "--email", reader, "--password", "-", "--scopes", "calls:read")
	create.Stdin = strings.NewReader(readersPassword)
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	question := recordQuestion(t, filepath.Join(dir, "question.wav"))
	madeTest := filepath.Join(dir, "call.yaml")
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	tours, err := filepath.Glob("*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, tour := range tours {
		if tour == "lib.mjs" {
			continue
		}
		t.Run(strings.TrimSuffix(tour, ".mjs"), func(t *testing.T) {
			node := exec.CommandContext(ctx, "node", tour, s.URL, signIn[1], signIn[2], screenshots)
			node.Env = append(os.Environ(), "QUESTION="+question, "READER="+reader, "READER_PASSWORD="+readersPassword, "MADE_TEST="+madeTest, "BACKEND="+backend.URL, "DEEPGRAM="+deepgram.URL, "PARLEY="+program, "DATA_DIR="+s.Dir)
			if out, err := node.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			if tour == "analyses.mjs" {
				made, err := os.ReadFile(madeTest)
				for _, want := range []string{"outcome:", "booked: yes", `polite: ">= 9"`, "data.service: cleaning"} {
					if !strings.Contains(string(made), want) {
						t.Errorf("the test made of a call does not expect %s: %v\n%s", want, err, made)
					}
				}
			}
			if tour == "agents.mjs" {
				if out, err := exec.CommandContext(ctx, program, "eval", "--data-dir", s.Dir, "--tenant", "demo", madeTest).CombinedOutput(); err != nil {
					t.Errorf("the test made of a call: %v\n%s", err, out)
				}
			}
		})
	}
}

// startDemo starts a server with the demo tenant, and returns how its user signs in; see printedSignIn.
func startDemo(t *testing.T, program string) (s *binary.Server, signIn []string) {
	t.Helper()
	s, err := binary.Start(program, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_DEMO": "true"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s, printedSignIn(t, s)
}

var signInForm = regexp.MustCompile(`e-mail\s+(\S+)\s+password\s+(\S+)\s`)

// printedSignIn is the e-mail address and the password that a first start prints, after its address.
func printedSignIn(t *testing.T, s *binary.Server) []string {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(20 * time.Millisecond) {
		if found := signInForm.FindStringSubmatch(s.Out.String()); found != nil {
			return found
		}
	}
	t.Fatalf("the server prints no sign-in:\n%s", s.Out.String())
	return nil
}

// recordQuestion writes the microphone input of a caller who waits for the agent's greeting.
func recordQuestion(t *testing.T, path string) string {
	t.Helper()
	const rate, greeting = 16000, 8 * 16000
	if out, err := exec.Command("flite", "-voice", "slt", "-t", "What are your opening hours?", "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("flite: %v\n%s", err, out)
	}
	speech, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	pcm, err := audio.ReadWAV(speech, rate)
	speech.Close()
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := audio.WriteWAV(&file, append(make([]int16, greeting), pcm...), rate); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
