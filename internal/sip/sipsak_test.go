package sip

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"
)

// sipsak has its requests answered, its floods and its random changes of requests do not keep the gateway from answering afterwards.
func TestSipsak(t *testing.T) {
	t.Parallel()
	r := newReception(t, InboundRoute{})
	uri := fmt.Sprintf("sip:%s@127.0.0.1:%d", testNumber, r.Port())
	sipsak := func(limit time.Duration, arguments ...string) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		out, err := exec.CommandContext(ctx, "sipsak", append(arguments, "-s", uri)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("sipsak %v: %w\n%s", arguments, err, out)
		}
		return nil
	}
	for _, transport := range []string{"udp", "tcp"} {
		if err := sipsak(testLimit, "-E", transport); err != nil {
			t.Error(err)
		}
	}
	if err := sipsak(testLimit, "-F", "-e", "2000"); err != nil {
		t.Error(err)
	}
	_ = sipsak(3*time.Second, "-R", "-t", "40") // its exit code reports requests that it broke beyond an answer
	if err := sipsak(testLimit); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if err := r.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
