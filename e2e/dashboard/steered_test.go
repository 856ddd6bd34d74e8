package dashboard

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley/e2e/binary"
)

// A page that is open while the server restarts shows that it is unreachable, and continues when it responds again. A session
// that has ended leads to the sign-in page, which says so.
func TestServerRestarts(t *testing.T) {
	dir := t.TempDir()
	screenshots := cmp.Or(os.Getenv("PARLEY_SCREENSHOTS"), dir)
	program, err := binary.Path(dir)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	settings["PARLEY_DEMO"] = "true"
	start := func() *binary.Server {
		s, err := binary.Start(program, filepath.Join(dir, "data"), settings)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := start()
	t.Cleanup(func() { s.Kill() })
	signIn := printedSignIn(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "steered/restart.mjs", s.URL, signIn[1], signIn[2], screenshots)
	steer(t, node, map[string]func() error{
		"stop":  func() error { return s.Stop() },
		"start": func() error { s = start(); return nil },
	})
}

// steer runs a tour that asks for actions by their names. What else it prints is a problem.
func steer(t *testing.T, tour *exec.Cmd, actions map[string]func() error) {
	t.Helper()
	answers, err := tour.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	asked, err := tour.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	tour.Stderr = os.Stderr
	if err := tour.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(asked); lines.Scan(); {
		action := actions[lines.Text()]
		if action == nil {
			t.Error(lines.Text())
			continue
		}
		if err := action(); err != nil {
			t.Errorf("%s: %v", lines.Text(), err)
		}
		fmt.Fprintln(answers)
	}
	if err := tour.Wait(); err != nil {
		t.Error(err)
	}
}
