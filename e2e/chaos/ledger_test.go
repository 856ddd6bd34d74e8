package chaos

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/database"
)

// ledger is a tenant's backend, whose records are compared with the server's.
type ledger struct {
	*httptest.Server
	mu       sync.Mutex
	received map[string]int // by event
	refused  []error
	secret   string
}

func open(t *testing.T) *ledger {
	l := &ledger{received: map[string]int{}}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	var e client.Event
	if err == nil {
		err = client.VerifyWebhook(body, q.Header.Get(client.SignatureHeader), l.secret, time.Now())
	}
	if err == nil {
		e, err = client.ParseEvent(body)
	}
	if err != nil {
		if q.Context().Err() == nil { // the sender was not killed
			l.refused = append(l.refused, err)
		}
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	l.received[e.ID]++
}

// count is the number of events received, and of repetitions.
func (l *ledger) count() (events, repeats int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.received {
		events, repeats = events+1, repeats+n-1
	}
	return events, repeats
}

// subject is the server that is put to the test, and what it has acknowledged.
type subject struct {
	t       *testing.T
	dir     string
	env     map[string]string
	ledger  *ledger
	server  atomic.Pointer[binary.Server] // nil while it is dead
	mu      sync.Mutex
	started []string // acknowledged dispatches
	ended   []string // acknowledged ends
	changes atomic.Int64
	errors  atomic.Int64 // requests that were not acknowledged
}

// put starts a server on SQLite, or on the database of env, whose demo tenant has its webhook in a ledger.
func put(t *testing.T, env map[string]string) *subject {
	t.Helper()
	s := &subject{t: t, dir: filepath.Join(t.TempDir(), "data"), ledger: open(t), env: map[string]string{
		"JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32), "PARLEY_DEMO": "true", "PARLEY_LOG_LEVEL": "warn"}}
	for k, v := range env {
		s.env[k] = v
	}
	s.start()
	t.Cleanup(func() {
		if server := s.server.Load(); server != nil {
			if t.Failed() {
				t.Logf("log of the server:\n%s", server.Log.String())
			}
			server.Kill()
		}
	})
	hook, err := s.api().Webhooks.Set(t.Context(), client.WebhookSettings{URL: s.ledger.URL})
	if err != nil {
		t.Fatal(err)
	}
	s.ledger.mu.Lock()
	s.ledger.secret = hook.Secret
	s.ledger.mu.Unlock()
	return s
}

func (s *subject) start() {
	s.t.Helper()
	server, err := binary.Start(program, s.dir, s.env, "--without=media,worker")
	if err != nil {
		s.t.Fatal(err)
	}
	s.server.Store(server)
}

func (s *subject) kill() {
	server := s.server.Swap(nil)
	server.Kill()
}

// api is a client of the living server; nil while it is dead.
func (s *subject) api() *client.Client {
	server := s.server.Load()
	if server == nil {
		return nil
	}
	return client.New(server.URL, s.key())
}

// key is one without a limit worth the name, once fast has made it; before that, the demo's.
func (s *subject) key() string {
	key, err := os.ReadFile(filepath.Join(s.dir, "chaos-key"))
	if err != nil {
		key, err = os.ReadFile(filepath.Join(s.dir, "demo-api-key"))
	}
	if err != nil {
		s.t.Error(err)
	}
	return strings.TrimSpace(string(key))
}

// fast makes the key of key.
func (s *subject) fast() {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, "chaos-key"), []byte(s.keyOf("demo")), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// keyOf makes a key of a tenant, without a limit worth the name.
func (s *subject) keyOf(tenant string) string {
	s.t.Helper()
	var made struct{ Key string }
	out := s.administer("key", "create", "--tenant", tenant, "--name", "chaos", "--environment", "live", "--scopes", "*", "--rate-limit", "100000", "--json")
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		s.t.Fatal(err)
	}
	return made.Key
}

// administer runs a command of the program on the server's database and returns what it prints.
func (s *subject) administer(command ...string) string {
	s.t.Helper()
	settings := map[string]string{"PARLEY_DATA_DIR": s.dir}
	for _, name := range []string{"DATABASE_URL", "JWT_SECRET", "ENCRYPTION_KEY"} {
		if v, ok := s.env[name]; ok {
			settings[name] = v
		}
	}
	p, err := binary.Launch(program, settings, command...)
	if err != nil {
		s.t.Fatal(err)
	}
	code, err := p.Wait(s.t.Context())
	if err != nil || code != 0 {
		s.t.Fatalf("%s exits with %d: %v\n%s", strings.Join(command, " "), code, err, p.Log.String())
	}
	return p.Out.String()
}

// load changes calls until ctx ends, with concurrent clients: dispatch and end, two changes a call. An answered change is
// acknowledged; one that returned an error may or may not have happened.
func (s *subject) load(ctx context.Context, clients int) (wait func()) {
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for ctx.Err() == nil {
				if !s.change(ctx) {
					time.Sleep(5 * time.Millisecond)
				}
			}
		})
	}
	return running.Wait
}

