package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/seal"
)

// received is a delivery as an endpoint saw it.
type received struct {
	at     time.Time
	header http.Header
	body   []byte
	json   map[string]any
}

// receiver is a tenant's backend: it answers 401 to what is not rightly
// signed, and otherwise what answer says.
type receiver struct {
	t       testing.TB
	url     string
	clock   func() time.Time // the database's
	secrets func() []string
	answer  func(w http.ResponseWriter, n int) // n counts from 1

	mu       sync.Mutex
	arrivals []received
	now, top int // requests being answered, and their maximum
	arrived  chan struct{}
}

// newReceiver returns an endpoint in the fixture's network.
func (h *fixture) newReceiver() *receiver {
	r := &receiver{t: h.t, clock: h.now, arrived: make(chan struct{}, 10_000)}
	endpoint := h.network.listen(h.t)
	r.url = "http://" + endpoint.host
	server := &http.Server{Handler: r}
	h.t.Cleanup(func() { server.Close() })
	go server.Serve(endpoint)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		r.t.Errorf("read delivery: %v", err)
		return
	}
	if problem := r.verify(request.Header.Get("X-Webhook-Signature"), body); problem != "" {
		r.t.Errorf("signature: %s", problem)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	d := received{at: r.clock(), header: request.Header.Clone(), body: body}
	if err := json.Unmarshal(body, &d.json); err != nil {
		r.t.Errorf("body %s: %v", body, err)
	}
	r.mu.Lock()
	r.arrivals = append(r.arrivals, d)
	n := len(r.arrivals)
	r.now++
	r.top = max(r.top, r.now)
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.now--
		r.mu.Unlock()
	}()
	r.arrived <- struct{}{}
	if r.answer != nil {
		r.answer(w, n)
	}
}

// verify checks a signature as documented, without the package's code.
func (r *receiver) verify(header string, body []byte) string {
	parts := strings.Split(header, ",")
	seconds, err := strconv.ParseInt(strings.TrimPrefix(parts[0], "t="), 10, 64)
	if err != nil || !strings.HasPrefix(parts[0], "t=") {
		return "no time in " + header
	}
	if age := r.clock().Sub(time.Unix(seconds, 0)); age.Abs() > 300*time.Second {
		return fmt.Sprintf("%s old", age)
	}
	secrets := r.secrets()
	if len(parts) != 1+len(secrets) {
		return fmt.Sprintf("%d signatures in %s, want %d", len(parts)-1, header, len(secrets))
	}
	for i, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		io.WriteString(mac, strconv.FormatInt(seconds, 10)+".")
		mac.Write(body)
		if parts[i+1] != "v1="+hex.EncodeToString(mac.Sum(nil)) {
			return "wrong: " + header
		}
	}
	return ""
}

// wait returns the first n arrivals once they are there.
func (r *receiver) wait(n int) []received {
	r.t.Helper()
	deadline := time.After(patience)
	for {
		r.mu.Lock()
		arrivals := append([]received(nil), r.arrivals...)
		r.mu.Unlock()
		if len(arrivals) >= n {
			return arrivals
		}
		select {
		case <-r.arrived:
		case <-deadline:
			r.t.Fatalf("%d deliveries arrived, want %d", len(arrivals), n)
		}
	}
}

// fixture is a delivery service over one database.
type fixture struct {
	t        testing.TB
	db       *database.DB
	bus      *event.Bus
	settings *Settings
	queue    *Queue
	events   *event.Log
	options  Options
	extras   extras
	faults   errorLog
	network  network
}

// now is the database's time.
func (h *fixture) now() (now time.Time) {
	if err := h.db.System().Read(context.Background(), func(_ context.Context, tx database.Tx) error { now = tx.Now(); return nil }); err != nil {
		h.t.Error(err)
	}
	return now
}

// status answers requests with codes, one after the other.
func status(codes <-chan int) func(w http.ResponseWriter, n int) {
	return func(w http.ResponseWriter, _ int) { w.WriteHeader(<-codes) }
}

func newFixture(t testing.TB, db *database.DB) *fixture {
	bus := event.NewBus()
	queue := NewQueue(db, bus)
	return &fixture{t: t, db: db, bus: bus, queue: queue, settings: NewSettings(db, bus, newSealer(t), true),
		events: event.NewLog(bus, queue), options: Options{AllowPrivate: true, Log: slog.New(slog.DiscardHandler)}}
}

// configure sets a tenant's webhook to a receiver, with further settings.
func (h *fixture) configure(tenantID string, r *receiver, settings map[string]any) Webhook {
	h.t.Helper()
	doc := map[string]any{"url": r.url + "/hook?token=hidden"}
	for k, v := range settings {
		doc[k] = v
	}
	text, err := json.Marshal(doc)
	if err != nil {
		h.t.Fatal(err)
	}
	w, secret, err := h.settings.Put(context.Background(), tenantID, text, true)
	if err != nil {
		h.t.Fatal(err)
	}
	r.secrets = func() []string { return []string{secret} }
	return w
}

