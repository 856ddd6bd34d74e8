package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"parley/client"
	"parley/internal/media"
)

// deafVendor accepts connections and never answers. asked receives for each connection.
func deafVendor(t *testing.T) (url string, asked <-chan struct{}) {
	t.Helper()
	over, came := make(chan struct{}), make(chan struct{}, 64)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	t.Cleanup(func() {
		close(over)
		server.Close()
	})
	return server.URL, came
}

// A call may end while its providers are being opened. It ends for what happened, whatever the provider would have done, and no
// provider is to blame.
func TestEndsWhileProvidersOpen(t *testing.T) {
	t.Parallel()
	url, asked := deafVendor(t)
	dir := filepath.Join(t.TempDir(), "data")
	first, err := start(dir, map[string]string{"DEEPGRAM_BASE_URL": url, "DEEPGRAM_API_KEY": keyOf("deepgram")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(first.Kill)
	newAgent(t, first, "desk", choices["deepgram"], choices["think"], choices["speak"])
	opening := func() (*client.Dispatch, *media.Participant) {
		t.Helper()
		d, caller := silentWith(t, first, "desk")
		select {
		case <-asked:
		case <-time.After(patience):
			t.Fatal("the recogniser is not asked")
		}
		awaitStatus(t, first, d.CallID, client.Connecting)
		return d, caller
	}
	left, caller := opening()
	caller.Leave()
	awaitEnd(t, first, left.CallID, client.Failed, "caller_hangup")
	lost, _ := opening()
	vanish(t, first, lost)
	awaitEnd(t, first, lost.CallID, client.Failed, "connection_lost")
	cancelled, _ := opening()
	if _, err := first.API.Calls.End(t.Context(), cancelled.CallID); err != nil {
		t.Error(err)
	}
	awaitEnd(t, first, cancelled.CallID, client.Failed, "ended_by_api")
	stopped, _ := opening()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	terminate(t, first)
	awaitDraining(t, first) // two immediate signals may be delivered as one
	terminate(t, first)
	if code, err := first.Wait(ctx); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s", code, err, first.Log.String())
	}
	second := serve(t, dir, nil)
	awaitEnd(t, second, stopped.CallID, client.Failed, "server_shutdown")
	explained(t, second, lost.CallID, "the media server closed the room")
	for _, d := range []*client.Dispatch{left, cancelled, stopped} {
		if items := errorsOf(t, second, d.CallID); len(items) > 0 {
			t.Errorf("error log: %+v", items)
		}
	}
}
