package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"parley/client"
)

// receiver is a tenant's backend: it verifies requests and records them.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	secret string
	events []client.Event
	faults []error
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := new(receiver)
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, err := io.ReadAll(q.Body)
	if err == nil {
		err = client.VerifyWebhook(body, q.Header.Get(client.SignatureHeader), r.secret, time.Now())
	}
	var e client.Event
	if err == nil {
		e, err = client.ParseEvent(body)
	}
	if err != nil {
		r.faults = append(r.faults, err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	r.events = append(r.events, e)
}

// use sets the secret that requests are verified with.
func (r *receiver) use(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
}

// delivered waits for an event of a call, and returns its data.
func (r *receiver) delivered(t *testing.T, callID, kind string) (data client.CallData) {
	t.Helper()
	await(t, kind+" of call "+callID+" is delivered", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, err := range r.faults {
			t.Fatalf("a delivery was refused: %v", err)
		}
		for _, e := range r.events {
			var err error
			if data, err = e.Call(); err == nil && e.Type == kind && data.CallID == callID {
				return true
			}
		}
		return false
	})
	return data
}
