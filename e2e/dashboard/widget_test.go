package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/client"
	"parley/e2e/binary"
)

// shop is a page of another origin with <parley-agent>, whose attributes are in its query. Its content security policy permits the server
// and nothing inline.
type shop struct {
	*httptest.Server
	screenshots, question string
	mu                    sync.Mutex
	token                 string
}

func newShop(t *testing.T, server string) *shop {
	t.Helper()
	dir := t.TempDir()
	s := &shop{screenshots: cmp.Or(os.Getenv("PARLEY_SCREENSHOTS"), dir), question: recordQuestion(t, filepath.Join(dir, "question.wav"))}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src %s; connect-src %s %s", server, server, strings.Replace(server, "http", "ws", 1)))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		attributes := ""
		for name, values := range r.URL.Query() {
			attributes += fmt.Sprintf(" %s=\"%s\"", name, html.EscapeString(values[0]))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><script type="module" src="%s/widget.js"></script><main><h1>Shop</h1><parley-agent token="%s"%s></parley-agent></main></html>`, server, s.token, attributes)
	}))
	t.Cleanup(s.Close)
	return s
}

// allow makes a public token for the demo workflow, which the page has from then on.
func (s *shop) allow(t *testing.T, api *client.Client, origin string, maxSeconds int) *client.PublicToken {
	t.Helper()
	workflow := "demo"
	made, err := api.PublicTokens.Create(t.Context(), client.NewPublicToken{WorkflowSlug: &workflow, Origins: []string{origin}, MaxSeconds: &maxSeconds})
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = made.Token
	return made
}

// use uses the element in a way of steered/widget.mjs.
func (s *shop) use(t *testing.T, way string, actions map[string]func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "steered/widget.mjs", s.URL, way, "", s.screenshots)
	node.Env = append(os.Environ(), "QUESTION="+s.question)
	steer(t, node, actions)
}

// A page of another origin has <parley-agent>, with a content security policy that permits this server and nothing inline.
func TestWidget(t *testing.T) {
	program, err := binary.Path(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, _ := startDemo(t, program)
	page := newShop(t, s.URL)
	made := page.allow(t, s.API, page.URL, 300)
	for _, way := range []string{"text", "voice", "refused", "languages"} {
		t.Run(way, func(t *testing.T) { page.use(t, way, nil) })
	}
	t.Run("max_seconds", func(t *testing.T) {
		page.allow(t, s.API, page.URL, 10)
		page.use(t, "limited", nil)
		calls, err := s.API.Calls.List(t.Context(), client.CallQuery{StatusReason: "max_duration"})
		if err != nil || calls.Total != 1 {
			t.Errorf("calls that lasted too long: %+v, %v", calls, err)
		}
	})
	t.Run("revoked", func(t *testing.T) {
		if err := s.API.PublicTokens.Revoke(t.Context(), made.ID); err != nil {
			t.Fatal(err)
		}
		page.mu.Lock()
		page.token = made.Token
		page.mu.Unlock()
		page.use(t, "unauthorized", nil)
	})
	t.Run("other origin", func(t *testing.T) {
		page.allow(t, s.API, "https://www.example.com", 300)
		page.use(t, "unauthorized", nil)
	})
}

// The server is restarted before the first conversation, and during one. The page says what is the matter, and talks to the agent
// again.
func TestWidgetWhileServerRestarts(t *testing.T) {
	dir := t.TempDir()
	program, err := binary.Path(dir)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	settings["PARLEY_DEMO"] = "true"
	var s *binary.Server
	start := func() error {
		s, err = binary.Start(program, filepath.Join(dir, "data"), settings)
		return err
	}
	if err := start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Kill() })
	page := newShop(t, s.URL)
	page.allow(t, s.API, page.URL, 300)
	page.use(t, "restarted", map[string]func() error{"stop": func() error { s.Kill(); return nil }, "start": start})
}

// The caller's network is away for a while in a conversation. The page says so, and the conversation goes on.
func TestWidgetWithoutNetwork(t *testing.T) {
	program, err := binary.Path(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	settings, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	network := newNetwork(t, settings["PARLEY_ADDR"])
	settings["PARLEY_DEMO"], settings["PARLEY_PUBLIC_URL"] = "true", network.url
	s, err := binary.Start(program, filepath.Join(t.TempDir(), "data"), settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	page := newShop(t, network.url)
	page.allow(t, s.API, page.URL, 300)
	page.use(t, "offline", map[string]func() error{"disconnect": network.disconnect, "connect": network.connect})
}

// network is a port that leads to a server, or to nothing.
type network struct {
	url    string
	mu     sync.Mutex
	away   bool
	opened []net.Conn
}

func newNetwork(t *testing.T, server string) *network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	n := &network{url: "http://" + l.Addr().String()}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			n.mu.Lock()
			if n.away {
				near.Close()
			} else {
				n.opened = append(n.opened, near)
				go relay(near, "tcp", server)
			}
			n.mu.Unlock()
		}
	}()
	return n
}

// disconnect ends all connections, and those that are opened later.
func (n *network) disconnect() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.away = true
	for _, c := range n.opened {
		c.Close()
	}
	n.opened = nil
	return nil
}

func (n *network) connect() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.away = false
	return nil
}
