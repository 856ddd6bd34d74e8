package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"parley/internal/call"
	"parley/internal/postcall"
)

// releasePredecessor ends the leases of a previous process of this machine that was killed, so that its calls, deliveries and analyses
// continue immediately. It applies to SQLite only, because host names and process ids in containers are not unique
// among several machines.
func (g *infrastructure) releasePredecessor(ctx context.Context) error {
	if g.config.DatabaseURL != "" {
		return nil
	}
	gone := func(name string) bool {
		host, pid, ok := parseProcess(name)
		return ok && host == hostname() && (pid == os.Getpid() || !alive(pid))
	}
	calls, err := g.calls.ExpireLeases(ctx, call.ServerRestart, gone)
	if err != nil {
		return err
	}
	deliveries, err := g.queue.ReleaseHolders(ctx, gone)
	if err != nil {
		return err
	}
	analyses, err := postcall.ReleaseHolders(ctx, g.db, gone)
	if calls+deliveries+analyses > 0 {
		g.log.InfoContext(ctx, "released calls, deliveries and analyses of a terminated process", "calls", calls, "deliveries", deliveries, "analyses", analyses)
	}
	return err
}

// alive reports whether a process runs. One that has ended and that its parent has not waited for (a zombie) does not: containers
// without an init keep a killed server as one. The id may have been reused, which only delays until the lease expires.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && !zombie(pid) }

// zombie reports whether a process has ended and still has an id: states Z and X of proc_pid_stat(5). It is false where there is no
// /proc.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, ok := cutLast(string(stat), ") ") // behind the command, which may contain parentheses
	return ok && strings.ContainsAny(state[:min(1, len(state))], "ZX")
}

// parseProcess parses a processName.
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
