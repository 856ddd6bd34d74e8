package tool

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"parley/internal/netguard"
	"parley/internal/signing"
	"parley/internal/template"
)

// Parameters of an api_call.
const (
	defaultTimeout = 15 * time.Second // of one attempt
	firstBackoff   = 200 * time.Millisecond
	maxBackoff     = 2 * time.Second // the caller waits
	userAgent      = "Parley-Tool/1.0"
	// Limits in bytes: of a request's URL and of each header after rendering, and of the response.
	maxLine  = 16 << 10
	maxReply = 1 << 20
	// callHeader has the voice call, and toolCallHeader the function call, the same in every attempt.
	callHeader, toolCallHeader = "X-Parley-Call-Id", "X-Parley-Tool-Call-Id"
	// signatureHeader has the signature of an attempt.
	signatureHeader = "X-Parley-Signature"
)

// request is a rendered api_call.
type request struct {
	method, url string
	header      http.Header
	body        []byte // nil for none
	timeout     time.Duration
}

// size returns the size of a request in bytes.
func (r request) size() int {
	size := len(r.url) + len(r.body)
	for name := range r.header {
		size += len(name) + len(r.header.Get(name))
	}
	return size
}

// reply is the response, or the reason for its absence in words without address and rendered values.
type reply struct {
	status int // 0 without an answer
	body   []byte
	failed string
}

func (r reply) good() bool { return r.status >= 200 && r.status < 300 }

// apiCall performs an api_call with retries, and reports whether it succeeded. Its response becomes {{result}}.
func (u *run) apiCall(ctx context.Context, a Action) bool {
	sent := u.trial.begin(ctx, u, a)
	request, err := u.request(ctx, a)
	r, attempts := reply{}, 0
	if err != nil {
		r.failed = err.Error()
	} else {
		r, attempts = u.send(ctx, request, a.retries())
		r.body = u.used.hide(r.body)
	}
	u.trial.end(sent, r, attempts)
	u.scope["result"] = r.result()
	u.answers = append(u.answers, r.textForModel())
	if r.good() {
		return true
	}
	why := r.failed
	if r.status != 0 {
		why = fmt.Sprintf("answered with status %d", r.status)
	}
	if attempts > 1 {
		why = fmt.Sprintf("%s (%d attempts)", why, attempts)
	}
	u.fail("%s %s: %s", a.method(), a.place(), why)
	return false
}

// place returns the URL as the tool's author wrote it, without the query, which may contain a key.
func (a Action) place() string {
	path, _, _ := strings.Cut(a.URL, "?")
	path, _, _ = strings.Cut(path, "#")
	return path
}

func (a Action) method() string {
	switch {
	case a.Method != "":
		return a.Method
	case a.Body != nil:
		return http.MethodPost
	}
	return http.MethodGet
}

func (a Action) retries() int {
	if a.RetryCount == nil {
		return 0
	}
	return *a.RetryCount
}

// request renders an api_call's templates, each by the rules of its position. Only here templates see secrets.
func (u *run) request(ctx context.Context, a Action) (request, error) {
	u.secretFault = nil
	u.scope["secrets"] = secretScope{ctx, u}
	defer delete(u.scope, "secrets")
	r, err := u.render(a)
	return r, cmp.Or(u.secretFault, err)
}

func (u *run) render(a Action) (request, error) {
	r := request{method: a.method(), header: http.Header{}, timeout: defaultTimeout}
	if a.Timeout != nil {
		r.timeout = time.Duration(*a.Timeout) * time.Second
	}
	for _, path := range a.Required {
		if u.emptyReference("{{"+path+"}}") != "" {
			return r, fmt.Errorf("{{%s}}, which it requires, has no value", path)
		}
	}
	var err error
	if r.url, err = u.url(a.URL); err != nil {
		return r, err
	}
	for name, stored := range a.Headers {
		value, err := u.header(name, stored)
		if err != nil {
			return r, err
		}
		rendered, missing, err := template.RenderFunc(u.budget, value, u.scope, func(path string, value any) (string, error) {
			text := template.Text(value)
			if strings.ContainsAny(text, "\r\n\x00") {
				return "", fmt.Errorf("{{%s}} holds a line break, which the header %s must not", path, name)
			}
			return text, nil
		})
		if err != nil {
			return r, u.sized(err)
		}
		if len(rendered) > maxLine || !httpguts.ValidHeaderFieldValue(rendered) {
			return r, fmt.Errorf("the header %s is too long or holds control characters", name)
		}
		if u.lack(missing); isSealed(stored) {
			u.hideHeader(name, rendered)
		}
		r.header.Set(name, rendered)
	}
	if a.Body == nil {
		return r, nil
	}
	body, err := u.values(decoded(a.Body))
	if err != nil {
		return r, err
	}
	if r.body, err = json.Marshal(body); err != nil || len(r.body) > MaxAction {
		return r, u.tooLarge()
	}
	return r, nil
}

// url renders a URL: a value is one segment of the path, or one value of the query. Scheme, host and port have no
// templates.
func (u *run) url(text string) (string, error) {
	rest, fragment, _ := strings.Cut(text, "#") // a fragment is not sent, but its paths are checked
	path, query, hasQuery := strings.Cut(rest, "?")
	var err error
	escaped := func(text string, escape func(string) string) string {
		rendered, missing, e := template.RenderFunc(u.budget, text, u.scope, func(_ string, value any) (string, error) { return escape(template.Text(value)), nil })
		u.lack(missing)
		err = cmp.Or(err, e)
		return rendered
	}
	filled := escaped(path, url.PathEscape)
	if empty := u.emptyReference(path); empty != "" {
		return "", fmt.Errorf("{{%s}}, which stands in the URL's path, has no value", empty)
	}
	if filled != path {
		for segment := range strings.SplitSeq(filled, "/") {
			if segment == "." || segment == ".." {
				return "", errors.New("a value that stands in the URL's path leads to another path")
			}
		}
	}
	if hasQuery {
		filled += "?" + escaped(query, url.QueryEscape)
	}
	escaped(fragment, url.PathEscape)
	if err != nil {
		return "", u.sized(err)
	}
	if len(filled) > maxLine {
		return "", fmt.Errorf("the URL is longer than %d KiB", maxLine>>10)
	}
	if problem := netguard.CheckURL(filled, u.allowPrivate); problem != "" {
		return "", fmt.Errorf("the URL %s", problem)
	}
	return filled, nil
}

