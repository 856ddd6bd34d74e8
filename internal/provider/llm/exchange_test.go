package llm

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/leaktest"
)

// TestExchangesOverHTTP2 uses the client's settings, trusting the test's
// certificate besides.
func TestExchangesOverHTTP2(t *testing.T) {
	before := goleak.IgnoreCurrent()
	left := make(chan struct{}, 1)
	peers := map[string]bool{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peers[r.RemoteAddr] = true
		if r.ProtoMajor != 2 {
			t.Errorf("asked over %s", r.Proto)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: 1\n\n")
		http.NewResponseController(w).Flush()
		if r.URL.Path == "/endless" {
			<-r.Context().Done()
			left <- struct{}{}
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	transport := Client.Transport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	client := &http.Client{Transport: transport, CheckRedirect: Client.CheckRedirect}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		leaktest.None(t, before)
	})
	exchange := func(path string, complete bool) {
		x := Begin(t.Context(), "")
		r, err := http.NewRequestWithContext(x.Context, http.MethodPost, server.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := x.Middleware(r, client.Do)
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 9)
		if _, err := io.ReadFull(res.Body, first); err != nil {
			t.Error(err)
		}
		if complete {
			x.Complete()
		}
		x.End()
		if x.Context.Err() == nil {
			t.Error("the request outlives its exchange")
		}
	}
	for range 3 {
		exchange("/short", true)
		exchange("/endless", false)
		<-left
	}
	if len(peers) != 1 {
		t.Errorf("%d connections", len(peers))
	}
}
