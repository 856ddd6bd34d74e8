package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"parley/internal/api/wire"
	"parley/internal/fault"
)

// credentialInterval is how often the credential of open streams is looked at.
const credentialInterval = 2 * time.Second

// credentials looks after those of open streams: one look for all streams of
// the same credential.
type credentials struct {
	check  func(r *http.Request, scope string) error
	cookie string // name of the access token's cookie

	mu   sync.Mutex
	open map[credential]*watchedCredential
}

// credential is what a request is let in by.
type credential struct{ key, authorization, cookie, scope string }

type watchedCredential struct {
	all     *credentials
	of      credential
	streams int
	stop    context.CancelFunc

	refused chan struct{} // closed once the credential is no longer valid
	reason  error         // then
}

func newCredentials(check func(r *http.Request, scope string) error, cookie string) *credentials {
	return &credentials{check: check, cookie: cookie, open: map[credential]*watchedCredential{}}
}

// watch looks after the credential of a request until leave is called.
func (c *credentials) watch(r *http.Request, scope string) *watchedCredential {
	cookie, _ := cookieValue(r, c.cookie) // a request with several is not authenticated
	of := credential{r.Header.Get("X-API-Key"), r.Header.Get("Authorization"), cookie, scope}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.open[of]
	if w == nil {
		ctx, stop := context.WithCancel(context.Background())
		w = &watchedCredential{all: c, of: of, stop: stop, refused: make(chan struct{})}
		c.open[of] = w
		request := &http.Request{Method: http.MethodGet, Header: http.Header{"X-Api-Key": {of.key}, "Authorization": {of.authorization}}}
		request.AddCookie(&http.Cookie{Name: c.cookie, Value: of.cookie}) //nolint:gosec // sent to nobody
		go w.run(ctx, request.WithContext(ctx))
	}
	w.streams++
	return w
}

func (w *watchedCredential) leave() {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	w.streams--
	if w.streams == 0 {
		w.stop()
		if w.all.open[w.of] == w {
			delete(w.all.open, w.of)
		}
	}
}

// run checks the credential until it is rejected. Database errors reject nothing.
func (w *watchedCredential) run(ctx context.Context, r *http.Request) {
	ticker := time.NewTicker(credentialInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := w.all.check(r, w.of.scope)
		switch fault.CodeOf(err) {
		case fault.Authentication, fault.TokenExpired, fault.InvalidToken, fault.KeyRevoked, fault.ScopeRequired:
		default:
			continue
		}
		w.all.mu.Lock()
		delete(w.all.open, w.of) // later requests are checked again
		w.all.mu.Unlock()
		w.reason = err
		close(w.refused)
		return
	}
}

// why returns the reason for the client, set before refused is closed.
func (w *watchedCredential) why() string { return w.reason.Error() }

// checkCredential returns an error if the credential of a request no longer permits the stream.
func (s *Server) checkCredential(r *http.Request, scope string) error {
	who, err := s.authenticate(r)
	if err != nil {
		return err
	}
	if !who.Can(scope) {
		return wire.ScopeRequired(scope)
	}
	return nil
}
