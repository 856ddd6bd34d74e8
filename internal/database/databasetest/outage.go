package databasetest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Stop ends the server as a crash does, until Restart.
func (c *Cluster) Stop(t testing.TB) {
	t.Helper()
	if err := c.want(false); err != nil {
		t.Fatal(err)
	}
	pid := c.postmaster(t)
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil { // an immediate shutdown
		t.Fatalf("stop the cluster: %v", err)
	}
	for deadline := time.Now().Add(startTimeout); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the cluster does not stop")
		}
	}
}

// Restart starts the stopped server again, with its data.
func (c *Cluster) Restart(t testing.TB) {
	t.Helper()
	if err := c.want(true); err != nil {
		t.Fatal(err)
	}
	if err := c.awaitAnswer(); err != nil {
		t.Fatal(err)
	}
}

// Pause stops the server's processes (SIGSTOP) until the returned function is
// called: connections stay open and nothing answers.
func (c *Cluster) Pause(t testing.TB) (resume func()) {
	t.Helper()
	processes := []int{c.postmaster(t)}
	signal(t, syscall.SIGSTOP, processes...) // it starts no others from here on
	processes = append(processes, children(t, processes[0])...)
	signal(t, syscall.SIGSTOP, processes[1:]...)
	resume = sync.OnceFunc(func() { signal(t, syscall.SIGCONT, processes...) })
	t.Cleanup(resume)
	return resume
}

// signal sends a signal to processes; one that has ended meanwhile is no error.
func signal(t testing.TB, s syscall.Signal, processes ...int) {
	t.Helper()
	for _, pid := range processes {
		if err := syscall.Kill(pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatalf("signal %v to a process of the cluster: %v", s, err)
		}
	}
}

// children returns the processes that a process has started.
func children(t testing.TB, parent int) (pids []int) {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// "pid (name) state parent …", where the name may hold anything: see proc(5).
		var pid, of int
		var state string
		if _, err := fmt.Sscan(string(text), &pid); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(string(text[bytes.LastIndexByte(text, ')')+1:]), &state, &of); err == nil && of == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// postmaster returns the cluster's first process.
func (c *Cluster) postmaster(t testing.TB) (pid int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.Dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatalf("process of the cluster: %v", err)
	}
	return pid
}
