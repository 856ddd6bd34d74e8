package contract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// clientCall is what a client is to do.
type clientCall struct {
	Operation   string            `json:"operation"`
	BaseURL     string            `json:"baseUrl"`
	APIKey      string            `json:"apiKey,omitempty"`
	AccessToken string            `json:"accessToken,omitempty"`
	Path        []string          `json:"path"`
	Body        any               `json:"body,omitempty"`
	Query       map[string]string `json:"query,omitempty"`
	Header      map[string]string `json:"header,omitempty"`  // described for the operation
	Headers     map[string]string `json:"headers,omitempty"` // of the client
}

// clientOutcome is what came of it.
type clientOutcome struct {
	Answer any
	Error  *clientError
	Broken string // no error of the client's own
}

type clientError struct {
	Class, Code, Message, RequestID string
	Status                          int
	Details                         []struct{ Field, Message string }
}

// clientDriver has a client do something.
type clientDriver func(t *testing.T, c clientCall) clientOutcome

// clientDrivers are the clients, each by a function that starts it.
var clientDrivers = map[string]func(t *testing.T, d *document) clientDriver{
	"go":             startGoClient,
	"typescript":     driver("node", "clients/driver.mjs"),
	"python":         driver("python3", "clients/driver.py"),
	"python asyncio": driver("python3", "clients/driver.py", "async"),
}

// driver is a client in a program of its own.
func driver(command ...string) func(t *testing.T, d *document) clientDriver {
	return func(t *testing.T, _ *document) clientDriver { return startProgram(t, command...) }
}

// startProgram starts a program that takes calls as lines and prints their outcomes.
func startProgram(t *testing.T, command ...string) clientDriver {
	t.Helper()
	for _, generated := range []string{"typescript/dist/index.js", "python/src/parley/types.py"} {
		if _, err := os.Stat(filepath.Join("..", "..", "clients", generated)); err != nil {
			t.Fatalf("%v: run make clients", err)
		}
	}
	program := exec.Command(command[0], command[1:]...)
	program.Stderr = os.Stderr
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := program.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(out)
	return func(t *testing.T, c clientCall) (outcome clientOutcome) {
		t.Helper()
		if err := json.NewEncoder(in).Encode(c); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%s: %v", c.Operation, err)
		}
		if err := json.Unmarshal(line, &outcome); err != nil {
			t.Fatalf("%s: %v in %s", c.Operation, err, line)
		}
		return outcome
	}
}

// Every operation is called from every client. What is sent is what the client was given, and what is answered is what it returns.
func TestClientsCallEveryOperation(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, nil, "--without=worker")
	for name, start := range clientDrivers {
		t.Run(name, func(t *testing.T) {
			seen := newRecorder(t, p.URL)
			call := start(t, p.document)
			for _, id := range slices.Sorted(maps.Keys(p.document.operations)) {
				if id == "metrics" {
					continue // read by Prometheus
				}
				t.Run(id, func(t *testing.T) { p.callFrom(t, name, call, seen, p.document.operations[id]) })
			}
		})
	}
}

