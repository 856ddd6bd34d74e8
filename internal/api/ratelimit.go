package api

import (
	"net/http"
	"strconv"
	"time"

	"parley/internal/api/wire"
	"parley/internal/auth"
)

// limit counts a request against its caller's limit, and sets the rate limit headers.
func (s *Server) limit(w http.ResponseWriter, r *http.Request, who auth.Principal) error {
	a, err := s.deps.Auth.Admit(r.Context(), who)
	if a.Limit > 0 {
		// Rounded up: a client that retries in that second is not early.
		whole := time.Now().Add(a.Reset + time.Second - time.Nanosecond).Unix()
		h := w.Header()
		h.Set(wire.LimitHeader, strconv.Itoa(a.Limit))
		h.Set(wire.RemainingHeader, strconv.Itoa(a.Remaining))
		h.Set(wire.ResetHeader, strconv.FormatInt(whole, 10))
	}
	return err
}
