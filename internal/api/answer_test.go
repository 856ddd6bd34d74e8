package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/internal/inflight"
)

// A large answer of a GET that the budgets do not suffice for is an error in its place; a small one, and that of another
// method, is sent in any case.
func TestLargeAnswersAreCounted(t *testing.T) {
	for _, c := range []struct {
		method        string
		size, held    int
		status, bytes int
	}{
		{http.MethodGet, inflight.Free, inflight.PerTenant, http.StatusCreated, inflight.Free},
		{http.MethodGet, inflight.PerTenant / 2, inflight.PerTenant / 4, http.StatusCreated, inflight.PerTenant / 2},
		{http.MethodGet, inflight.PerTenant / 2, inflight.PerTenant, http.StatusTooManyRequests, 0},
		{http.MethodGet, inflight.PerTenant + inflight.Free + 1, 0, http.StatusUnprocessableEntity, 0},
		{http.MethodPost, inflight.PerTenant / 2, inflight.PerTenant, http.StatusCreated, inflight.PerTenant / 2},
	} {
		t.Run(fmt.Sprintf("%s %d beside %d", c.method, c.size, c.held), func(t *testing.T) {
			pool := inflight.NewPool()
			other, _ := pool.Begin(t.Context(), func() string { return acme })
			if err := inflight.Reserve(other, c.held); err != nil {
				t.Fatal(err)
			}
			ctx, held := pool.Begin(t.Context(), func() string { return acme })
			defer held.End()
			recorder := httptest.NewRecorder()
			w := &answerWriter{ResponseWriter: recorder, request: httptest.NewRequestWithContext(ctx, c.method, "/", nil), deadline: time.Now().Add(time.Minute)}
			w.Header().Set("Content-Length", fmt.Sprint(c.size))
			w.WriteHeader(http.StatusCreated)
			if n, err := w.Write([]byte(strings.Repeat("x", c.size))); n != c.size || err != nil {
				t.Errorf("wrote %d, %v", n, err)
			}
			w.commit()
			if recorder.Code != c.status || w.status != c.status {
				t.Errorf("status %d, noted %d, want %d", recorder.Code, w.status, c.status)
			}
			if c.bytes > 0 && recorder.Body.Len() != c.bytes {
				t.Errorf("%d bytes, want %d", recorder.Body.Len(), c.bytes)
			}
			if c.bytes == 0 && (!strings.Contains(recorder.Body.String(), "limit answer_bytes") || recorder.Header().Get("Content-Length") != "" || recorder.Body.Len() > 1000) {
				t.Errorf("%v %.300s", recorder.Header(), recorder.Body)
			}
			if retry := recorder.Header().Get("Retry-After"); (retry != "") != (c.status == http.StatusTooManyRequests) {
				t.Errorf("Retry-After %q", retry)
			}
		})
	}
}

// The status of an answer without a body is sent, too.
func TestStatusWithoutBody(t *testing.T) {
	recorder := httptest.NewRecorder()
	w := &answerWriter{ResponseWriter: recorder, request: httptest.NewRequest(http.MethodDelete, "/", nil)}
	w.WriteHeader(http.StatusNoContent)
	w.WriteHeader(http.StatusOK)
	w.commit()
	if recorder.Code != http.StatusNoContent || w.status != http.StatusNoContent {
		t.Errorf("status %d, noted %d", recorder.Code, w.status)
	}
}