// emptyReference returns the first path of a text's references without a value, "" for none. A URL without it may mean something else:
// all patients rather than one.
func (u *run) emptyReference(text string) (empty string) {
	_, missing, _ := template.RenderFunc(template.NewBudget(MaxAction), text, u.scope, func(path string, value any) (string, error) {
		if strings.TrimSpace(template.Text(value)) == "" {
			empty = cmp.Or(empty, path)
		}
		return "", nil
	})
	if len(missing) > 0 {
		empty = cmp.Or(empty, missing[0])
	}
	return empty
}

// send sends a request, with retries after a connection error, 5xx or 429.
func (u *run) send(ctx context.Context, r request, retries int) (answer reply, attempts int) {
	wait := firstBackoff
	for {
		attempts++
		var again bool
		answer, again = u.attempt(ctx, r)
		if !again || attempts > retries || ctx.Err() != nil {
			return answer, attempts
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return answer, attempts
		}
		wait = min(2*wait, maxBackoff)
	}
}

// attempt sends a request once, and reports whether a retry may help.
func (u *run) attempt(ctx context.Context, r request) (answer reply, again bool) {
	limited, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	made, err := http.NewRequestWithContext(limited, r.method, r.url, body)
	if err != nil {
		return reply{failed: "the request is not valid"}, false
	}
	made.Header.Set("User-Agent", userAgent)
	made.Header.Set("Accept", "application/json, text/plain;q=0.9, */*;q=0.5")
	if r.body != nil {
		made.Header.Set("Content-Type", "application/json")
	}
	for name, values := range r.header {
		made.Header[name] = values
	}
	for name, id := range map[string]string{callHeader: u.call.CallID, toolCallHeader: u.call.ID} {
		if id != "" {
			made.Header.Set(name, id)
		}
	}
	if err := u.sign(limited, made, r.body); err != nil {
		return reply{failed: err.Error()}, false
	}
	response, err := u.client.Do(made)
	if err != nil {
		return explain(ctx, limited, r.timeout, err)
	}
	defer response.Body.Close()
	answer.status = response.StatusCode
	again = answer.status >= 500 || answer.status == http.StatusTooManyRequests
	if answer.body, err = readText(response); err != nil {
		if coding := errCoding(""); errors.As(err, &coding) {
			return reply{failed: fmt.Sprintf("answered with status %d, but %v", answer.status, coding)}, false
		}
		// The response body cannot be read, but the server has processed the request: only the status is used.
		return reply{failed: fmt.Sprintf("answered with status %d, but the answer broke off", answer.status)}, again
	}
	return answer, again
}

// sign signs an attempt, if the tenant has a secret for that.
func (u *run) sign(ctx context.Context, request *http.Request, body []byte) error {
	request.Header.Del(signatureHeader)
	if u.call.Tenant.Signer == nil {
		return nil
	}
	request.URL.RawQuery = netguard.EncodeQuery(request.URL.RawQuery) // as it is sent
	url := request.URL.Scheme + "://" + request.URL.Host + request.URL.RequestURI()
	signature, err := u.call.Tenant.Signer.Sign(ctx, signing.RequestContent(request.Method, url, body))
	if errors.Is(err, signing.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	request.Header.Set(signatureHeader, signature)
	return nil
}

// explain returns why there was no response, and whether a retry may help.
func explain(ctx, limited context.Context, timeout time.Duration, err error) (reply, bool) {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, netguard.ErrRefused):
		return reply{failed: netguard.ErrRefused.Error()}, false
	case ctx.Err() != nil:
		return reply{failed: "it was given up before an answer"}, false
	case limited.Err() != nil:
		return reply{failed: fmt.Sprintf("no answer within %d s", timeout/time.Second)}, false
	case errors.As(err, &certificate):
		return reply{failed: "the server's certificate is not valid"}, false
	case errors.As(err, &dns):
		return reply{failed: "the host name does not resolve"}, true
	}
	return reply{failed: "the connection failed before an answer"}, true
}

// result returns the value of {{result}}: the response as JSON, or else as text, or an object with the reason why
// there was none.
func (r reply) result() any {
	if r.status == 0 {
		return map[string]any{"error": r.failed}
	}
	if value := decoded(r.body); value != nil {
		return value
	}
	return r.text(maxReply)
}

// textForModel returns the text of the response for the model.
func (r reply) textForModel() string {
	switch text := r.text(maxAnswer); {
	case r.status == 0:
		return "The request failed: " + r.failed + "."
	case !r.good() && text == "":
		return fmt.Sprintf("The request failed with HTTP status %d.", r.status)
	case !r.good():
		return fmt.Sprintf("The request failed with HTTP status %d: %s", r.status, text)
	case text == "":
		return fmt.Sprintf("The request succeeded with HTTP status %d.", r.status)
	default:
		return text
	}
}

// text returns the start of a response as text.
func (r reply) text(size int) string {
	body := r.body[:min(len(r.body), size)]
	return strings.ReplaceAll(strings.ToValidUTF8(strings.TrimSpace(string(body)), ""), "\x00", "")
}
