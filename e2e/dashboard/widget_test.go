package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/client"
	"parley/e2e/binary"
)

// A page of another origin has <parley-agent>, with a content security policy that permits this server and nothing inline.
func TestWidget(t *testing.T) {
	dir := t.TempDir()
	program, err := binary.Path(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := startDemo(t, program)
	key, err := os.ReadFile(filepath.Join(s.Dir, "demo-api-key"))
	if err != nil {
		t.Fatal(err)
	}
	api := client.New(s.URL, strings.TrimSpace(string(key)))
	token := ""
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src %s; connect-src %s %s", s.URL, s.URL, strings.Replace(s.URL, "http", "ws", 1)))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		attributes := ""
		for name, values := range r.URL.Query() {
			attributes += fmt.Sprintf(" %s=\"%s\"", name, html.EscapeString(values[0]))
		}
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><script type="module" src="%s/widget.js"></script><main><h1>Shop</h1><parley-agent token="%s"%s></parley-agent></main></html>`, s.URL, token, attributes)
	}))
	t.Cleanup(page.Close)
	question := recordQuestion(t, filepath.Join(dir, "question.wav"))
	screenshots := cmp.Or(os.Getenv("PARLEY_SCREENSHOTS"), dir)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	create := func(origin string, maxSeconds int) *client.PublicToken {
		workflow := "demo"
		made, err := api.PublicTokens.Create(ctx, client.NewPublicToken{WorkflowSlug: &workflow, Origins: []string{origin}, MaxSeconds: &maxSeconds})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	use := func(t *testing.T, way string) {
		t.Helper()
		node := exec.CommandContext(ctx, "node", "steered/widget.mjs", page.URL, way, "", screenshots)
		node.Env = append(os.Environ(), "QUESTION="+question)
		if out, err := node.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	made := create(page.URL, 300)
	token = made.Token
	for _, way := range []string{"text", "voice", "refused"} {
		t.Run(way, func(t *testing.T) { use(t, way) })
	}
	t.Run("max_seconds", func(t *testing.T) {
		token = create(page.URL, 10).Token
		use(t, "limited")
		token = made.Token
		calls, err := api.Calls.List(ctx, client.CallQuery{StatusReason: "max_duration"})
		if err != nil || calls.Total != 1 {
			t.Errorf("calls that lasted too long: %+v, %v", calls, err)
		}
	})
	t.Run("revoked", func(t *testing.T) {
		if err := api.PublicTokens.Revoke(ctx, made.ID); err != nil {
			t.Fatal(err)
		}
		use(t, "unauthorized")
	})
	t.Run("other origin", func(t *testing.T) {
		token = create("https://www.example.com", 300).Token
		use(t, "unauthorized")
	})
}
