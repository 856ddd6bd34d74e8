package api

import (
	"context"
	"encoding/json"
	"net/http"

	"parley/internal/api/wire"
	"parley/internal/auth"
)

// WorkerHandler serves what a worker without an API has: /metrics with all there is, and the health checks, as the API
// answers them. It asks for no credential. Of the dependencies it needs DB, Health, Redis, Ready, Version and Metrics.
func WorkerHandler(d Deps) http.Handler {
	s := &Server{deps: d}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health/live", func(w http.ResponseWriter, _ *http.Request) { writeHealth(w, http.StatusOK, alive()) })
	mux.HandleFunc("GET /health/ready", report(s.ready))
	mux.HandleFunc("GET /health", report(s.health))
	mux.Handle("GET "+metricsPath, operatorOnly(d.Metrics.Handler()))
	return mux
}

// report answers with a health check.
func report[T any](check func(context.Context, auth.Principal, *struct{}) (*reported[T], error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		found, err := check(r.Context(), auth.Principal{}, nil)
		if err != nil {
			wire.WriteProblem(w, r, err)
			return
		}
		writeHealth(w, found.Status, found.Body)
	}
}

func writeHealth(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may have disconnected
}
