// Package keycheck checks whether vendors accept a key, with one request that is free of charge.
package keycheck

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"parley/internal/netguard"
	"parley/internal/provider/vendorerror"
)

// Verdict is what a vendor says of a key.
type Verdict string

// The verdicts.
const (
	Accepted Verdict = "accepted"
	Refused  Verdict = "refused"
	Unknown  Verdict = "unknown" // the vendor was not reached, or said neither
)

// Result is the result of a check.
type Result struct {
	Verdict Verdict
	Status  int    // of the vendor's answer, 0 without one
	Message string // the vendor's words, without the key, or why there are none; "" when accepted
}

// timeout bounds a check.
const timeout = 15 * time.Second

// request is one vendor's cheapest authenticated request.
type request struct {
	base    string // the vendor's own, without the version
	version string // what a configured base URL may end with
	path    string
	header  func(key string) http.Header
}

func named(name, prefix string) func(string) http.Header {
	return func(key string) http.Header { return http.Header{name: {prefix + key}} }
}

// requests are the vendors' requests.
//
//   - https://developers.deepgram.com/docs/authenticating
//   - https://www.assemblyai.com/docs/api-reference/streaming-api/generate-streaming-token
//   - https://docs.cartesia.ai/api-reference/voices/list
//   - https://elevenlabs.io/docs/api-reference/models/list
//   - https://platform.openai.com/docs/api-reference/models/list
//   - https://docs.anthropic.com/en/api/models-list
var requests = map[string]request{
	"deepgram":   {"https://api.deepgram.com", "/v1", "/v1/auth/token", named("Authorization", "Token ")},
	"assemblyai": {"https://streaming.assemblyai.com", "/v3", "/v3/token?expires_in_seconds=60", named("Authorization", "")},
	"cartesia": {"https://api.cartesia.ai", "", "/voices?limit=1", func(key string) http.Header {
		return http.Header{"X-Api-Key": {key}, "Cartesia-Version": {"2026-03-01"}}
	}},
	"elevenlabs":   {"https://api.elevenlabs.io", "/v1", "/v1/models", named("Xi-Api-Key", "")},
	"openai":       {"https://api.openai.com", "/v1", "/v1/models", named("Authorization", "Bearer ")},
	"google":       {"https://generativelanguage.googleapis.com", "/v1beta", "/v1beta/models?pageSize=1", named("X-Goog-Api-Key", "")},
	"google_cloud": {"", "", "", named("X-Goog-Api-Key", "")}, // the location itself
	"groq":         {"https://api.groq.com/openai", "/v1", "/v1/models", named("Authorization", "Bearer ")},
	"openai_compatible": {"", "/v1", "/v1/models", func(key string) http.Header {
		if key == "" {
			return http.Header{}
		}
		return http.Header{"Authorization": {"Bearer " + key}}
	}},
	"anthropic": {"https://api.anthropic.com", "/v1", "/v1/models?limit=1", func(key string) http.Header {
		return http.Header{"X-Api-Key": {key}, "Anthropic-Version": {"2023-06-01"}}
	}},
}

// Checker checks keys. It may be used concurrently.
type Checker struct {
	client  *http.Client // for vendors' own addresses
	guarded *http.Client // for the tenants'
}

// New makes a checker. guarded connects to addresses that tenants chose, and follows no redirect.
func New(guarded *http.Client) *Checker {
	return &Checker{guarded: guarded, client: &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true},
		// A redirection would carry the key elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Check checks whether a vendor accepts a key, at the base URL that was stored with the key; "" for the vendor's own.
func (c *Checker) Check(ctx context.Context, vendor, key, baseURL string) Result {
	q, known := requests[vendor]
	if !known {
		return Result{Verdict: Unknown, Message: "keys of this provider cannot be checked"}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, q.address(baseURL), nil)
	if err != nil {
		return Result{Verdict: Unknown, Message: "the base URL of this provider is not valid"}
	}
	r.Header = q.header(key)
	r.Header.Set("Accept", "application/json")
	client := c.client
	if baseURL != "" {
		client = c.guarded
	}
	response, err := client.Do(r)
	if err != nil {
		return Result{Verdict: Unknown, Message: unreached(ctx, err)}
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, 16<<10))
	result := Result{Verdict: Unknown, Status: response.StatusCode}
	switch {
	case response.StatusCode >= 200 && response.StatusCode < 300:
		result.Verdict = Accepted
		return result
	// ElevenLabs answers a key that is barred from this request alone with 401, too.
	case response.StatusCode == http.StatusUnauthorized && strings.Contains(string(body), "missing_permissions"):
		result.Verdict = Accepted
		return result
	// Google answers a wrong key with 400.
	case response.StatusCode == http.StatusUnauthorized, response.StatusCode == http.StatusBadRequest && strings.Contains(string(body), `"API_KEY_INVALID"`):
		result.Verdict = Refused
	}
	result.Message = fmt.Sprintf("%d %s", response.StatusCode, http.StatusText(response.StatusCode))
	if words := vendorerror.Clean(words(body), key); words != "" {
		result.Message += ": " + words
	}
	return result
}

// address returns the URL of the request. A base URL may have the version and the
// scheme of a WebSocket.
func (q request) address(base string) string {
	if base == "" {
		base = q.base
	}
	base = strings.TrimSuffix(strings.TrimSuffix(base, "/"), q.version)
	if rest, ok := strings.CutPrefix(base, "ws"); ok {
		base = "http" + rest
	}
	return base + q.path
}

// unreached says why there was no answer, without an address.
func unreached(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return fmt.Sprintf("no answer within %v", timeout)
	}
	return netguard.Explain(err)
}

// words finds the message in an error answer of any of the vendors: a text, or
// an object with it within.
func words(body []byte) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) != nil {
		return string(body)
	}
	for _, name := range []string{"err_msg", "message", "error", "detail", "reason", "title"} {
		var text string
		switch inner := object[name]; {
		case inner == nil:
		case json.Unmarshal(inner, &text) == nil && text != "":
			return text
		case strings.HasPrefix(string(inner), "{"):
			return words(inner)
		}
	}
	return string(body)
}