// webhook returns the id of a tenant's primary webhook.
func (h *fixture) webhook(tenantID string) string {
	h.t.Helper()
	w, err := h.settings.Get(context.Background(), tenantID)
	if err != nil {
		h.t.Fatal(err)
	}
	return w.ID
}

// append writes n events of a tenant, in one transaction, with their
// deliveries.
func (h *fixture) append(tenantID, eventType string, n int) {
	h.t.Helper()
	err := h.db.Tenant(tenantID).Write(context.Background(), func(ctx context.Context, tx database.Tx) error {
		for range n {
			e := event.Event{TenantID: tenantID, CallID: call1, Type: eventType, Livemode: true, Data: json.RawMessage(`{"call_id": "` + call1 + `", "status": "completed"}`)}
			if err := h.events.Append(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// deliver runs a Deliverer until the returned function, or the test, ends.
func (h *fixture) deliver() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	d := NewDeliverer(h.db, h.bus, h.settings.sealer, h.extras, h.faults, h.options)
	go func() {
		defer close(ended)
		d.Run(ctx)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	h.t.Cleanup(stop)
	return stop
}

// settled waits until all deliveries of a tenant have ended, and returns them,
// newest first.
func (h *fixture) settled(tenantID string) []Delivery {
	h.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		page, total, err := h.queue.Deliveries(context.Background(), tenantID, DeliveryQuery{Limit: 100})
		if err != nil {
			h.t.Fatal(err)
		}
		open := 0
		for _, d := range page {
			if d.FinishedAt == nil {
				open++
			}
		}
		if open == 0 && total > 0 {
			return page
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("%d deliveries are still open: %+v", open, page)
		}
	}
}

// errorLog forwards its items, and may fail.
type errorLog struct {
	disabled func(tenantID, callID, message string)
	failed   func(tenantID, callID, message string, details map[string]any)
	err      error
}

func (e errorLog) WebhookDisabled(_ context.Context, tx database.Tx, tenantID, callID, message string, _ map[string]any) error {
	tx.AfterCommit(func() { e.disabled(tenantID, callID, message) })
	return e.err
}

func (e errorLog) DeliveryFailed(_ context.Context, tx database.Tx, tenantID, callID, message string, details map[string]any) error {
	if e.failed != nil {
		tx.AfterCommit(func() { e.failed(tenantID, callID, message, details) })
	}
	return nil
}

// extras is a package call that knows call1's transcript, context and no metrics.
type extras struct {
	closed bool // the context does not open
}

func (extras) Transcript(context.Context, string, string) (json.RawMessage, error) {
	return json.RawMessage(`[{"role":"user","content":"hello"}]`), nil
}

func (e extras) Context(_ context.Context, tenantID, callID string) (json.RawMessage, error) {
	if e.closed {
		return nil, fmt.Errorf("context of call %s: %w", callID, seal.ErrOpen)
	}
	return json.RawMessage(`{"tenant":"` + tenantID + `","call":"` + callID + `"}`), nil
}

func (extras) Metrics(context.Context, string, string) (json.RawMessage, error) {
	return nil, fault.Missing("call")
}

func (extras) PageLink(_ context.Context, tenantID, pageID string) (json.RawMessage, error) {
	switch pageID {
	case "used":
		return nil, fault.Missing("link")
	case "closed":
		return nil, fmt.Errorf("link of a page: %w", seal.ErrOpen)
	}
	return json.RawMessage(`"https://voice.example.com/transfer/` + pageID + `#` + tenantID + `"`), nil
}

// eachDatabase runs a test on every database, with the tenants acme and other and
// endpoints in memory, in virtual time.
func eachDatabase(t *testing.T, f func(t *testing.T, h *fixture)) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) { f(t, fixtureOf(t, db)) })
}

// onPostgres runs a test of concurrent nodes on PostgreSQL, in real time. SQLite has one node and one writer.
func onPostgres(t *testing.T, f func(t *testing.T, h *fixture)) {
	f(t, fixtureOf(t, databasetest.Postgres(t)))
}

func fixtureOf(t *testing.T, db *database.DB) *fixture {
	t.Helper()
	databasetest.Tenant(t, db, acme, "acme")
	databasetest.Tenant(t, db, other, "other")
	h := newFixture(t, db)
	h.options.transport = h.network.transport()
	return h
}

// blocked waits until as many transactions in PostgreSQL wait for another's
// lock as want returns. It does not sleep: in a bubble that would last as long
// as they wait.
func (h *fixture) blocked(want func() int) {
	h.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		var waiting int
		if err := h.db.System().Read(context.Background(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(ctx, &waiting)
		}); err != nil {
			h.t.Fatal(err)
		}
		if waiting >= want() {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("%d transactions wait for a lock, want %d", waiting, want())
		}
	}
}
