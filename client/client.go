// Package client is a Go client for Parley's HTTP API, and the receiving end of its webhooks.
//
//	c := client.New("http://127.0.0.1:8080", os.Getenv("PARLEY_API_KEY"))
//	d, err := c.Calls.Start(ctx, client.StartCall{WorkflowSlug: "demo"})
//
// The answer's URL and Token let a LiveKit client join the call's room. Errors that the API answers are of type
// *Error. VerifyWebhook and ParseEvent are for the backend that receives the call's events.
//
// The package imports the standard library alone. Its module has no domain, so that another module, which would use it, says
// in its go.mod where a checkout of Parley is:
//
//	require parley v0.0.0
//	replace parley => ../parley
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client talks to one server with one credential. It may be used from any goroutine.
type Client struct {
	Agents    Agents
	Workflows Workflows
	Calls     Calls
	Webhooks  Webhooks
	APIKeys   APIKeys

	base     string
	apiKey   string
	session  string // access token of a user session
	http     *http.Client
	attempts int
	backoff  time.Duration
}

// Option changes how a Client works.
type Option func(*Client)

// WithHTTPClient sends requests through h; by default through one that gives up on an answer after 30 seconds.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithAttempts is how often a request is sent at most, 4 unless told; 1 switches retrying off.
func WithAttempts(n int) Option { return func(c *Client) { c.attempts = max(1, n) } }

// WithBackoff is the wait before the first retry, 250 ms unless told; it doubles from retry to retry.
func WithBackoff(first time.Duration) Option { return func(c *Client) { c.backoff = first } }

// New returns a client of the server at baseURL, such as https://voice.example.com. The apiKey may be empty for what needs
// none: Login, and what a Session does.
func New(baseURL, apiKey string, opts ...Option) *Client {
	c := &Client{
		base: strings.TrimRight(baseURL, "/"), apiKey: apiKey,
		http: &http.Client{Timeout: 30 * time.Second}, attempts: 4, backoff: 250 * time.Millisecond,
	}
	for _, o := range opts {
		o(c)
	}
	c.bind()
	return c
}

// Session is the same client acting for a signed-in user, with the access token that Login or Refresh answered.
func (c *Client) Session(accessToken string) *Client {
	s := *c
	s.session, s.apiKey = accessToken, ""
	s.bind()
	return &s
}

func (c *Client) bind() {
	c.Agents, c.Workflows, c.Calls, c.Webhooks, c.APIKeys = Agents{c}, Workflows{c}, Calls{c}, Webhooks{c}, APIKeys{c}
}

// request is one operation of the API.
type request struct {
	method, path string
	query        url.Values
	body         any    // encoded as JSON; nil for none
	key          string // Idempotency-Key
	accept       string // media type of the answer; JSON when ""
	repeatable   bool   // a POST that may be sent twice without harm
}

// idempotent reports whether the request may be sent again when it is not known what became of it (RFC 9110, 9.2.2).
func (r request) idempotent() bool {
	return r.method != http.MethodPost && r.method != http.MethodPatch || r.repeatable || r.key != ""
}

// call carries out a request and decodes the answer into out, unless that is nil.
func (c *Client) call(ctx context.Context, r request, out any) error {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			return fmt.Errorf("%s %s: encode body: %w", r.method, r.path, err)
		}
	}
	answer, err := c.send(ctx, r, body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s %s: decode answer: %w", r.method, r.path, err)
	}
	return nil
}

// once sends a request and reads its answer whole.
func (c *Client) once(ctx context.Context, r request, body []byte) ([]byte, error) {
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	q, err := http.NewRequestWithContext(ctx, r.method, address, reader)
	if err != nil {
		return nil, err
	}
	q.Header.Set("Accept", cmp.Or(r.accept, "application/json"))
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		q.Header.Set("Idempotency-Key", r.key)
	}
	switch {
	case c.session != "":
		q.Header.Set("Authorization", "Bearer "+c.session)
	case c.apiKey != "":
		q.Header.Set("X-API-Key", c.apiKey)
	}
	answer, err := c.http.Do(q)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, answerMax+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read answer: %w", err)
	case answer.StatusCode >= 300:
		return nil, newError(answer, content)
	case len(content) > answerMax:
		return nil, fmt.Errorf("read answer: longer than %d bytes", answerMax)
	}
	return content, nil
}

// answerMax bounds an answer: the longest, the recording of an hour's call, has half of it at most.
const answerMax = 64 << 20

// segment escapes a name for its place in a path.
func segment(name string) string { return url.PathEscape(name) }
