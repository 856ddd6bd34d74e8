package app

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"parley/internal/call"
)

// succeed ends the leases that a process of this machine left when it was
// killed, so that its calls and deliveries go on at once and not when the leases
// lapse. Only on SQLite, whose one file has one machine: names of machines, and
// the processes' numbers in containers, are not unique among several.
func (g *ground) succeed(ctx context.Context) error {
	if g.config.DatabaseURL != "" {
		return nil
	}
	gone := func(name string) bool {
		host, pid, ok := parseProcess(name)
		return ok && host == hostname() && (pid == os.Getpid() || !alive(pid))
	}
	calls, err := g.calls.Lapse(ctx, call.ServerRestart, gone)
	if err != nil {
		return err
	}
	deliveries, err := g.queue.ReleaseHolders(ctx, gone)
	if calls+deliveries > 0 {
		g.log.InfoContext(ctx, "what a process that is gone has left goes on", "calls", calls, "deliveries", deliveries)
	}
	return err
}

// alive reports whether a process exists. The number of one that is gone may be
// another's by now, which costs only the wait for the lease.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// parseProcess takes the name of what a process holds apart, see processName.
func parseProcess(name string) (host string, pid int, ok bool) {
	rest, _, ok := cutLast(name, "-")
	if !ok {
		return "", 0, false
	}
	host, number, ok := cutLast(rest, "-")
	if !ok {
		return "", 0, false
	}
	pid, err := strconv.Atoi(number)
	return host, pid, err == nil && pid > 0
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
