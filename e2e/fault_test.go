package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/client"
	"parley/e2e/binary"
)

// doomed is a caller in its own process, on the line with the demo agent.
type doomed struct {
	command *exec.Cmd
	callID  string
	release func() // acquireLine's
	hangUp  sync.Once
}

// dial starts a caller and waits until its call is active.
func dial(t *testing.T, s *binary.Server) *doomed {
	t.Helper()
	d := &doomed{command: exec.Command("/proc/self/exe"), release: acquireLine()}
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
	awaitStatus(t, s, d.callID, client.Active)
	return d
}

func (d *doomed) kill() {
	d.hangUp.Do(func() {
		if d.command.Process != nil {
			_ = d.command.Process.Kill()
			_ = d.command.Wait() // killed, as it should be
		}
		d.release()
	})
}

func TestCallerKilled(t *testing.T) {
	t.Parallel()
	s := shared(t)
	d := dial(t, s)
	active, err := s.API.Calls.ListActive(t.Context(), client.ActiveCallQuery{Limit: 100})
	if err != nil || !slices.ContainsFunc(active, func(c client.ActiveCall) bool { return c.ID == d.callID && c.Status == client.Active }) {
		t.Errorf("active are %+v, %v", active, err)
	}
	d.kill()
	awaitEnd(t, s, d.callID, client.Disconnected, "connection_lost")
}

// A crash ends the calls that are running, and loses nothing that was acknowledged to a client.
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
	first.Kill() // the caller remains, and no agent rejoins
	if err := first.Orphans(); err != nil {
		t.Error(err)
	}

	second := serve(t, dir, nil)
	if second.Key != first.Key {
		t.Error("the demo tenant has another key")
	}
	awaitEnd(t, second, d.callID, client.Disconnected, "worker_lost")
	if !strings.Contains(second.Log.String(), "of a terminated process") {
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