// callFrom calls an operation from a client and compares what went over the wire.
func (p *platform) callFrom(t *testing.T, client string, call clientDriver, seen *recorder, op *operation) {
	fixture, in := fixtures[op.OperationID], input{}
	if fixture.make != nil {
		in = fixture.make(t, p.acme)
	}
	c := p.clientCall(op, in, seen.URL)
	if fixture.session {
		c.APIKey, c.AccessToken = "", p.acme.session("*")
	}
	seen.reset()
	outcome := call(t, c)
	if fixture.answers != 0 {
		if outcome.Error == nil || outcome.Error.Status != fixture.answers {
			t.Errorf("outcome %+v, want an error with status %d", outcome, fixture.answers)
		}
		return
	}
	if outcome.Error != nil || outcome.Broken != "" {
		t.Fatalf("%+v %s", outcome.Error, outcome.Broken)
	}
	request, answer := seen.last(t)
	if routed := p.document.route(request.method, request.path); routed != op {
		t.Fatalf("the request is %s %s", request.method, request.path)
	}
	if client == "go" {
		return // its bodies are compared with the description in the package client
	}
	if _, query, _ := strings.Cut(request.path, "?"); query != in.query {
		t.Errorf("the query is %q, want %q", query, in.query)
	}
	if file, ok := in.body.([]byte); ok {
		if !bytes.Equal(request.body, file) {
			t.Errorf("%d bytes are sent, want a file of %d", len(request.body), len(file))
		}
	} else {
		compareJSON(t, "body", raw(request.body), in.body)
	}
	if returned, ok := outcome.Answer.(map[string]any); ok && returned["page"] != nil {
		page, whole := returned["page"].(map[string]any), decoded(t, raw(answer)).(map[string]any)
		compareJSON(t, "items", page["items"], whole["items"])
		compareJSON(t, "total", page["total"], whole["total"])
	} else if ok && returned["first"] != nil {
		if len(returned["first"].([]any)) == 0 {
			t.Error("the stream has no messages")
		}
	} else if bytes.HasPrefix(answer, []byte("OggS")) {
		compareJSON(t, "length of the file", outcome.Answer, len(answer))
	} else {
		compareJSON(t, "answer", outcome.Answer, raw(answer))
	}
}

// clientCall is the call of an operation, by a client of the server at base, with the tenant's key.
func (p *platform) clientCall(op *operation, in input, base string) clientCall {
	c := clientCall{Operation: op.OperationID, BaseURL: base, APIKey: p.acme.key, Path: []string{}, Body: in.body, Query: map[string]string{}}
	if op.parameter() != "" {
		c.Path = []string{in.id}
	}
	if strings.Count(op.path, "{") > 1 {
		c.Path = append(c.Path, "1") // see operation.at
	}
	query, _ := url.ParseQuery(in.query)
	for name := range query {
		c.Query[name] = query.Get(name)
	}
	c.Header, c.Headers = map[string]string{}, map[string]string{}
	for name := range in.header {
		if op.Parameters.GetByInAndName("header", name) != nil {
			c.Header[name] = in.header.Get(name)
		} else {
			c.Headers[name] = in.header.Get(name)
		}
	}
	if in.header != nil {
		c.APIKey = "" // the headers are the credential
	}
	return c
}

// raw is a body as it was sent, nil for none.
func raw(body []byte) any {
	if len(body) == 0 {
		return nil
	}
	return json.RawMessage(body)
}

func compareJSON(t *testing.T, what string, have, want any) {
	t.Helper()
	if a, b := decoded(t, have), decoded(t, want); !reflect.DeepEqual(a, b) {
		t.Errorf("the %s is %v, want %v", what, a, b)
	}
}

// recorder is a proxy that keeps the last request and its answer.
type recorder struct {
	*httptest.Server
	mu     sync.Mutex
	sent   *request
	answer []byte
}

func newRecorder(t *testing.T, target string) *recorder {
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite:       func(p *httputil.ProxyRequest) { p.SetURL(to) },
		ModifyResponse: func(a *http.Response) error {
			if a.Header.Get("Content-Type") == eventStream {
				return nil
			}
			body, err := io.ReadAll(a.Body)
			a.Body = io.NopCloser(bytes.NewReader(body))
			r.mu.Lock()
			defer r.mu.Unlock()
			r.answer = body
			return err
		},
	}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		q.Body = io.NopCloser(bytes.NewReader(body))
		r.mu.Lock()
		r.sent = &request{method: q.Method, path: q.URL.RequestURI(), header: q.Header, body: body}
		r.mu.Unlock()
		proxy.ServeHTTP(w, q)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent, r.answer = nil, nil
}

// last returns the last request since the reset, and what it was answered with.
func (r *recorder) last(t *testing.T) (*request, []byte) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sent == nil {
		t.Fatal("there was no request")
	}
	return r.sent, r.answer
}
