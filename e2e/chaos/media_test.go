package chaos

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// The media server is killed during calls and restarted: callers and agents rejoin, and the calls continue until
// the callers hang up. Meanwhile dispatches are rejected, and accepted again after the restart.
func TestMediaServerRestarts(t *testing.T) {
	t.Parallel()
	x := newExchange(t, "--without=worker")
	front, err := binary.Start(program, filepath.Join(t.TempDir(), "front"), x.env, "--without=media,worker")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(front.Kill)
	front.API = client.New(front.URL, x.Key)
	api := func() *client.Client { return front.API }
	x.worker(t)
	for range size(1, 10) {
		callers := converse(t, front.API, size(2, 6), 6)
		x.Kill()
		killed := time.Now()
		var early []string // before the loss is noticed
		await(t, 500*time.Millisecond, "dispatches are rejected", func() bool {
			d, err := front.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo"})
			if err == nil {
				early = append(early, d.CallID)
			}
			var refused *client.Error
			return errors.As(err, &refused) && refused.Code == "service_unavailable"
		})
		x.restart(t)
		for _, c := range callers {
			await(t, 100*time.Millisecond, "agent and caller of "+c.id+" are in their room again", func() bool {
				if now := reach(t, api, c.id, client.Active); now == nil {
					t.FailNow()
				}
				moments, err := front.API.Calls.Timeline(t.Context(), c.id)
				if err != nil {
					t.Fatal(err)
				}
				back := map[string]bool{}
				for _, m := range moments {
					back[m.Type] = back[m.Type] || m.Cause == "room_lost"
				}
				return back[client.MomentAgentRejoined] && back[client.MomentCallerRejoined]
			})
		}
		t.Logf("%d calls go on %v after the media server was killed", len(callers), time.Since(killed).Round(100*time.Millisecond))
		var late *client.Dispatch
		await(t, 20*time.Millisecond, "dispatches are taken again", func() bool {
			late, err = front.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo"})
			return err == nil
		})
		p, err := enter(t.Context(), late)
		if err != nil {
			t.Fatal(err)
		}
		reach(t, api, late.CallID, client.Active)
		p.Leave()
		ended(t, reach(t, api, late.CallID, client.Completed), client.Completed, "caller_hangup")
		for _, id := range early {
			if _, err := front.API.Calls.End(t.Context(), id); err != nil {
				t.Error(err)
			}
		}
		for _, c := range callers {
			c.Leave()
			ended(t, reach(t, api, c.id, client.Completed), client.Completed, "caller_hangup")
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	x.endedOnce(t)
}

// restart starts the exchange again where it was before it was killed.
func (x *exchange) restart(t *testing.T) {
	t.Helper()
	env := map[string]string{"PARLEY_RTC_PORT": x.RTCPort}
	for _, name := range []string{"DATABASE_URL", "JWT_SECRET", "ENCRYPTION_KEY", "PARLEY_DEMO"} {
		env[name] = x.env[name]
	}
	s, err := binary.Start(program, x.Dir, env, "--without=worker")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	x.Server = s
}
