package chaos

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/media"
)

// exchange is a server with the media server, over PostgreSQL, and what others need beside it.
type exchange struct {
	*binary.Server
	env map[string]string
}

func newExchange(t *testing.T, flags ...string) *exchange {
	t.Helper()
	return newExchangeOn(t, databasetest.PostgresURL(t), flags...)
}

// newExchangeOn is newExchange over a given PostgreSQL database.
func newExchangeOn(t *testing.T, databaseURL string, flags ...string) *exchange {
	t.Helper()
	return newExchangeOf(t, program, databaseURL, flags...)
}

// newExchangeOf is newExchangeOn of a given binary.
func newExchangeOf(t *testing.T, program, databaseURL string, flags ...string) *exchange {
	t.Helper()
	x := &exchange{env: map[string]string{
		"DATABASE_URL": databaseURL, "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32),
		"PARLEY_DEMO": "true",
	}}
	dir := filepath.Join(t.TempDir(), "data")
	s, err := binary.Start(program, dir, x.env, flags...)
	if err != nil {
		t.Fatal(err)
	}
	x.Server = s
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.Log.String())
		}
		s.Kill()
	})
	secret, err := os.ReadFile(filepath.Join(dir, "livekit-secret"))
	if err != nil {
		t.Fatal(err)
	}
	x.env["LIVEKIT_URL"], x.env["LIVEKIT_API_KEY"], x.env["LIVEKIT_API_SECRET"] = "ws://127.0.0.1:"+s.RTCPort, "parley", strings.TrimSpace(string(secret))
	return x
}

// rows reads from the exchange's database.
func (x *exchange) rows(t *testing.T, into any, query string, args ...any) {
	t.Helper()
	db, err := database.Open(t.Context(), x.env["DATABASE_URL"], "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw(query, args...).Scan(ctx, into)
	}); err != nil && !database.NoRows(err) {
		t.Fatal(err)
	}
}

// hasAgent reports whether an agent is in the room.
func (x *exchange) hasAgent(t *testing.T, room string) bool {
	t.Helper()
	rooms := media.NewRooms(x.env["LIVEKIT_URL"], x.env["LIVEKIT_API_KEY"], x.env["LIVEKIT_API_SECRET"])
	members, err := rooms.Participants(t.Context(), room)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(members, func(m media.Member) bool { return m.Agent && m.Active })
}

var joiner = media.NewJoiner(nil)

// onTheLine is a caller in a call.
type onTheLine struct {
	id string
	*media.Participant
}

// dispatchAndJoin begins a call of the demo workflow, whose caller is present and says nothing.
func dispatchAndJoin(ctx context.Context, api *client.Client) (*onTheLine, error) {
	d, err := api.Calls.Start(ctx, client.StartCall{WorkflowSlug: "demo"})
	if err != nil {
		return nil, err
	}
	p, err := enter(ctx, d)
	if err != nil {
		return nil, err
	}
	return &onTheLine{d.CallID, p}, nil
}

// converse begins n calls, atOnce of them concurrently, and returns their callers when all are in conversations.
func converse(t *testing.T, api *client.Client, n, atOnce int) []*onTheLine {
	t.Helper()
	people, slots := make([]*onTheLine, n), make(chan struct{}, atOnce)
	var joining sync.WaitGroup
	for i := range people {
		slots <- struct{}{}
		joining.Go(func() {
			defer func() { <-slots }()
			var err error
			if people[i], err = dispatchAndJoin(t.Context(), api); err != nil {
				t.Error(err)
				return
			}
			reach(t, func() *client.Client { return api }, people[i].id, client.Active)
		})
	}
	joining.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return people
}

// enter joins a call's room and sends what a microphone in a silent room does.
func enter(ctx context.Context, d *client.Dispatch) (p *media.Participant, err error) {
	for deadline := time.Now().Add(patience); ; { // creating the room is slow on a busy machine
		if p, err = joiner.Join(ctx, media.JoinOptions{URL: d.URL, Token: d.Token, MakeRoom: func(context.Context) error { return nil }}); err == nil {
			break
		}
		if time.Now().After(deadline) {
			return nil, err
		}
		time.Sleep(time.Second)
	}
	go callers.StayQuiet(p)
	return p, nil
}

// reach waits until a call has one of the states.
func reach(t *testing.T, api func() *client.Client, id string, states ...string) *client.Call {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		c, err := api().Calls.Get(t.Context(), id)
		if err != nil {
			t.Errorf("get call: %v", err)
			return nil
		}
		if slices.Contains(states, c.Status) {
			return c
		}
		if c.EndedAt != nil || time.Now().After(deadline) {
			reason := ""
			if c.StatusReason != nil {
				reason = *c.StatusReason
			}
			t.Errorf("call %s is %s (%s), want one of %q", id, c.Status, reason, states)
			return nil
		}
	}
}

// ended checks how a call ended.
func ended(t *testing.T, c *client.Call, status, reason string) {
	t.Helper()
	if c != nil && (c.Status != status || c.StatusReason == nil || *c.StatusReason != reason) {
		t.Errorf("call ended as %+v, want %s with %s", c, status, reason)
	}
}
