// Package llm is shared by the clients of language models: the HTTP client, a streamed request (Exchange, Events),
// errors as one sentence each, and the repair of fragmented or unanswered tool calls.
package llm

import (
	"net"
	"net/http"
	"strings"
	"time"

	"parley/internal/provider/vendorerror"
)

// client sends the requests of all language models in this process, so that connections are reused between turns
// and calls. It has no timeout: a request lasts as long as its context.
//
// Proxies are those of HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Redirects are not followed, because they would
// disclose the key.
var client = &http.Client{
	Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   5 * time.Second,
		ExpectContinueTimeout: time.Second,
		// All calls of a worker may be active concurrently over HTTP/1.1; the default of two idle connections would
		// close the others after each turn.
		MaxIdleConnsPerHost: 256,
		// Long enough for reuse by the first turn of the next call.
		IdleConnTimeout: 5 * time.Minute,
		// Detects dead connections, which would otherwise block all calls for minutes until the kernel closes them.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 10 * time.Second, PingTimeout: 5 * time.Second},
	},
	CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		return vendorerror.Unexpected("redirected, which is not followed: set the base URL to where it leads", r.URL.Redacted())
	},
}

// BaseURL returns the configured address, or else the vendor's, without a trailing slash. ws and wss are converted
// to http and https.
func BaseURL(configured, vendor string) string {
	if configured == "" {
		return vendor
	}
	if scheme, rest, _ := strings.Cut(configured, "://"); scheme == "ws" || scheme == "wss" {
		configured = "http" + strings.TrimPrefix(scheme, "ws") + "://" + rest
	}
	return strings.TrimRight(configured, "/")
}
