package sip

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/seal"
)

// scriptedPhones is a gateway that answers with an error, or waits until a dial is cancelled. It has the phone of one room.
type scriptedPhones struct {
	err  error
	room string // of its phone
	ring bool
	ends chan struct{} // ends its ringing, as its stop does

	mu          sync.Mutex
	away        error // of Check
	dialled     []DialRequest
	transferred []string
	cancelled   error
}

func (p *scriptedPhones) Dial(ctx context.Context, d DialRequest) error {
	p.mu.Lock()
	p.dialled = append(p.dialled, d)
	p.mu.Unlock()
	if !p.ring {
		return p.err
	}
	select {
	case <-ctx.Done():
	case <-p.ends:
		return errStopped
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancelled = context.Cause(ctx)
	return p.cancelled
}

func (p *scriptedPhones) Transfer(_ context.Context, room, identity, number string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.transferred = append(p.transferred, strings.Join([]string{room, identity, number}, " "))
	return p.err
}

func (p *scriptedPhones) Has(room, _ string) bool { return room == p.room }

func (p *scriptedPhones) Check(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.away
}

// remote is a process without a gateway, and the buses of all.
type remote struct {
	*Remote
	db     *database.DB
	sealer *seal.Sealer
}

// newRemote returns a process whose notifications reach no other: polling finds everything.
func newRemote(t *testing.T, db *database.DB) remote {
	t.Helper()
	sealer, err := seal.New(bytes.Repeat([]byte{5}, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return remote{&Remote{DB: db, Bus: event.NewBus(), Sealer: sealer}, db, sealer}
}

// serve starts another process with a gateway, which stop drains.
func (r remote) serve(t *testing.T, name string, p *scriptedPhones) (stop func()) {
	t.Helper()
	s := &RemoteServer{Remote: Remote{DB: r.db, Bus: event.NewBus(), Sealer: r.sealer}, Name: name, Phones: p, Log: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx, t.Context())
	}()
	synctest.Wait()
	return sync.OnceFunc(func() {
		cancel()
		<-done
	})
}

var remoteDial = DialRequest{Room: "room", Identity: "phone-1", Number: "+4930123456", RingTimeout: 3 * time.Second, MaxDuration: time.Hour, Trunk: OutboundRoute{
	Address: "sip.carrier.example", Transport: TLS, Username: "acme", Password: "secret", CallerID: "+4930987654", Headers: map[string]string{"X-Account": "1"}, Platform: true,
}}

// A process without a gateway dials through another's, once and with the same result. No row is left.
func TestRemoteDial(t *testing.T) {
	for name, c := range map[string]struct{ returned, want error }{
		"answered":      {nil, nil},
		"busy":          {&DialError{Cause: Busy, Status: 486, Detail: "The line is busy (SIP 486)."}, &DialError{Cause: Busy, Status: 486, Detail: "The line is busy (SIP 486)."}},
		"not known how": {errors.New("join the phone to its room"), errors.New("join the phone to its room")},
	} {
		t.Run(name, func(t *testing.T) {
			databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
				r := newRemote(t, db)
				gateways := []*scriptedPhones{{err: c.returned}, {err: c.returned}}
				for i, p := range gateways {
					defer r.serve(t, string(rune('a'+i)), p)()
				}
				if err := r.Dial(t.Context(), remoteDial); !sameError(err, c.want) {
					t.Errorf("dial: %v, want %v", err, c.want)
				}
				if dialled := append(gateways[0].dialled, gateways[1].dialled...); !reflect.DeepEqual(dialled, []DialRequest{remoteDial}) {
					t.Errorf("dialled %+v", dialled)
				}
				if n := r.rows(t); n != 0 {
					t.Errorf("%d rows are left", n)
				}
			})
		})
	}
}

func sameError(got, want error) bool {
	var a, b *DialError
	if errors.As(want, &b) {
		return errors.As(got, &a) && *a == *b
	}
	return (got == nil) == (want == nil) && (got == nil || got.Error() == want.Error())
}

// rows is the number of requests in the database. None of them holds a number or a password in plain text.
func (r remote) rows(t *testing.T) int {
	t.Helper()
	var rows []gatewayRequest
	err := r.db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(&rows).Scan(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if bytes.Contains(row.Request, []byte("4930")) || bytes.Contains(row.Request, []byte("secret")) {
			t.Errorf("the request is not sealed: %q", row.Request)
		}
	}
	return len(rows)
}

