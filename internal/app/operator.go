package app

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"parley/internal/api"
	"parley/internal/config"
	"parley/internal/netguard"
)

// operatorListener is the listener for metrics and profiles; disabled without an address.
type operatorListener struct{ net.Listener }

// listenOperator listens at the address in a variable.
func listenOperator(variable, address string) (operatorListener, error) {
	if address == "" {
		return operatorListener{}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return operatorListener{}, &config.Error{Variable: variable, Problem: fmt.Sprintf("cannot listen, choose another address: %v", err)}
	}
	netguard.Own(listener.Addr())
	return operatorListener{listener}, nil
}

// listenWorker opens the operator's listener of a worker without an API.
func listenWorker(c config.Server) (operatorListener, error) {
	if c.WorkerAddr == "" {
		return listenOperator("PARLEY_METRICS_ADDR", c.MetricsAddr)
	}
	return listenOperator("PARLEY_WORKER_ADDR", c.WorkerAddr)
}

// serve answers requests until the returned function has been called.
func (l operatorListener) serve(handler http.Handler, limits api.ConnectionLimits, log *slog.Logger, failed chan<- error) (shutdown func()) {
	if l.Listener == nil {
		return func() {}
	}
	return serveHTTP(api.Listener(l.Listener, limits, nil, log), handler, log, failed)
}

// Close closes the listener.
func (l operatorListener) Close() error {
	if l.Listener == nil {
		return nil
	}
	return l.Listener.Close()
}
