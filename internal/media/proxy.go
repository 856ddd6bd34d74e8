package media

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// signalling is every path of LiveKit's that a participant needs: the WebSocket of client protocol v0 and v1, and the
// question why a join was refused. The server's administration, which shares its port, stays inside.
var signalling = map[string]bool{"/rtc": true, "/rtc/validate": true, "/rtc/v1": true, "/rtc/v1/validate": true}

// Proxy carries signalling, WebSockets included, to the media server at server (ws, wss, http or https), so that
// clients need to reach one port only. Mount it at /rtc and /rtc/. Other paths go to notFound; a server that does not
// answer goes to unavailable. CORS headers are the media server's own.
func Proxy(server string, notFound, unavailable http.Handler) (http.Handler, error) {
	target, err := url.Parse(server)
	if err != nil {
		return nil, fmt.Errorf("LIVEKIT_URL: %w", err)
	}
	switch target.Scheme {
	case "ws":
		target.Scheme = "http"
	case "wss":
		target.Scheme = "https"
	case "http", "https":
	default:
		return nil, fmt.Errorf("LIVEKIT_URL: %q is neither ws:// nor wss://", server)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, _ error) { unavailable.ServeHTTP(w, r) },
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !signalling[r.URL.Path] {
			notFound.ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}), nil
}
