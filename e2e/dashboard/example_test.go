package dashboard

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/e2e/binary"
)

// A page with LiveKit's own components shows the state and the transcript of a Parley agent.
func TestWebTalkExample(t *testing.T) {
	dir := t.TempDir()
	program, err := binary.Path(dir)
	if err != nil {
		t.Fatal(err)
	}
	const example = "../../examples/web-talk"
	if _, err := os.Stat(filepath.Join(example, "dist", "index.html")); err != nil {
		t.Fatalf("the example is not built: make %s/dist/index.html", strings.TrimPrefix(example, "../../"))
	}
	s, _ := startDemo(t, program)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	pages := exec.CommandContext(ctx, "node", filepath.Join(example, "server.mjs"))
	pages.Env = append(os.Environ(), "PORT=0", "PARLEY="+s.URL, "PARLEY_API_KEY_FILE="+filepath.Join(s.Dir, "demo-api-key"))
	pages.Stderr = os.Stderr
	out, err := pages.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := pages.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = pages.Wait()
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the example's server prints no address: %v", err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	screenshots := cmp.Or(os.Getenv("PARLEY_SCREENSHOTS"), dir)
	if out, err := exec.CommandContext(ctx, "node", "steered/web-talk.mjs", strings.TrimSpace(address), "", "", screenshots).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