func (s *subject) change(ctx context.Context) bool {
	api := s.api()
	if api == nil {
		return false
	}
	d, err := api.Calls.TestAgent(ctx, client.TestAgent{AgentName: "demo"})
	if err != nil {
		return s.refused(ctx)
	}
	s.mu.Lock()
	s.started = append(s.started, d.CallID)
	s.mu.Unlock()
	s.changes.Add(1)
	if _, err := api.Calls.End(ctx, d.CallID); err != nil {
		return s.refused(ctx)
	}
	s.mu.Lock()
	s.ended = append(s.ended, d.CallID)
	s.mu.Unlock()
	s.changes.Add(1)
	return true
}

func (s *subject) refused(ctx context.Context) bool {
	if ctx.Err() == nil {
		s.errors.Add(1)
	}
	return false
}

// audit waits until no delivery is pending and compares the records: everything acknowledged is in the database,
// and every event of the database was delivered. It returns how many events came, and how many came again.
func (s *subject) audit() (events, repeats int) {
	t := s.t
	t.Helper()
	path := filepath.Join(s.dir, "parley.db")
	if s.env["DATABASE_URL"] != "" {
		path = ""
	}
	db, err := database.Open(t.Context(), s.env["DATABASE_URL"], path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	owed := func() (n int) {
		if err := db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT count(*) FROM webhook_deliveries WHERE finished_at IS NULL").Scan(ctx, &n)
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	await(t, 50*time.Millisecond, "no delivery is owed", func() bool { return owed() == 0 })
	var written, failed []string
	var calls []struct{ ID, Status string }
	if err := db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
		if err := tx.NewRaw("SELECT id FROM events").Scan(ctx, &written); err != nil {
			return err
		}
		if err := tx.NewRaw("SELECT id FROM webhook_deliveries WHERE status = 'failed'").Scan(ctx, &failed); err != nil {
			return err
		}
		return tx.NewRaw("SELECT id, status FROM calls").Scan(ctx, &calls)
	}); err != nil {
		t.Fatal(err)
	}
	status := map[string]string{}
	for _, c := range calls {
		status[c.ID] = c.Status
	}
	s.mu.Lock()
	for _, id := range s.started {
		if status[id] == "" {
			t.Errorf("call %s was acknowledged and is not there", id)
		}
	}
	for _, id := range s.ended {
		if status[id] != "failed" { // as a call that nobody had joined
			t.Errorf("the end of call %s was acknowledged, and it is %q", id, status[id])
		}
	}
	s.mu.Unlock()
	s.ledger.mu.Lock()
	for _, id := range written {
		if s.ledger.received[id] == 0 {
			t.Errorf("event %s was written and never came", id)
		}
	}
	for _, err := range s.ledger.refused {
		t.Errorf("a delivery was refused: %v", err)
	}
	s.ledger.mu.Unlock()
	if len(failed) > 0 {
		t.Errorf("%d deliveries failed", len(failed))
	}
	events, repeats = s.ledger.count()
	if events > len(written) {
		t.Errorf("%d events came of %d that were written", events, len(written))
	}
	return events, repeats
}
