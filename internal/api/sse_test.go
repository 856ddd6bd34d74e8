package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/live"
)

func TestStreams(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		st := newStation(t, db, live.Options{})
		l := st.active()
		for _, path := range []string{allCalls, oneCall(l.CallID)} {
			c := st.get(path, st.secret)
			if c.StatusCode != http.StatusOK || c.Header.Get("Content-Type") != "text/event-stream" || c.Header.Get("Cache-Control") != "no-store" || c.Header.Get("X-Accel-Buffering") != "no" {
				t.Errorf("%s: %s, %v", path, c.Status, c.Header)
			}
			id, _, _, err := c.next()
			if err != nil || id == "" {
				t.Errorf("%s: first id %q, %v", path, id, err)
			}
			last, _ := c.until("heartbeat")
			if id, _ := c.until("heartbeat"); id != last {
				t.Errorf("%s: a heartbeat leads from id %q to %q", path, last, id)
			}
		}
		c := st.get(oneCall(strings.ToUpper(l.CallID)), st.secret) // another spelling of the same
		st.say(l, "hello")
		resume, data := c.until("transcript")
		if data["content"] != "hello" || data["call_id"] != l.CallID {
			t.Errorf("transcript %v", data)
		}
		st.say(l, "still there?")
		again := st.get(oneCall(l.CallID), "", "X-API-Key", st.secret, "Last-Event-ID", resume)
		if _, data := again.until("transcript"); data["content"] != "still there?" {
			t.Errorf("resumed with %v", data)
		}
		_, err := st.calls.Finish(t.Context(), l, call.AgentEnded)
		st.must(err)
		for _, c := range []*client{c, again} {
			if _, data := c.until("ended"); data["final_status"] != "completed" {
				t.Errorf("ended %v", data)
			}
			if _, name, _, err := c.next(); err != io.EOF {
				t.Errorf("after the end: %s, %v", name, err)
			}
		}
		c = st.get(oneCall(acme), st.secret) // no call
		if _, name, data, _ := c.next(); name != "error" || data["call_id"] != acme || data["message"] == "" {
			t.Errorf("an unknown call: %s %v", name, data)
		}
		if _, _, _, err := c.next(); err != io.EOF {
			t.Errorf("after the error: %v", err)
		}
	})
}

func TestStreamsRefuse(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		st := newStation(t, db, live.Options{StreamsPerTenant: 1})
		_, unfit, err := st.auth.CreateKey(t.Context(), acme, auth.KeyDraft{Name: "unfit", Environment: auth.Live, Scopes: []string{"agents:read", "calls:write"}})
		st.must(err)
		open := st.get(allCalls, st.secret)
		open.until("calls_update")
		for _, c := range []struct {
			path, credential string
			status           int
			code             string
		}{
			{allCalls, "nobody", 401, "invalid_token"},
			{oneCall(acme), unfit, 403, "scope_required"},
			{allCalls, unfit, 403, "scope_required"},
			{oneCall("7"), st.secret, 422, "validation_error"},
			{allCalls, st.secret, 429, "rate_limit_exceeded"},
			{oneCall(acme), st.session, 429, "rate_limit_exceeded"},
		} {
			answer := st.get(c.path, c.credential)
			var envelope wire.Envelope
			if err := json.NewDecoder(answer.Body).Decode(&envelope); err != nil {
				t.Errorf("%s: %v", c.path, err)
			}
			if answer.StatusCode != c.status || string(envelope.Error.Code) != c.code || answer.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s with %.8s: %s, %+v, want %d %s", c.path, c.credential, answer.Status, envelope, c.status, c.code)
			}
			if (answer.Header.Get("Retry-After") != "") != (c.status == 429) {
				t.Errorf("%s: Retry-After %q with %d", c.path, answer.Header.Get("Retry-After"), c.status)
			}
		}
		open.conn.Close() // who leaves makes room
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			c := st.get(allCalls, st.secret)
			if c.StatusCode == http.StatusOK {
				c.until("connected")
				c.conn.Close()
				break
			}
			c.conn.Close()
			if time.Now().After(deadline) {
				t.Fatal("a stream whose client left still counts")
			}
		}
		st.hub.Close()
		if c := st.get(allCalls, st.session); c.StatusCode != http.StatusServiceUnavailable && c.StatusCode != http.StatusTooManyRequests {
			t.Errorf("a server that goes away answers %s", c.Status)
		}
	})
}

