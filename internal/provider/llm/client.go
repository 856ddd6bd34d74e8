// Package llm is what the wires of the language models share: the HTTP client,
// one request with its streamed answer (Exchange, Events), the vendors' errors as
// one sentence each, and tool calls that arrive in fragments or lost their
// results.
package llm

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// client carries the requests of all language models of this process, so that
// connections stay warm from turn to turn and from call to call. It has no
// timeout: a request lives as long as its context.
//
// Proxies come from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as usual. A redirect
// is not followed, for it would take the key elsewhere.
var client = &http.Client{
	Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   5 * time.Second,
		ExpectContinueTimeout: time.Second,
		// A worker's calls may all speak at once over HTTP/1.1; the standard two
		// would close the connections of all others after each turn.
		MaxIdleConnsPerHost: 256,
		// Long enough for the next call's first turn to find a connection.
		IdleConnTimeout: 5 * time.Minute,
		// A connection that died unnoticed would else take all calls with it
		// until the kernel gives it up, after minutes.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 10 * time.Second, PingTimeout: 5 * time.Second},
	},
	CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		return fmt.Errorf("redirected to %s, which is not followed: set the base URL to where it leads", r.URL.Redacted())
	},
}

// BaseURL is what a wire's paths are added to, without a slash at its end: the
// configured address, or the vendor's without one. As for every vendor, ws and
// wss in it mean http and https.
func BaseURL(configured, vendor string) string {
	if configured == "" {
		return vendor
	}
	if scheme, rest, _ := strings.Cut(configured, "://"); scheme == "ws" || scheme == "wss" {
		configured = "http" + strings.TrimPrefix(scheme, "ws") + "://" + rest
	}
	return strings.TrimRight(configured, "/")
}
