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
// Fetch standard has it). Without origins it changes nothing: then browsers
// keep such pages out. /rtc answers for itself, for the media server has CORS
// its own headers. Pages of named origins may send credentials, those of *
// only those that a script sets.
func sharing(origins []string, next http.Handler) http.Handler {
	if len(origins) == 0 {
		return next
	}
	shared := cors.New(cors.Options{
		AllowedOrigins:   origins,
		AllowedMethods:   []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders:   []string{"*"},
		ExposedHeaders:   exposed,
		AllowCredentials: !slices.Contains(origins, allOrigins),
		MaxAge:           preflightLife,
	}).Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/rtc" || strings.HasPrefix(r.URL.Path, "/rtc/") {
			next.ServeHTTP(w, r)
			return
		}
		shared.ServeHTTP(w, r)
	})
}
