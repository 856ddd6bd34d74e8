// Package dashboard uses the dashboard of the running binary in a browser.
package dashboard

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"parley/e2e/binary"
)

// limit bounds the whole tour, on a machine with much else to do.
const limit = 10 * time.Minute

// Sign in, make an agent, talk to it in writing, see both sides' words, find the call; no page has a serious violation of
// axe-core's rules, an error on the console or one of the content security policy. PARLEY_SCREENSHOTS is where screenshots
// of every page go.
func TestTour(t *testing.T) {
	dir := t.TempDir()
	program, err := binary.Path(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := binary.Start(program, filepath.Join(dir, "data"), map[string]string{"PARLEY_DEMO": "true"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	printed := regexp.MustCompile(`e-mail\s+(\S+)\s+password\s+(\S+)`)
	signIn := printed.FindStringSubmatch(s.Out.String())
	for ; signIn == nil; signIn = printed.FindStringSubmatch(s.Out.String()) { // printed when the server is ready already
		select {
		case <-ctx.Done():
			t.Fatalf("the server prints no sign-in:\n%s", s.Out.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
	screenshots := os.Getenv("PARLEY_SCREENSHOTS")
	if screenshots == "" {
		screenshots = filepath.Join(dir, "screenshots")
	}
	if err := os.MkdirAll(screenshots, 0o755); err != nil {
		t.Fatal(err)
	}
	tour := exec.CommandContext(ctx, "node", "tour.mjs", s.URL, signIn[1], signIn[2], screenshots)
	if out, err := tour.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