// A transfer is done by the gateway that has the phone; by none if none has it.
func TestRemoteTransfer(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		r := newRemote(t, db)
		first, second := &scriptedPhones{room: "one"}, &scriptedPhones{room: "two"}
		defer r.serve(t, "a", first)()
		defer r.serve(t, "b", second)()
		if err := r.Transfer(t.Context(), "two", "phone-1", "+4930"); err != nil {
			t.Error(err)
		}
		if len(first.transferred) != 0 || !reflect.DeepEqual(second.transferred, []string{"two phone-1 +4930"}) {
			t.Errorf("transferred %q and %q", first.transferred, second.transferred)
		}
		if err := r.Transfer(t.Context(), "three", "phone-1", "+4930"); !errors.Is(err, errNotOnLine) {
			t.Errorf("a phone that no gateway has: %v", err)
		}
		if n := r.rows(t); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// A dial that is cancelled is cancelled at the gateway.
func TestRemoteDialIsCancelled(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		r := newRemote(t, db)
		p := &scriptedPhones{ring: true}
		defer r.serve(t, "a", p)()
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the call was ended")
		time.AfterFunc(4*remotePoll, func() { cancel(why) })
		if err := r.Dial(ctx, remoteDial); !errors.Is(err, why) {
			t.Errorf("dial: %v", err)
		}
		if n := r.rows(t); n != 1 {
			t.Errorf("%d rows while the phone rings", n)
		}
		time.Sleep(2 * remotePoll)
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.dialled) != 1 || !errors.Is(p.cancelled, errCancelled) {
			t.Errorf("dialled %d times, cancelled: %v", len(p.dialled), p.cancelled)
		}
	})
}

// Without a gateway that answers a number is unreachable after a few seconds, and is not dialled later. An installation that had
// gateways reports that there is none.
func TestRemoteWithoutGateway(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		r := newRemote(t, db)
		if err := r.Check(t.Context()); err != nil {
			t.Errorf("an installation that never had a gateway: %v", err)
		}
		unreached := func(when string) {
			t.Helper()
			var dialErr *DialError
			began := time.Now()
			if err := r.Dial(t.Context(), remoteDial); !errors.As(err, &dialErr) || dialErr.Cause != Unreachable {
				t.Errorf("%s: %v", when, err)
			}
			if took := time.Since(began); took < claimTimeout || took > claimTimeout+2*remotePoll {
				t.Errorf("%s: after %v", when, took)
			}
		}
		unreached("no gateway")
		silent := &scriptedPhones{away: errors.New("it does not answer")}
		defer r.serve(t, "silent", silent)()
		unreached("a gateway that does not answer")
		p := new(scriptedPhones)
		stop := r.serve(t, "a", p)
		if err := r.Check(t.Context()); err != nil {
			t.Errorf("a gateway is there: %v", err)
		}
		stop()
		if err := r.Check(t.Context()); !errors.Is(err, errNoGateway) {
			t.Errorf("the gateway has ended: %v", err)
		}
		unreached("the gateway has ended")
		if n := r.rows(t) + len(p.dialled) + len(silent.dialled); n != 0 {
			t.Errorf("%d rows and dials", n)
		}
	})
}

// When the process of the gateway dies, the result of a dial is unknown, and that is known soon.
func TestRemoteGatewayDies(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		r := newRemote(t, db)
		p := &scriptedPhones{ring: true, ends: make(chan struct{})}
		defer r.serve(t, "a", p)()
		defer close(p.ends)
		began := time.Now()
		time.AfterFunc(3*gatewayRenewal-time.Second, func() { // renewals end: its registration is as one that nobody renews
			p.mu.Lock()
			defer p.mu.Unlock()
			p.away = errors.New("killed")
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var dialErr *DialError
		if err := r.Dial(ctx, remoteDial); !errors.Is(err, errGatewayLost) || errors.As(err, &dialErr) {
			t.Errorf("dial: %v", err)
		}
		if took := time.Since(began); took < 3*gatewayRenewal || took > 3*gatewayRenewal+gatewayExpiry {
			t.Errorf("known after %v", took)
		}
	})
}
