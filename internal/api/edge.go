package api

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"parley/internal/api/wire"
	"parley/internal/fault"
	"parley/internal/inflight"
)

// transportSecurity makes browsers use https only, for a year.
const transportSecurity = "max-age=31536000"

// edge wraps every route: request ID, security headers, CORS, access log, trace, recovery from panics, and the error envelope
// for unknown routes. page may serve paths without a route. answered receives each answer; see Metrics.
func edge(mux *http.ServeMux, deps *Deps, page func(http.ResponseWriter, *http.Request) bool, answered func(tenantID, method, endpoint string, status int, took time.Duration)) http.Handler {
	log, pool := deps.Log, inflight.NewPool()
	routes := sharing(deps.CORSOrigins, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { route(mux, page, w, r) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		r = tidy(r)
		x := &wire.Exchange{ID: requestID(r.Header.Get(wire.RequestIDHeader)), Client: clientAddress(r, deps.TrustedProxies), UserAgent: r.UserAgent()}
		var span trace.Span
		if deps.Tracer != nil {
			r, span = startSpan(deps.Tracer, r)
			defer span.End()
		}
		ctx, held := pool.Begin(wire.WithExchange(r.Context(), x), func() string { return x.Tenant })
		defer held.End()
		r = r.WithContext(ctx)
		answer := &answerWriter{ResponseWriter: w, request: r, deadline: began.Add(writeTimeout)}
		h := answer.Header()
		h.Set(wire.RequestIDHeader, x.ID)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		if deps.Secure {
			h.Set("Strict-Transport-Security", transportSecurity)
		}
		h.Set("Cache-Control", "no-store") // the documentation pages say otherwise
		// A test's recorder has no deadlines.
		_ = http.NewResponseController(w).SetWriteDeadline(answer.deadline)
		sent, body := r.ContentLength != 0, r.Body
		over := func() {
			status := cmp.Or(answer.status, http.StatusOK)
			logExchange(log, r, x, status, began)
			answered(x.Tenant, r.Method, endpoint(r), status, time.Since(began))
			if span != nil {
				describeSpan(span, r, x, status)
			}
		}

		defer func() {
			if p := recover(); p != nil {
				if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(p)
				}
				x.Cause = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
				if answer.status != 0 {
					over()
					panic(http.ErrAbortHandler) // half an answer is out: cut it
				}
				answer.pending = 0
				wire.WriteProblem(answer, r, fault.New(fault.Internal, "internal server error"))
			}
			answer.commit()
			if sent && !x.BodyLost && answer.status != http.StatusSwitchingProtocols {
				wire.Drain(w, body)
			}
			over()
		}()
		routes.ServeHTTP(answer, r)
	})
}

// tidy returns a request with the path that ServeMux would redirect it to: a base
// URL that ends in a slash gives //api/v1. Not every client follows a redirect
// with its body and its credential, so the path is served as it was meant.
func tidy(r *http.Request) *http.Request {
	escaped := r.URL.EscapedPath()
	if !strings.HasPrefix(escaped, "/") {
		return r // OPTIONS *
	}
	clean := path.Clean(escaped)
	if strings.HasSuffix(escaped, "/") && clean != "/" {
		clean += "/"
	}
	plain, err := url.PathUnescape(clean)
	if clean == escaped || err != nil {
		return r
	}
	tidied := r.Clone(r.Context())
	tidied.URL.Path, tidied.URL.RawPath = plain, clean
	return tidied
}

// route serves a request, with the envelope in place of ServeMux's own 404 and
// 405, the only answers in plain text.
func route(mux *http.ServeMux, page func(http.ResponseWriter, *http.Request) bool, w http.ResponseWriter, r *http.Request) {
	if unmatched, pattern := mux.Handler(r); pattern == "" {
		plain := &discard{header: http.Header{}}
		unmatched.ServeHTTP(plain, r)
		if plain.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", plain.header.Get("Allow"))
			wire.WriteProblem(w, r, fault.New(fault.MethodNotAllowed, "method %s is not allowed here", r.Method))
			return
		}
		if !page(w, r) {
			wire.WriteProblem(w, r, fault.New(fault.NotFound, "no such route"))
		}
		return
	}
	mux.ServeHTTP(w, r)
}

// requestID accepts a client's id if it is short and plain, because it is written to a header and the log, and
// otherwise generates one.
func requestID(given string) string {
	if 1 <= len(given) && len(given) <= 128 && strings.Trim(given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/=+") == "" {
		return given
	}
	var id [16]byte
	rand.Read(id[:]) // never fails, says crypto/rand
	return hex.EncodeToString(id[:])
}

// endpoint returns the pattern of the route that a request came to, "" when there
// was none.
func endpoint(r *http.Request) string {
	if _, route, withMethod := strings.Cut(r.Pattern, " "); withMethod {
		return route
	}
	return r.Pattern
}

// logExchange logs a request on one line, with the route's pattern instead of the path, because paths may contain
// names and queries personal data.
func logExchange(log *slog.Logger, r *http.Request, x *wire.Exchange, status int, began time.Time) {
	level := slog.LevelInfo
	if route := endpoint(r); route == metricsPath || route == "/health" || strings.HasPrefix(route, "/health/") {
		level = slog.LevelDebug // probes come every few seconds
	}
	attrs := []slog.Attr{
		slog.String("method", r.Method),
		slog.String("route", endpoint(r)),
		slog.Int("status", status),
		slog.Float64("duration_ms", float64(time.Since(began).Microseconds())/1000),
		slog.String("tenant", x.Tenant),
		slog.String("request_id", x.ID),
	}
	if x.Cause != nil {
		if r.Context().Err() == nil { // else the client left, and that is no error of ours
			level = slog.LevelError
		}
		attrs = append(attrs, slog.Any("error", x.Cause))
	}
	log.LogAttrs(r.Context(), level, "request", attrs...)
}

// discard is the http.ResponseWriter of an answer that is not sent.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
