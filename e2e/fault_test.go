package e2e

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// deadline is how long a call may last that has lost one of its ends.
const deadline = 30 * time.Second

// doomed is a caller in a process of its own, on the line with the demo agent.
type doomed struct {
	command *exec.Cmd
	callID  string
	hangUp  sync.Once
}

// dial starts a caller and waits until its call is active.
func dial(t *testing.T, s *binary.Server) *doomed {
	t.Helper()
	lines <- struct{}{}
	d := &doomed{command: exec.Command("/proc/self/exe")}
	d.command.Env = append(os.Environ(), callerProcess+"=1", "PARLEY_SERVER="+s.URL, "PARLEY_API_KEY="+s.Key)
	d.command.Stderr = os.Stderr
	out, err := d.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.kill)
	if err := d.command.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the caller did not dispatch: %v", err)
	}
	d.callID = strings.TrimSpace(id)
	if err := awaitStatus(t.Context(), s, d.callID, client.Active); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *doomed) kill() {
	d.hangUp.Do(func() {
		if d.command.Process != nil {
			_ = d.command.Process.Kill()
			_ = d.command.Wait() // killed, as it should be
		}
		<-lines
	})
}

// awaitEnd waits until a call is over, within limit from now.
func awaitEnd(t *testing.T, s *binary.Server, id string, limit time.Duration, status, reason string) *client.Call {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	began := time.Now()
	c, err := s.API.Calls.Wait(ctx, id, 100*time.Millisecond)
	if err != nil {
		t.Fatalf("wait for the call's end: %v (%+v)", err, c)
	}
	t.Logf("the call ended after %v", time.Since(began).Round(time.Millisecond))
	if c.Status != status || c.StatusReason == nil || *c.StatusReason != reason {
		t.Errorf("call ended as %+v, want %s with %s", c, status, reason)
	}
	return c
}

func TestCallerNeverJoins(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_JOIN_TIMEOUT": "2s"})
	d, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	if d.Status != client.Pending {
		t.Errorf("status %q, want pending", d.Status)
	}
	c := awaitEnd(t, s, d.CallID, 10*time.Second, client.Timeout, "join_timeout")
	if c.StartedAt != nil || c.DurationSeconds != 0 {
		t.Errorf("a call that nobody joined started at %v and took %d s", c.StartedAt, c.DurationSeconds)
	}
}

func TestCallerKilled(t *testing.T) {
	t.Parallel()
	s := shared(t)
	d := dial(t, s)
	active, err := s.API.Calls.ListActive(t.Context(), 100)
	if err != nil || !slices.ContainsFunc(active, func(c client.ActiveCall) bool { return c.ID == d.callID && c.Status == client.Active }) {
		t.Errorf("active are %+v, %v", active, err)
	}
	d.kill()
	awaitEnd(t, s, d.callID, deadline, client.Disconnected, "connection_lost")
}

// A crash costs the calls that are running, which end, and nothing that was told to a client.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first, err := start(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(first.Kill)
	kept := call(t, first, 0, "--agent", "demo", "--hang-up") // the greeting alone
	waiting, err := first.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo", Metadata: map[string]any{"order": 7}})
	if err != nil {
		t.Fatal(err)
	}
	d := dial(t, first)
	before := entries(t, first, d.callID, 1)
	first.Kill() // the caller stays, and finds nobody to come back to
	if err := first.Orphans(); err != nil {
		t.Error(err)
	}

	second := serve(t, dir, nil)
	if second.Key != first.Key {
		t.Error("the demo tenant has another key")
	}
	awaitEnd(t, second, d.callID, deadline, client.Disconnected, "worker_lost")
	if !strings.Contains(second.Log.String(), "what a process that is gone has left goes on") {
		t.Error("the server waited for the leases of the one that was killed")
	}
	after := entries(t, second, d.callID, len(before))
	for i, e := range before {
		if after[i].Content != e.Content || after[i].Role != e.Role {
			t.Errorf("entry %d was %+v, is %+v", i, e, after[i])
		}
	}
	c, err := second.API.Calls.Get(t.Context(), kept.CallID)
	if err != nil || c.Status != client.Completed {
		t.Errorf("the call before the crash: %+v, %v", c, err)
	}
	entries(t, second, kept.CallID, len(kept.Transcript))
	c, err = second.API.Calls.Get(t.Context(), waiting.CallID)
	if err != nil || c.Status != client.Pending || string(c.Metadata) != `{"order":7}` {
		t.Errorf("the call that waited during the crash: %+v, %v", c, err)
	}
}

// entries waits until a call's transcript has at least n entries.
func entries(t *testing.T, s *binary.Server, id string, n int) []client.TranscriptEntry {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		e, err := s.API.Calls.Transcript(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if len(e) >= n {
			return e
		}
		if time.Now().After(end) {
			t.Fatal(fmt.Errorf("%d entries in the transcript, want %d", len(e), n))
		}
	}
}
