package e2e

import (
	"errors"
	"net/http"
	"syscall"
	"testing"

	"parley/client"
	"parley/internal/media"
)

// A server that drains and is alone refuses further calls; the call that it has goes on.
func TestDrainingServerRefusesCalls(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	d := beginWith(t, s, "demo")
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Leave()
	awaitStatus(t, s, d.CallID, client.Active)
	if err := syscall.Kill(s.PID(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	await(t, "dispatches are refused", func() bool {
		_, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo"})
		var refused *client.Error
		return errors.As(err, &refused) && refused.Status == http.StatusServiceUnavailable
	})
	if c, err := s.API.Calls.Get(t.Context(), d.CallID); err != nil || c.Status != client.Active {
		t.Errorf("the call is %+v, %v", c, err)
	}
}
