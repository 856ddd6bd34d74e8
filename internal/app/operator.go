package app

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"

	"parley/internal/api"
	"parley/internal/config"
)

// operatorListener is the second listener, of PARLEY_METRICS_ADDR. Without one
// it does nothing.
type operatorListener struct{ net.Listener }

func listenOperator(c config.Server) (operatorListener, error) {
	if c.MetricsAddr == "" {
		return operatorListener{}, nil
	}
	listener, err := net.Listen("tcp", c.MetricsAddr)
	if err != nil {
		return operatorListener{}, &config.Error{Variable: "PARLEY_METRICS_ADDR", Problem: fmt.Sprintf("cannot listen, choose another address: %v", err)}
	}
	return operatorListener{listener}, nil
}

// serve answers requests until the returned function has been called.
func (l operatorListener) serve(handler http.Handler, limits api.ConnectionLimits, log *slog.Logger, failed chan<- error) (shutdown func()) {
	if l.Listener == nil {
		return func() {}
	}
	return serveHTTP(l.Listener, handler, limits, log, failed)
}

// Close ends the listener.
func (l operatorListener) Close() error {
	if l.Listener == nil {
		return nil
	}
	return l.Listener.Close()
}

// instruments serves /metrics alone, for a process without an API.
func (g *ground) instruments() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", g.metrics.Handler())
	mux.HandleFunc("GET /health/live", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"alive"}`) })
	return mux
}
