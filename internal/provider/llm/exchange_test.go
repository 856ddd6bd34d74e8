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
	transport := client.Transport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	trusting := &http.Client{Transport: transport, CheckRedirect: client.CheckRedirect}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		leaktest.None(t, before)
	})
	exchange := func(path string, complete bool) {
		x := begin(t.Context(), Account{Key: ""})
		x.client = trusting
		if err := x.Post(server.URL+path, nil, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		for event, err := range Events(x.response.Body) {
			if string(event.Data) != "1" || err != nil {
				t.Errorf("read %+v, %v", event, err)
			}
			break
		}
		if complete {
			x.Complete()
		}
		x.end()
		if x.ctx.Err() == nil {
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
