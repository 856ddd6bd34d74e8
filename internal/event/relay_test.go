package event_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/leaktest"
	"parley/internal/redis"
	"parley/internal/redis/redistest"
)

// patience bounds the wait for a condition.
const patience = time.Minute

// wires runs f over each kind of wire; cut breaks all connections.
func wires(t *testing.T, f func(t *testing.T, open func() event.Wire, cut func())) {
	t.Run("postgres", func(t *testing.T) {
		url := databasetest.PostgresURL(t)
		connect := func() *database.DB {
			db, err := database.Open(t.Context(), url, "")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(db.Close)
			return db
		}
		admin := connect()
		f(t, func() event.Wire { return connect().Channel() }, func() {
			err := admin.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				var ended int
				err := tx.NewRaw("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()").Scan(ctx, &ended)
				if err == nil && ended == 0 {
					err = fmt.Errorf("there was no connection to end")
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("redis", func(t *testing.T) {
		server := redistest.Start(t)
		f(t, func() event.Wire {
			client, err := redis.Open(t.Context(), server.URL)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { client.Close() })
			return redis.NewChannel(client)
		}, func() {
			server.Stop()
			server.Restart()
		})
	})
}

// node is a bus whose relay runs until the test ends.
type node struct {
	*event.Bus
	stop func()
}

func start(t *testing.T, wire event.Wire) node {
	t.Helper()
	bus := event.NewBus()
	r := event.NewRelay(bus, wire, slog.New(slog.DiscardHandler))
	ready, unsubscribe := bus.Subscribe(event.Pending, 1)
	defer unsubscribe()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	n := node{bus, func() { cancel(); running.Wait() }}
	t.Cleanup(n.stop)
	want(t, ready, "") // it looks when it has joined
	return n
}

// want reads announcements up to the one wanted.
func want(t *testing.T, heard <-chan string, payload string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case got := <-heard:
			if got == payload {
				return
			}
		case <-deadline:
			t.Fatalf("%q was not announced", payload)
		}
	}
}

// What is published on one node is announced on all, once on each.
func TestRelay(t *testing.T) {
	wires(t, func(t *testing.T, open func() event.Wire, cut func()) {
		before := goleak.IgnoreCurrent()
		one, two, three := start(t, open()), start(t, open()), start(t, open())
		var heard []<-chan string
		for _, n := range []node{one, two, three} {
			c, unsubscribe := n.Subscribe(event.Ending, 10_000)
			defer unsubscribe()
			heard = append(heard, c)
		}
		const calls = 500 // more than one message holds
		for i := range calls {
			two.Publish(event.Ending, fmt.Sprintf("0193a6f0-0000-7000-8000-%012d", i))
		}
		two.Publish(event.Calls, "a tenant")
		for i, c := range heard {
			counts := map[string]int{}
			deadline := time.After(patience)
			for len(counts) < calls {
				select {
				case id := <-c:
					counts[id]++
				case <-deadline:
					t.Fatalf("node %d heard of %d calls, want %d", i+1, len(counts), calls)
				}
			}
			two.Publish(event.Ending, "last")
			want(t, c, "last")
			for id, n := range counts {
				if n != 1 {
					t.Errorf("node %d heard of %q %d times", i+1, id, n)
				}
			}
		}
		for _, n := range []node{one, two, three} {
			n.stop()
		}
		one.Publish(event.Ending, "nobody listens") // and nobody waits
		leaktest.None(t, before, goleak.IgnoreAnyFunction("database/sql.(*DB).connectionOpener"), goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgxpool.(*Pool).backgroundHealthCheck"),
			goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).queuedNewConn.func1"))
	})
}

// After a broken wire is connected again, all nodes refresh once, and notifications continue.
func TestRelayReconnects(t *testing.T) {
	wires(t, func(t *testing.T, open func() event.Wire, cut func()) {
		one, two := start(t, open()), start(t, open())
		for round := range 3 {
			looks, deafen := two.Subscribe(event.Calls, 100)
			ends, unsubscribe := two.Subscribe(event.Ending, 100)
			cut()
			want(t, looks, "") // it has joined again
			// The other node may not have detected yet that its own connection is
			// broken: its messages are lost then, and it sends a refresh instead.
			told, heard := fmt.Sprint("round ", round), ""
			deadline := time.After(patience)
			for heard != told {
				one.Publish(event.Ending, told)
				select {
				case heard = <-ends:
				case <-time.After(50 * time.Millisecond):
				case <-deadline:
					t.Fatalf("%q is not announced", told)
				}
			}
			unsubscribe()
			deafen()
		}
	})
}

// An unreachable wire costs only bounded memory; when it recovers, the other nodes receive a refresh.
func TestRelayFlood(t *testing.T) {
	bus := event.NewBus()
	wire := &slowWire{begin: make(chan struct{})}
	r := event.NewRelay(bus, wire, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	defer running.Wait()
	defer cancel()
	for i := range 100_000 {
		bus.Publish(event.Calls, fmt.Sprint("tenant-", i))
	}
	elsewhere := event.NewBus()
	other := event.NewRelay(elsewhere, wire, slog.New(slog.DiscardHandler))
	heard, unsubscribe := elsewhere.Subscribe(event.Calls, 10_000)
	defer unsubscribe()
	wire.receive = func(message string) { wire.sizes = append(wire.sizes, len(message)); event.Receive(other, message) }
	close(wire.begin)
	want(t, heard, "")
	cancel()
	running.Wait()
	total := 0
	for _, n := range wire.sizes {
		total += n
		if n > 4000 {
			t.Errorf("a message of %d bytes", n)
		}
	}
	if total > 100_000 {
		t.Errorf("%d bytes were sent of announcements that nobody needs one by one", total)
	}
}

// slowWire connects when begin is closed and calls receive with what is sent.
type slowWire struct {
	begin   chan struct{}
	receive func(string)
	sizes   []int
}

func (w *slowWire) Run(ctx context.Context, joined func(), _ func(string), send <-chan string) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-w.begin:
	}
	joined()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case message := <-send:
			w.receive(message)
		}
	}
}

// When a wire breaks during a message, all nodes receive a refresh once it is connected again: the message may be lost.
func TestRelayReminds(t *testing.T) {
	bus := event.NewBus()
	wire := &brittleWire{sent: make(chan string, 100)}
	r := event.NewRelay(bus, wire, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	defer running.Wait()
	defer cancel()
	bus.Publish(event.Ending, "a call")
	elsewhere := event.NewBus()
	other := event.NewRelay(elsewhere, wire, slog.New(slog.DiscardHandler))
	heard, unsubscribe := elsewhere.Subscribe(event.Ending, 100)
	defer unsubscribe()
	deadline := time.After(patience)
	for {
		select {
		case message := <-wire.sent:
			event.Receive(other, message)
		case payload := <-heard:
			if payload == "" {
				return
			}
			t.Fatalf("%q was announced, which was on the wire that broke", payload)
		case <-deadline:
			t.Fatal("no node refreshes")
		}
	}
}

// brittleWire breaks with the first message.
type brittleWire struct {
	runs int
	sent chan string
}

func (w *brittleWire) Run(ctx context.Context, joined func(), _ func(string), send <-chan string) error {
	joined()
	for w.runs++; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case message := <-send:
			if w.runs == 1 {
				return fmt.Errorf("broke with %q", message)
			}
			w.sent <- message
		}
	}
}
