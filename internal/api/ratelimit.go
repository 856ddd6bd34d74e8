package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/auth"
)

// The headers of every answer to a caller with a limit, errors included.
const (
	limitHeader     = "X-RateLimit-Limit"     // requests a minute
	remainingHeader = "X-RateLimit-Remaining" // that may come at once
	resetHeader     = "X-RateLimit-Reset"     // Unix seconds, when all of them may again
)

// limit counts a request against its caller's limit, and tells the caller how
// it stands.
func (s *Server) limit(w http.ResponseWriter, r *http.Request, who auth.Principal) error {
	a, err := s.deps.Auth.Admit(r.Context(), who)
	if a.Limit > 0 {
		// Rounded up: a client that comes back in that second is not early.
		whole := time.Now().Add(a.Reset + time.Second - time.Nanosecond).Unix()
		h := w.Header()
		h.Set(limitHeader, strconv.Itoa(a.Limit))
		h.Set(remainingHeader, strconv.Itoa(a.Remaining))
		h.Set(resetHeader, strconv.FormatInt(whole, 10))
	}
	return err
}

// tooManyHeaders describes the headers of a 429.
func tooManyHeaders(limited bool) map[string]*huma.Param {
	number := func(description string) *huma.Param {
		return &huma.Param{Description: description, Schema: &huma.Schema{Type: huma.TypeInteger}}
	}
	headers := map[string]*huma.Param{"Retry-After": number("Seconds until the next request fits.")}
	if limited {
		headers[limitHeader] = number("Requests a minute.")
		headers[remainingHeader] = number("Requests that may come at once.")
		headers[resetHeader] = number("When the whole limit is there again, in Unix seconds.")
	}
	return headers
}
