package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/netguard"
)

const (
	maxResponse = 1 << 20     // bytes of each response of a server
	farewell    = time.Second // to tell a server that a session has ended
)

// Connection is how a server is reached: guarded, with the headers as they are sent.
type Connection struct {
	URL     string
	Header  http.Header
	Timeout time.Duration
	HTTP    *http.Client
}

// Session is a session with a server.
type Session struct{ session *mcp.ClientSession }

// Open opens a session. Its errors are worded for the tenant.
func Open(ctx context.Context, c Connection) (*Session, error) {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	guarded := *c.HTTP
	guarded.Transport, guarded.Timeout = boundedTransport{c.HTTP.Transport, c.Header}, c.Timeout
	client := mcp.NewClient(&mcp.Implementation{Name: "parley", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	opened, err := client.Connect(limited, &mcp.StreamableClientTransport{
		Endpoint: c.URL, HTTPClient: &guarded, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxResponse,
	}, nil)
	if err != nil {
		return nil, explain(limited, c.Timeout, err)
	}
	return &Session{opened}, nil
}

// Close ends the session.
func (s *Session) Close() { _ = s.session.Close() }

// List returns the server's tools, as far as there is room; more reports that some were left out.
func (s *Session) List(ctx context.Context, timeout time.Duration) (tools []ListedTool, more bool, err error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	size := 0
	for offered, err := range s.session.Tools(limited, nil) {
		if err != nil {
			return nil, false, explain(limited, timeout, err)
		}
		t, ok := newTool(offered)
		if size += len(t.Name) + len(t.Description) + len(t.Parameters); !ok || size > maxListing || len(tools) == MaxTools {
			more = true
			if size > maxListing || len(tools) == MaxTools {
				break
			}
			continue
		}
		tools = append(tools, t)
	}
	return tools, more, nil
}

// newTool returns a tool; false if its parameters, or its name, are too large.
func newTool(offered *mcp.Tool) (ListedTool, bool) {
	parameters, err := json.Marshal(offered.InputSchema)
	t := ListedTool{Name: offered.Name, Description: offered.Description, Parameters: parameters}
	if text := []rune(t.Description); len(text) > maxDescription {
		t.Description = string(text[:maxDescription])
	}
	return t, err == nil && len(parameters) <= maxParameters && len(t.Name) <= 200
}

// SameSchema reports whether two JSON Schemas are the same, whatever the order of their keywords.
func SameSchema(a, b json.RawMessage) bool {
	var first, second any
	return json.Unmarshal(a, &first) == nil && json.Unmarshal(b, &second) == nil && reflect.DeepEqual(first, second)
}

// Result is the result of a tool.
type Result struct {
	Text   string
	Failed bool // the tool reports an error, which Text explains
}

// Call calls a tool. Its errors are worded for the tenant.
func (s *Session) Call(ctx context.Context, timeout time.Duration, name string, arguments json.RawMessage) (Result, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := s.session.CallTool(limited, &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return Result{}, explain(limited, timeout, err)
	}
	var texts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			texts = append(texts, c.Text)
		default:
			texts = append(texts, "(content that is not text was left out)")
		}
	}
	if len(texts) == 0 && r.StructuredContent != nil {
		if text, err := json.Marshal(r.StructuredContent); err == nil {
			texts = append(texts, string(text))
		}
	}
	return Result{Text: strings.Join(texts, "\n"), Failed: r.IsError}, nil
}

// explain returns why a server did not answer, in fixed words: its own text may name addresses, and contain anything.
func explain(limited context.Context, timeout time.Duration, err error) error {
	switch {
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no answer within %d ms", timeout.Milliseconds())
	case errors.Is(err, netguard.ErrRefused):
		return netguard.ErrRefused
	}
	for status, words := range map[string]string{
		http.StatusText(http.StatusUnauthorized): "it refuses the credential", http.StatusText(http.StatusForbidden): "it refuses the credential",
		http.StatusText(http.StatusNotFound): "there is no MCP server at the URL", http.StatusText(http.StatusMethodNotAllowed): "there is no MCP server at the URL",
	} {
		if strings.Contains(err.Error(), status) {
			return errors.New(words)
		}
	}
	if words := netguard.Text(err); words != err.Error() {
		return errors.New(netguard.Explain(err))
	}
	return errors.New("it does not answer as an MCP server")
}

// boundedTransport sets the headers of requests, and bounds responses.
type boundedTransport struct {
	http.RoundTripper
	header http.Header
}

func (b boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete { // the end of a session, which nothing depends on
		ctx, cancel := context.WithTimeout(r.Context(), farewell)
		defer cancel()
		r = r.WithContext(ctx)
	}
	r = r.Clone(r.Context())
	for name, values := range b.header {
		r.Header[name] = values
	}
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = boundedBody{io.LimitReader(answer.Body, maxResponse), answer.Body}
	}
	return answer, err
}

type boundedBody struct {
	io.Reader
	io.Closer
}

// Sessions are the sessions of one call, one with each server. The zero value has none.
type Sessions struct {
	mu      sync.Mutex
	entries map[string]*entry
	closed  bool
}

type entry struct {
	mu      sync.Mutex
	session *Session
}

// errEnded is the error of a session that is asked for after the call's end.
var errEnded = errors.New("the call has ended")

// With runs use with the call's session for a key, which open opens if there is none. A session that use returns an error of is
// closed, so that the next tool opens another.
func (s *Sessions) With(key string, open func() (*Session, error), use func(*Session) error) error {
	e := s.entry(key)
	if e == nil {
		return errEnded
	}
	e.mu.Lock()
	session := e.session
	if session == nil {
		var err error
		if session, err = open(); err != nil {
			e.mu.Unlock()
			return err
		}
		e.session = session
	}
	e.mu.Unlock()
	err := use(session)
	if err != nil {
		e.mu.Lock()
		if e.session == session {
			e.session = nil
		}
		e.mu.Unlock()
		session.Close()
	}
	return err
}

func (s *Sessions) entry(key string) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	if s.entries == nil {
		s.entries = map[string]*entry{}
	}
	if s.entries[key] == nil {
		s.entries[key] = &entry{}
	}
	return s.entries[key]
}

// Close ends the sessions. It may be called twice.
func (s *Sessions) Close() {
	s.mu.Lock()
	entries := s.entries
	s.entries, s.closed = nil, true
	s.mu.Unlock()
	for _, e := range entries {
		e.mu.Lock()
		if e.session != nil {
			e.session.Close()
			e.session = nil
		}
		e.mu.Unlock()
	}
}
