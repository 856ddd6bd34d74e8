package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/database/databasetest"
)

// failing returns the status of /health/ready, and the checks that it names as failing.
func failing(t *testing.T, s *binary.Server) (code int, checks []string) {
	t.Helper()
	answer, err := http.Get(s.URL + "/health/ready")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body struct{ Failing []string }
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body.Failing
}

// awaitFailing waits until readiness has a status and names a check, and /health has it as unhealthy with a status of its own.
func awaitFailing(t *testing.T, s *binary.Server, check string, readiness int, status string) {
	t.Helper()
	await(t, "readiness and /health name the "+check, func() bool {
		ready, named := failing(t, s)
		code, overall, checks := health(t, s, "/health")
		return ready == readiness && slices.Contains(named, check) && code == readiness && overall == status && checks[check] == "unhealthy"
	})
}

// awaitReady waits until nothing fails any more.
func awaitReady(t *testing.T, s *binary.Server) {
	t.Helper()
	await(t, "the server is ready again", func() bool {
		ready, named := failing(t, s)
		code, overall, _ := health(t, s, "/health")
		return ready == http.StatusOK && named == nil && code == http.StatusOK && overall == "healthy"
	})
}

// checkOutageLines expects one line that a check failed and one that it recovered, and no other message of level WARN or above more
// than once.
func checkOutageLines(t *testing.T, check, log string) {
	t.Helper()
	messages := map[string]int{}
	for line := range strings.Lines(log) {
		if _, message, found := strings.Cut(line, " msg="); found && (strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR")) {
			message, _, _ = strings.Cut(message, " error=")
			messages[message]++
		}
	}
	for message, n := range messages {
		if n > 1 {
			t.Errorf("%d lines of %s", n, message)
		}
	}
	for _, what := range []string{"health check failed", "health check recovered"} {
		if n := strings.Count(log, fmt.Sprintf("msg=%q check=%s ", what, check)); n != 1 {
			t.Errorf("%d lines of %q for %s, want 1", n, what, check)
		}
	}
	if t.Failed() {
		t.Logf("log of the outage:\n%s", log)
	}
}

// takesCalls ends a call that it dispatches.
func takesCalls(t *testing.T, s *binary.Server) {
	t.Helper()
	await(t, "a dispatch is accepted", func() bool {
		d, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
		if err == nil {
			_, err = s.API.Calls.End(t.Context(), d.CallID)
		}
		var refused *client.Error
		if err != nil && !(errors.As(err, &refused) && refused.Status == http.StatusServiceUnavailable) {
			t.Fatal(err)
		}
		return err == nil
	})
}

