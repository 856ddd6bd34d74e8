// Package client is a Go client for Parley's HTTP API and its webhooks.
//
//	c := client.New("http://127.0.0.1:8080", os.Getenv("PARLEY_API_KEY"))
//	d, err := c.Calls.Start(ctx, client.StartCall{WorkflowSlug: "demo"})
//
// A LiveKit client joins the call's room with the URL and Token of the result. Errors returned by the API have type
// *Error; the documentation of a method names their codes. VerifyWebhook and ParseEvent are for backends that receive
// webhooks.
//
// The package imports only the standard library. Each release has it as a module of its own, client below the address of the repository
// that the release is from: go get git.example.com/voice/parley/client. In Parley's own module its path is parley/client.
package client

//go:generate go run ../tools/client

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

// Client sends requests to one server with one credential. It is safe for concurrent use.
type Client struct {
	Agents    Agents
	Workflows Workflows
	Calls     Calls
	Webhooks  Webhooks
	APIKeys   APIKeys
	Sounds    Sounds
	Resources

	base     string
	headers  map[string]string
	apiKey   string
	session  string // access token of a user session
	http     *http.Client
	attempts int
	backoff  time.Duration
}

// Option configures a Client.
type Option func(*Client)

// WithHTTPClient sets the HTTP client; the default has a timeout of 30 seconds.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithAttempts sets the maximum number of attempts of a request, 4 by default; 1 disables retries.
func WithAttempts(n int) Option { return func(c *Client) { c.attempts = max(1, n) } }

// WithBackoff sets the wait before the first retry, 250 ms by default; it doubles with each retry.
func WithBackoff(first time.Duration) Option { return func(c *Client) { c.backoff = first } }

// WithHeaders sets headers of all requests, such as X-Requested-By for sessions in cookies, whose jar is that of WithHTTPClient.
func WithHeaders(headers map[string]string) Option {
	return func(c *Client) { c.headers = headers }
}

// New returns a client of the server at baseURL, such as https://voice.example.com. apiKey may be empty for Login and
// Session.
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

// Session returns a client that acts for a signed-in user, with an access token of Login or Refresh.
func (c *Client) Session(accessToken string) *Client {
	s := *c
	s.session, s.apiKey = accessToken, ""
	s.bind()
	return &s
}

func (c *Client) bind() {
	c.Agents, c.Workflows, c.Calls, c.Webhooks, c.APIKeys, c.Sounds = Agents{c}, Workflows{c}, Calls{c}, Webhooks{c}, APIKeys{c}, Sounds{c}
	c.Resources.bind(c)
}

// request is a request to the API.
type request struct {
	method, path string
	query        url.Values
	body         any               // encoded as JSON; nil for none
	file         []byte            // in place of body
	contentType  string            // of file
	key          string            // Idempotency-Key
	lastEvent    string            // Last-Event-ID, of a stream that is continued
	headers      map[string]string // further headers, by name
	accept       string            // media type of the answer; JSON when ""
	repeatable   bool              // a POST that may be sent twice without harm
}

// idempotent reports whether the request may be sent again when its outcome is unknown (RFC 9110, 9.2.2).
func (r request) idempotent() bool {
	return r.method != http.MethodPost && r.method != http.MethodPatch || r.repeatable || r.key != ""
}

// call sends a request and decodes the response into out, unless out is nil.
func (c *Client) call(ctx context.Context, r request, out any) error {
	body := r.file
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

// once sends a request and reads the whole response.
func (c *Client) once(ctx context.Context, r request, body []byte) ([]byte, error) {
	answer, err := c.open(ctx, c.http, r, body)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, answerMax+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read answer: %w", err)
	case len(content) > answerMax:
		return nil, fmt.Errorf("read answer: longer than %d bytes", answerMax)
	}
	return content, nil
}

// open sends a request and returns the response, whose body the caller closes. An error status is an *Error.
func (c *Client) open(ctx context.Context, through *http.Client, r request, body []byte) (*http.Response, error) {
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
	for name, value := range c.headers {
		q.Header.Set(name, value)
	}
	q.Header.Set("Accept", cmp.Or(r.accept, "application/json"))
	if body != nil {
		q.Header.Set("Content-Type", cmp.Or(r.contentType, "application/json"))
	}
	if r.key != "" {
		q.Header.Set("Idempotency-Key", r.key)
	}
	if r.lastEvent != "" {
		q.Header.Set("Last-Event-ID", r.lastEvent)
	}
	switch {
	case c.session != "":
		q.Header.Set("Authorization", "Bearer "+c.session)
	case c.apiKey != "":
		q.Header.Set("X-API-Key", c.apiKey)
	}
	for name, value := range r.headers {
		q.Header.Set(name, value)
	}
	answer, err := through.Do(q)
	if err != nil || answer.StatusCode < 300 {
		return answer, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, answerMax+1))
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	return nil, newError(answer, content)
}

// answerMax limits the size of a response. The largest, the recording of a call of an hour, is at most half of it.
const answerMax = 64 << 20

// segment escapes a name as a path segment.
func segment(name string) string { return url.PathEscape(name) }
