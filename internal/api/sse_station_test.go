package api

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"parley/internal/agent"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/leaktest"
	"parley/internal/live"
	"parley/internal/provider/catalogtest"
	"parley/internal/seal"
	"parley/internal/workflow"
)

// station is the API on a loopback port over a database, with acme's agent
// desk, a key that may read calls and a user.
type station struct {
	t     testing.TB
	db    *database.DB
	auth  *auth.Service
	calls *call.Service
	hub   *live.Hub
	url   string
	key   *auth.Key
	skew  atomic.Int64 // of the clock that access tokens are judged by
	// secret is the key's, session the user's access token.
	secret, session string
}

func newStation(t testing.TB, db *database.DB, o live.Options) *station {
	t.Helper()
	databasetest.Tenant(t, db, acme, "acme")
	databasetest.Tenant(t, db, other, "other")
	st := &station{t: t, db: db}
	var err error
	st.auth, err = auth.New(auth.Options{DB: db, Secret: []byte("0123456789abcdef0123456789abcdef"), PasswordCost: cheap, KeySecrets: [][]byte{[]byte("fedcba9876543210fedcba9876543210")},
		Now: func() time.Time { return time.Now().Add(time.Duration(st.skew.Load())) }})
	st.must(err)
	sealer, err := seal.New(make([]byte, seal.KeySize))
	st.must(err)
	bus := event.NewBus()
	st.calls = call.NewService(db, event.NewLog(bus), bus, sealer, call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour})
	st.hub = live.New(db, bus, o)
	_, _, err = agent.Registry{Usage: workflow.Usage{}, Providers: catalogtest.Catalog{"stt/ear": {"ear-1"}, "tts/mouth": {"mouth-1"}, "llm/brain": {"brain-1"}}}.In(db.Tenant(acme)).
		Create(t.Context(), agent.Draft{Name: "desk", Config: agent.Config{Prompt: agent.Prompt{System: "You are the desk."},
			STT: agent.STT{Provider: "ear", Model: "ear-1"}, TTS: agent.TTS{Provider: "mouth", VoiceID: "mouth-1"}, LLM: agent.LLM{Provider: "brain", Model: "brain-1"}}})
	st.must(err)
	server, err := New(Deps{DB: db, Version: "1.2.3", Log: slog.New(slog.DiscardHandler), Auth: st.auth, Docs: fstest.MapFS{}, Calls: st.calls, Live: st.hub})
	st.must(err)
	st.key, st.secret, err = st.auth.CreateKey(t.Context(), acme, auth.KeyDraft{Name: "watcher", Environment: auth.Live, Scopes: []string{"calls:read"}, RateLimit: auth.MaxRateLimit})
	st.must(err)
	st.session = st.user("ada@example.com")

	before := goleak.IgnoreCurrent()
	listening := httptest.NewUnstartedServer(nil)
	listening.Config = HTTPServer(server, slog.New(slog.DiscardHandler))
	listening.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(16 << 10) // so that a client that does not read is felt soon
		return ctx
	}
	listening.Start()
	st.url = listening.URL
	t.Cleanup(func() { // after the clients have left
		listening.Close()
		st.hub.Wait()
		leaktest.None(t, before, goleak.IgnoreAnyFunction("database/sql.(*DB).connectionOpener"), goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgxpool.(*Pool).backgroundHealthCheck"))
	})
	return st
}

func (st *station) must(err error) {
	st.t.Helper()
	if err != nil {
		st.t.Fatal(err)
	}
}

// user makes a user of acme and returns an access token.
func (st *station) user(email string) string {
	st.t.Helper()
	_, err := st.auth.CreateUser(context.Background(), acme, email, "open sesame, please", nil)
	st.must(err)
	session, err := st.auth.Login(context.Background(), email, "open sesame, please", netip.Addr{})
	st.must(err)
	return session.AccessToken
}

func (st *station) dispatch(user string) string {
	st.t.Helper()
	c, _, err := st.calls.Dispatch(context.Background(), call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP, UserID: &user, Livemode: true})
	st.must(err)
	return c.ID
}

// active makes a call held by a worker.
func (st *station) active() call.Lease {
	st.t.Helper()
	st.dispatch("ada")
	claimed, err := st.calls.Claim(context.Background(), "w1", 1)
	st.must(err)
	st.must(st.calls.MarkConnecting(context.Background(), claimed[0].Lease()))
	st.must(st.calls.MarkActive(context.Background(), claimed[0].Lease()))
	return claimed[0].Lease()
}

func (st *station) say(l call.Lease, line string) {
	st.must(st.calls.Record(context.Background(), l, call.Records{Entries: []call.TranscriptEntry{{Role: "assistant", Content: line, CreatedAt: time.Now().UTC().Truncate(time.Microsecond)}}}))
}

// client is one that watches.
type client struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
	*http.Response
}

// get asks for a path. Headers come in pairs.
func (st *station) get(path, credential string, headers ...string) *client {
	st.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(st.url, "http://"))
	st.must(err)
	_ = conn.(*net.TCPConn).SetReadBuffer(16 << 10)
	r, err := http.NewRequest(http.MethodGet, st.url+path, nil)
	st.must(err)
	r.Header.Set("Authorization", "Bearer "+credential)
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	st.must(r.Write(conn))
	c := &client{t: st.t, conn: conn}
	st.t.Cleanup(func() { conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	c.Response, err = http.ReadResponse(bufio.NewReader(conn), r)
	st.must(err)
	c.in = bufio.NewReader(c.Body)
	return c
}

// next reads a message; it is io.EOF when the server has closed the stream.
func (c *client) next() (id, name string, data map[string]any, err error) {
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return "", "", nil, err
		}
		switch field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); field {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			if err := json.Unmarshal([]byte(value), &data); err != nil {
				return "", "", nil, err
			}
		case "":
			return id, name, data, nil
		}
	}
}

// until reads messages up to one of a name.
func (c *client) until(name string) (id string, data map[string]any) {
	c.t.Helper()
	for {
		id, got, data, err := c.next()
		if err != nil {
			c.t.Fatalf("waiting for %s: %v", name, err)
		}
		if got == name {
			return id, data
		}
	}
}

const allCalls = "/api/v1/sse/calls/stream"

func oneCall(id string) string { return "/api/v1/sse/calls/" + id + "/stream" }

func (st *station) exec(query string) {
	st.t.Helper()
	st.must(st.db.System().Write(context.Background(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, query)
		return err
	}))
}
