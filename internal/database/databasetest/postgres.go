package databasetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"
)

// role is the cluster's application role: no superuser, so that row-level
// security holds for it.
const role = "parley"

var (
	startOnce sync.Once
	cluster   struct {
		socket string // folder of the Unix socket; the cluster has no TCP port
		alive  io.Closer
		watch  io.WriteCloser
		err    error
	}
	databases atomic.Int64
)

// PostgresURL makes a fresh database in this process's private cluster, which
// is started on first use and ends with the process.
func PostgresURL(t testing.TB) string {
	t.Helper()
	startOnce.Do(func() { cluster.socket, cluster.err = startCluster() })
	if cluster.err != nil {
		t.Fatalf("private PostgreSQL cluster: %v", cluster.err)
	}
	name := fmt.Sprintf("test%d", databases.Add(1))
	admin, err := sql.Open("pgx", url("postgres", "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if _, err := admin.Exec("CREATE DATABASE " + name + " OWNER " + role); err != nil {
		t.Fatal(err)
	}
	return url(role, name)
}

func url(user, name string) string {
	return fmt.Sprintf("postgres://%s@/%s?host=%s", user, name, cluster.socket)
}

// startCluster makes and starts a cluster in a temporary folder. A shell that
// watches this process's standard-input pipe stops it and removes the folder
// when this process ends, however it ends.
func startCluster() (string, error) {
	bin, err := programs()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "parley-pg-")
	if err != nil {
		return "", err
	}
	var as *syscall.Credential
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		if as, err = unprivileged(); err != nil {
			return "", err
		}
		if err := os.Chown(dir, int(as.Uid), int(as.Gid)); err != nil {
			return "", err
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as, Setpgid: true}
		return cmd
	}
	data := filepath.Join(dir, "data")
	if out, err := command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N").CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w: %s", err, out)
	}
	var logged bytes.Buffer
	if err := os.WriteFile(filepath.Join(dir, wanted), nil, 0o666); err != nil {
		return "", err
	}
	server := command("/bin/sh", "-c", `
		keep() { while [ -d "$2" ]; do if [ -e "$2/`+wanted+`" ]; then "$0/postgres" -D "$1" -k "$2" -c listen_addresses= -c fsync=off -c max_connections=200; else sleep 0.02; fi; done; }
		keep "$1" "$2" & keeper=$!
		cat >/dev/null
		rm -f "$2/`+wanted+`"
		kill -INT $(head -n 1 "$1/postmaster.pid")
		while [ -e "$1/postmaster.pid" ]; do sleep 0.02; done
		rm -rf "$2"; wait $keeper`, bin, data, dir)
	server.Stderr = &logged
	// The write end of this pipe closes with this process, and would close
	// with its garbage if nothing held it.
	if cluster.watch, err = server.StdinPipe(); err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	cluster.socket = dir
	if err := answers(); err != nil {
		return "", fmt.Errorf("%w: %s", err, logged.Bytes())
	}
	admin, err := sql.Open("pgx", url("postgres", "postgres"))
	if err != nil {
		return "", err
	}
	defer admin.Close()
	if _, err := admin.Exec("CREATE ROLE " + role + " LOGIN"); err != nil {
		return "", err
	}
	return dir, nil
}

// wanted is a file in the cluster's folder that is there while the cluster is
// to run.
const wanted = "wanted"

// StopPostgres ends the cluster as a crash does, for all tests of this process,
// until StartPostgres.
func StopPostgres(t testing.TB) {
	t.Helper()
	if err := os.Remove(filepath.Join(cluster.socket, wanted)); err != nil {
		t.Fatal(err)
	}
	pid := postmaster(t)
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil { // an immediate shutdown
		t.Fatalf("stop the cluster: %v", err)
	}
	for deadline := time.Now().Add(30 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the cluster does not stop")
		}
	}
}

// StartPostgres starts the stopped cluster again, with what it had.
func StartPostgres(t testing.TB) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(cluster.socket, wanted), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := answers(); err != nil {
		t.Fatal(err)
	}
}

// PausePostgres has the cluster stand still, for all tests of this process, until
// the function that it returns is called: connections stay, and nothing answers.
func PausePostgres(t testing.TB) (resume func()) {
	t.Helper()
	processes := []int{postmaster(t)}
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

// children are the processes that a process has started.
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

// postmaster is the cluster's first process.
func postmaster(t testing.TB) (pid int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(cluster.socket, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatalf("process of the cluster: %v", err)
	}
	return pid
}

// answers waits until the cluster does.
func answers() error {
	admin, err := sql.Open("pgx", url("postgres", "postgres"))
	if err != nil {
		return err
	}
	defer admin.Close()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if err = admin.PingContext(context.Background()); err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("postgres does not answer: %w", err)
		}
	}
}

// programs finds the newest installed PostgreSQL's programs.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// unprivileged is the account to run PostgreSQL under when this process is
// root: the package's own.
func unprivileged() (*syscall.Credential, error) {
	var ids [2]uint32
	for i, flag := range []string{"-u", "-g"} {
		out, err := exec.Command("id", flag, "postgres").Output()
		if err != nil {
			return nil, fmt.Errorf("account postgres: %w", err)
		}
		if _, err := fmt.Sscan(strings.TrimSpace(string(out)), &ids[i]); err != nil {
			return nil, fmt.Errorf("account postgres: %w", err)
		}
	}
	return &syscall.Credential{Uid: ids[0], Gid: ids[1]}, nil
}