// A disk that is full makes a server on SQLite unready and has it reject dispatches; the call that is going on continues. When
// there is room again, so does everything else.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	// Without any privilege: the kernel lets no file of the process grow, as with a quota that is used up.
	t.Run("files cannot grow", func(t *testing.T) {
		t.Parallel()
		s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
		limit := func(size uint64) {
			t.Helper()
			if err := unix.Prlimit(s.PID(), unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: unix.RLIM_INFINITY}, nil); err != nil {
				t.Fatal(err)
			}
		}
		diskIsFull(t, s, "database", func() { limit(0) }, func() { limit(unix.RLIM_INFINITY) })
	})
	t.Run("no space is left", func(t *testing.T) {
		t.Parallel()
		s, disk := serveOnSmallDisk(t)
		filler := filepath.Join(disk, "filler")
		diskIsFull(t, s, "disk", func() {
			f, err := os.Create(filler)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			zeros := make([]byte, 1<<20)
			for err == nil {
				_, err = f.Write(zeros)
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatal(err)
			}
		}, func() {
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func diskIsFull(t *testing.T, s *binary.Server, check string, fill, free func()) {
	t.Helper()
	talks, caller := silentWith(t, s, "demo")
	entries(t, s, talks.CallID, 1)
	began := len(s.Log.String())
	fill()
	awaitFailing(t, s, check, http.StatusServiceUnavailable, "unhealthy")
	await(t, "dispatches are rejected", func() bool { return rejectsDispatches(t, s) })
	free()
	awaitReady(t, s)
	takesCalls(t, s)
	checkOutageLines(t, check, s.Log.String()[began:])
	if c, err := s.API.Calls.Get(t.Context(), talks.CallID); err != nil || c.Status != client.Active {
		t.Errorf("the call that was going on: %+v, %v", c, err)
	}
	caller.Leave()
	awaitEnd(t, s, talks.CallID, client.Completed, "caller_hangup")
}

// smallDisk is the size of a disk on which a server has more room than the least that it wants.
const smallDisk = "size=112m"

// serveOnSmallDisk starts a server whose data folder is a file system of its own, and returns that folder as this process reaches
// it. The mount is in a namespace of the server where the system permits that to everybody, and made with sudo elsewhere.
func serveOnSmallDisk(t *testing.T) (s *binary.Server, folder string) {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	const apart = `exec unshare --map-root-user --mount -- sh -c 'mount -t tmpfs -o ` + smallDisk + ` tmpfs "$0" && exec "$@"' `
	if refusal, err := exec.Command("sh", "-c", apart+`"$0" true`, data).CombinedOutput(); err == nil {
		script := filepath.Join(dir, "parley")
		if err := os.WriteFile(script, []byte("#!/bin/sh\n"+apart+strconv.Quote(data)+" "+strconv.Quote(program)+` "$@"`+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if s, err = binary.Start(script, data, nil); err != nil {
			t.Fatal(err)
		}
		folder = fmt.Sprintf("/proc/%d/root%s", s.PID(), data)
		key, err := os.ReadFile(filepath.Join(folder, "demo-api-key"))
		if err != nil {
			t.Fatal(err)
		}
		s.Key = strings.TrimSpace(string(key))
		s.API = client.New(s.URL, s.Key)
	} else {
		owner := fmt.Sprintf(",uid=%d,gid=%d,mode=700", os.Getuid(), os.Getgid())
		if out, err := exec.Command("sudo", "-n", "mount", "-t", "tmpfs", "-o", smallDisk+owner, "tmpfs", data).CombinedOutput(); err != nil {
			t.Fatalf("a small disk needs unshare (%s) or sudo: %v: %s", strings.TrimSpace(string(refusal)), err, out)
		}
		t.Cleanup(func() {
			if out, err := exec.Command("sudo", "-n", "umount", data).CombinedOutput(); err != nil {
				t.Errorf("unmount the small disk: %v: %s", err, out)
			}
		})
		if s, err = binary.Start(program, data, nil); err != nil {
			t.Fatal(err)
		}
		folder = data
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s, folder
}

// The only worker is killed: the server says so, answers requests and rejects dispatches until a worker is there again.
func TestWorkersAreAway(t *testing.T) {
	t.Parallel()
	s, env := apart(t)
	env["PARLEY_WORKER_CAPACITY"] = "10"
	w := worker(t, env)
	awaitGauge(t, s, "worker_slots", 10)
	awaitReady(t, s)
	takesCalls(t, s)
	began := len(s.Log.String())
	w.Kill()
	awaitFailing(t, s, "workers", http.StatusOK, "degraded")
	if !rejectsDispatches(t, s) {
		t.Error("a dispatch without a worker is not answered with 503 and Retry-After")
	}
	if _, err := s.API.Calls.List(t.Context(), client.CallQuery{}); err != nil {
		t.Error(err)
	}
	worker(t, env)
	awaitReady(t, s)
	takesCalls(t, s)
	checkOutageLines(t, "workers", s.Log.String()[began:])
}

// The process with the SIP gateway is killed: the servers without one say so, serve web calls, and reject dispatches of phone calls until
// a gateway is there again. A phone call that it had begun to dial fails with that reason.
func TestGatewayIsAway(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	env := trunk(network.address, "DATABASE_URL", databasetest.PostgresURL(t), "JWT_SECRET", strings.Repeat("j", 32), "ENCRYPTION_KEY", strings.Repeat("k", 32), "PARLEY_DEMO", "true")
	rooms := serve(t, filepath.Join(t.TempDir(), "rooms"), env, "--without=worker,sip")
	env = beside(t, rooms, env)
	startGateway := func() *binary.Server {
		t.Helper()
		g, err := start(filepath.Join(t.TempDir(), "gateway"), env, "--without=worker,delivery")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.Kill)
		return g
	}
	gateway := startGateway()
	s := serve(t, filepath.Join(t.TempDir(), "data"), env, "--without=sip")
	s.Key, s.API = rooms.Key, client.New(s.URL, rooms.Key, client.WithAttempts(1))
	awaitReady(t, s)
	awaitEnd(t, s, ring(t, s, busyNumber), client.Failed, "busy")

	began := len(s.Log.String())
	dialled := ring(t, s, ringsNumber)
	network.awaitRequest(t, "INVITE", ringsNumber)
	gateway.Kill()
	awaitFailing(t, s, "phone", http.StatusOK, "degraded")
	if !rejectsPhoneCalls(t, s) {
		t.Error("a dispatch of a phone call is not answered with 503 and Retry-After")
	}
	takesCalls(t, s)
	awaitEnd(t, s, dialled, client.Failed, "unreachable")
	explained(t, s, dialled, "the SIP gateway did not report the result")
	startGateway()
	awaitReady(t, s)
	awaitEnd(t, s, ring(t, s, busyNumber), client.Failed, "busy")
	checkOutageLines(t, "phone", s.Log.String()[began:])
}

// rejectsPhoneCalls reports whether a dispatch of a phone call is answered with 503 and Retry-After.
func rejectsPhoneCalls(t *testing.T, s *binary.Server) bool {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/calls", strings.NewReader(`{"workflow_slug":"demo","call_type":"sip","phone_number":"`+busyNumber+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", s.Key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") != ""
}

// explained checks that error log and timeline of a call have an error whose message contains words.
func explained(t *testing.T, s *binary.Server, id, words string) {
	t.Helper()
	if items := errorsOf(t, s, id); !slices.ContainsFunc(items, func(e errorItem) bool { return strings.Contains(e.Message, words) }) {
		t.Errorf("the error log of %s has %+v, want %q", id, items, words)
	}
	moments, err := s.API.Calls.Timeline(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(moments, func(m client.Moment) bool { return m.Type == client.MomentError && strings.Contains(m.Message, words) }) {
		t.Errorf("the timeline of %s has %+v, want %q", id, moments, words)
	}
}
