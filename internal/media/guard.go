package media

import (
	"net/http"
	"net/url"

	"parley/internal/fault"
)

// joinParameters are the query parameters of LiveKit's clients that are forwarded to the media server's RTCService.
// Not among them are publish, which adds participants to the room, attributes, which callers may not set, and disable_ice_lite, see
// restrictJoin.
var joinParameters = []string{
	"access_token", joinRequestParameter, "reconnect", "reconnect_reason", "sid",
	"auto_subscribe", "auto_subscribe_data_track", "adaptive_stream", "subscriber_allow_pause",
	"protocol", "client_protocol", "sdk", "version", "os", "os_version", "device_model", "browser", "browser_version", "address", "network", "capabilities",
}

// Guard protects a Proxy: next receives only GET and HEAD requests without a body, with the query parameters of
// LiveKit's clients, and with a valid token. It answers preflight requests (OPTIONS). Pages of every origin may
// join, because a token is required and cookies are not used.
func Guard(tokens Tokens, next http.Handler, writeError ErrorWriter) http.Handler {
	writeError = withCORS(writeError)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !signalPaths[r.URL.Path] {
			writeError(w, r, errNoRoute)
			return
		}
		switch r.Method {
		case http.MethodGet, http.MethodHead:
		case http.MethodOptions:
			setCORS(w.Header())
			w.Header().Set("Access-Control-Allow-Methods", "GET, HEAD")
			w.Header().Set("Access-Control-Allow-Headers", "*, Authorization")
			w.WriteHeader(http.StatusNoContent)
			return
		default:
			w.Header().Set("Allow", "GET, HEAD, OPTIONS")
			writeError(w, r, fault.New(fault.MethodNotAllowed, "method %s is not allowed here", r.Method))
			return
		}
		if r.ContentLength != 0 {
			writeError(w, r, fault.Invalid([]fault.Detail{{Field: "body", Message: "must be absent"}}))
			return
		}
		if _, err := tokens.room(joinToken(r)); err != nil {
			writeError(w, r, fault.New(fault.InvalidToken, "the join token is not valid: %v", err))
			return
		}
		r = withParameters(r, joinParameters)
		if query := r.URL.Query(); query.Has(joinRequestParameter) {
			restricted, err := restrictJoin(query.Get(joinRequestParameter))
			if err != nil {
				writeError(w, r, fault.Invalid([]fault.Detail{{Field: joinRequestParameter, Message: err.Error()}}))
				return
			}
			query.Set(joinRequestParameter, restricted)
			r.URL.RawQuery = query.Encode()
		}
		next.ServeHTTP(w, r)
	})
}

// withParameters returns the request with the first value of each named query parameter and no others.
func withParameters(r *http.Request, names []string) *http.Request {
	given, forwarded := r.URL.Query(), url.Values{}
	for _, name := range names {
		if given.Has(name) {
			forwarded.Set(name, given.Get(name))
		}
	}
	r = r.Clone(r.Context())
	r.URL.RawQuery = forwarded.Encode()
	return r
}

// withCORS returns an ErrorWriter that adds CORS headers.
func withCORS(writeError ErrorWriter) ErrorWriter {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		setCORS(w.Header())
		writeError(w, r, err)
	}
}

func setCORS(h http.Header) { h.Set("Access-Control-Allow-Origin", "*") }