// Streams end with their credential; those of others continue.
func TestStreamsEndWithTheirCredential(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		st := newStation(t, db, live.Options{})
		id := st.dispatch("ada")
		open := map[string][]*client{}
		watch := func(credential string) string {
			for _, path := range []string{allCalls, oneCall(id)} {
				c := st.get(path, credential)
				c.until("connected")
				open[credential] = append(open[credential], c)
			}
			return credential
		}
		ended := func(name, credential string) {
			t.Helper()
			for _, c := range open[credential] {
				if _, data := c.until("error"); data["message"] == "" {
					t.Errorf("%s: error %v", name, data)
				}
				if _, event, _, err := c.next(); err != io.EOF {
					t.Errorf("%s: after the error: %s, %v", name, event, err)
				}
			}
		}
		lasting := func(credential string) {
			t.Helper()
			for _, c := range open[credential] {
				c.until("heartbeat")
				c.until("heartbeat")
			}
		}
		revoked, _, withdrawn := st.key, watch(st.secret), watch(st.user("bob@example.com"))
		gone, ada := watch(st.user("eve@example.com")), watch(st.session)
		_, secret, err := st.auth.CreateKey(t.Context(), acme, auth.KeyDraft{Name: "lasting", Environment: auth.Live, Scopes: []string{"calls:*"}})
		st.must(err)
		key := watch(secret)

		who, err := st.auth.VerifyAccessToken(st.session)
		st.must(err)
		st.must(st.auth.RevokeKey(t.Context(), who, revoked.ID))
		st.exec(`UPDATE users SET scopes = '["agents:read"]' WHERE email_key = 'bob@example.com'`)
		st.exec("DELETE FROM users WHERE email_key = 'eve@example.com'")
		ended("key revoked", st.secret)
		ended("scope withdrawn", withdrawn)
		ended("user gone", gone)
		lasting(ada)
		st.skew.Store(int64(auth.AccessLifetime + time.Second))
		ended("token expired", ada)
		lasting(key)
	})
}

// A client that does not read is cut; one beside it misses nothing.
func TestStreamsCutWhoDoesNotRead(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		st := newStation(t, db, live.Options{StreamsPerTenant: 2})
		l := st.active()
		stalled, reading := st.get(oneCall(l.CallID), st.secret), st.get(oneCall(l.CallID), st.secret)
		line := strings.Repeat("x", 48<<10)
		for i := range 120 { // far more than fits into queue and buffers
			want := fmt.Sprint(i, line)
			st.say(l, want)
			if _, data := reading.until("transcript"); data["content"] != want {
				t.Fatalf("line %d is %.20v", i, data["content"])
			}
		}
		var c *client
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			if c = st.get(allCalls, st.secret); c.StatusCode == http.StatusOK {
				break
			}
			c.conn.Close()
			if time.Now().After(deadline) {
				t.Fatal("the place of a client that does not read stays taken")
			}
		}
		var err error
		for err == nil {
			_, _, _, err = stalled.next()
		}
		if err == io.EOF {
			t.Error("a stream that was cut ended as if it were complete")
		}
		st.say(l, "bye")
		if _, data := reading.until("transcript"); data["content"] != "bye" {
			t.Errorf("transcript %.20v", data["content"])
		}
	})
}

// Each message moves the deadline of the answer on: a stream outlives that of
// the edge.
func TestStreamsMoveTheWriteDeadline(t *testing.T) {
	db := databasetest.SQLite(t)
	st := newStation(t, db, live.Options{})
	server, err := New(Deps{DB: db, Version: "1.2.3", Log: slog.New(slog.DiscardHandler), Auth: st.auth, Docs: fstest.MapFS{}, Calls: st.calls, Live: st.hub})
	st.must(err)
	ctx, leave := context.WithCancel(t.Context())
	w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
	w.flushed = func(n int) {
		if n == 4 { // headers, first messages, heartbeat
			leave()
		}
	}
	r := httptest.NewRequest(http.MethodGet, allCalls, nil).WithContext(ctx)
	r.Header.Set("X-API-Key", st.secret)
	server.ServeHTTP(w, r)
	if len(w.deadlines) < 4 {
		t.Fatalf("deadlines %v", w.deadlines)
	}
	for i, left := range w.deadlines[1:] { // the first is the edge's
		if left < messageTimeout/2 || left > messageTimeout {
			t.Errorf("message %d may take %s, want %s", i, left, messageTimeout)
		}
	}
}

// deadlined is a recorder with deadlines; it keeps how far off each was.
type deadlined struct {
	*httptest.ResponseRecorder
	deadlines []time.Duration
	flushes   int
	flushed   func(n int)
}

func (d *deadlined) SetWriteDeadline(at time.Time) error {
	d.deadlines = append(d.deadlines, time.Until(at))
	return nil
}

func (d *deadlined) Flush() {
	d.flushes++
	d.flushed(d.flushes)
}
