package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/rs/cors"

	"parley/internal/api/wire"
)

// allOrigins lets pages of every origin use the API.
const allOrigins = "*"

// preflightLife is how long a browser may remember that it may, in seconds;
// Chromium remembers no longer.
const preflightLife = 7200

// exposed are the answer headers that a page's script may read.
var exposed = []string{wire.RequestIDHeader, wire.LimitHeader, wire.RemainingHeader, wire.ResetHeader, wire.RetryHeader, wire.IgnoredFieldHeader, wire.IgnoredParameterHeader}

// sharing lets web pages of other origins use what next serves (CORS, as the
// Fetch standard has it). Without origins browsers keep such pages out. Pages
// of named origins may send credentials, those of * only those that a script
// sets. Two paths differ: the media server has CORS headers of its own for
// /rtc, and publicCalls answers pages of every origin, for it compares the
// origin with those of the public token.
func sharing(origins []string, next http.Handler) http.Handler {
	options := cors.Options{
		AllowedOrigins: []string{allOrigins},
		AllowedMethods: []string{http.MethodPost},
		AllowedHeaders: []string{"Authorization", "Content-Type"},
		ExposedHeaders: exposed,
		MaxAge:         preflightLife,
	}
	public, shared := cors.New(options).Handler(next), next
	if len(origins) > 0 {
		options.AllowedOrigins = origins
		options.AllowedMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
		options.AllowedHeaders = []string{"*"}
		options.AllowCredentials = !slices.Contains(origins, allOrigins)
		shared = cors.New(options).Handler(next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == publicCalls:
			public.ServeHTTP(w, r)
		case r.URL.Path == "/rtc" || strings.HasPrefix(r.URL.Path, "/rtc/"):
			next.ServeHTTP(w, r)
		default:
			shared.ServeHTTP(w, r)
		}
	})
}
