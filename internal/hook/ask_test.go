package hook

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/database/databasetest"
	"parley/internal/seal"
)

const acme = "0193a6f0-0000-7000-8000-000000000001"

// newAsker returns an Asker for a tenant without a secret.
func newAsker(t *testing.T, allowPrivate bool) *Asker {
	t.Helper()
	db := databasetest.SQLite(t)
	databasetest.Tenant(t, db, acme, "acme")
	sealer, err := seal.New(bytes.Repeat([]byte{7}, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	a := NewAsker(db, sealer, allowPrivate)
	t.Cleanup(a.Close)
	return a
}

// A hook reaches no private address unless that is allowed, follows no redirect, is asked once, and waits no longer than its timeout.
func TestRequestsAreGuarded(t *testing.T) {
	var asked atomic.Int64
	backend := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // the end of a connection is noticed after its request
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/empty", http.StatusTemporaryRedirect)
		case "/broken":
			http.Error(w, "the case of Ms Jones", http.StatusServiceUnavailable)
		case "/empty":
			w.WriteHeader(http.StatusNoContent)
		case "/text":
			_, _ = w.Write([]byte(`{}`))
		case "/long":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(bytes.Repeat([]byte(" "), maxAnswer+1))
		case "/slow":
			<-r.Context().Done()
		}
	}))
	t.Cleanup(backend.Close)
	guarded, open := newAsker(t, false), newAsker(t, true)
	open.transport.TLSClientConfig = backend.Client().Transport.(*http.Transport).TLSClientConfig
	for _, tc := range []struct {
		asker   *Asker
		path    string
		problem string
		asked   int64
	}{
		{guarded, "/empty", "its URL must lead to a public address", 0},
		{open, "/empty", "", 1},
		{open, "/redirect", "answered with status 307", 1},
		{open, "/broken", "answered with status 503", 1},
		{open, "/text", "answered without the content type application/json", 1},
		{open, "/long", "answered with more than 256 KiB", 1},
		{open, "/slow", "no answer within 100 ms", 1},
	} {
		asked.Store(0)
		begun, problem := time.Now(), ""
		if _, err := tc.asker.Ask(context.Background(), acme, CallHook{URL: backend.URL + tc.path, TimeoutMS: 100}, Question{}); err != nil {
			problem = err.Error()
		}
		if problem != tc.problem || asked.Load() != tc.asked || time.Since(begun) > 5*time.Second {
			t.Errorf("%s: %q, asked %d times, after %v", tc.path, problem, asked.Load(), time.Since(begun))
		}
	}
	if _, err := guarded.Ask(t.Context(), acme, CallHook{URL: "http://example.com/"}, Question{}); err == nil || err.Error() != "its URL must be an https URL" {
		t.Errorf("plain HTTP: %v", err)
	}
}

// What a backend answers is checked before anything of it applies to a call.
func TestAnswersAreChecked(t *testing.T) {
	for _, tc := range []struct{ text, problem string }{
		{`{}`, ""},
		{`{"unknown": 1}`, ""},
		{`{"user_context": {"a": 1}, "metadata": null, "agent_name": "x", "greeting": "Hello"}`, ""},
		{`{"reject": {}}`, ""},
		{`{"reject": {"sip_status": 603}}`, ""},
		{``, "something other than a JSON object"},
		{`"yes"`, "something other than a JSON object"},
		{`{"agent_name": 7}`, "agent_name in the wrong form"},
		{`{"agent_name": "a", "workflow_slug": "b"}`, "both workflow_slug and agent_name"},
		{`{"user_context": []}`, "user_context that is no object"},
		{`{"metadata": "x"}`, "metadata that is no object"},
		{`{"user_context": {"a": "` + strings.Repeat("x", maxContext) + `"}}`, "user_context of more than 64 KiB"},
		{`{"greeting": "` + strings.Repeat("ä", maxGreeting+1) + `"}`, "greeting of more than 100000 characters"},
		{`{"agent_name": "` + strings.Repeat("x", maxName+1) + `"}`, "name of more than 100 bytes"},
		{`{"reject": {"sip_status": 200}}`, "sip_status that is not from 400 to 699"},
		{`{"a": "` + strings.Repeat("x", maxAnswer) + `"}`, "more than 256 KiB"},
	} {
		_, err := parse([]byte(tc.text))
		if (err == nil) != (tc.problem == "") || err != nil && !strings.Contains(err.Error(), tc.problem) {
			t.Errorf("%.60s: %v, want %q", tc.text, err, tc.problem)
		}
	}
}

// A hook is checked when it is stored.
func TestHooksAreChecked(t *testing.T) {
	for _, tc := range []struct {
		hook   CallHook
		fields string
	}{
		{CallHook{URL: "https://example.com/call"}, ""},
		{CallHook{URL: "https://example.com/call", TimeoutMS: 4000, OnFailure: OnFailureReject}, ""},
		{CallHook{}, "config.call_hook.url"},
		{CallHook{URL: "ftp://example.com", TimeoutMS: 4001, OnFailure: "ignore"}, "config.call_hook.url config.call_hook.timeout_ms config.call_hook.on_failure"},
		{CallHook{URL: "https://example.com/" + strings.Repeat("x", maxURL)}, "config.call_hook.url"},
	} {
		var fields []string
		for _, d := range tc.hook.Faults("config.call_hook") {
			fields = append(fields, d.Field)
		}
		if got := strings.Join(fields, " "); got != tc.fields {
			t.Errorf("%+v: faults of %q, want %q", tc.hook, got, tc.fields)
		}
	}
}
