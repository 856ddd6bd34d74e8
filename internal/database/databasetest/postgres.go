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
	server := command("/bin/sh", "-c", `"$0/postgres" -D "$1" -k "$2" -c listen_addresses= -c fsync=off -c max_connections=200 & pg=$!; cat >/dev/null; kill -INT $pg; wait $pg; rm -rf "$2"`, bin, data, dir)
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
	admin, err := sql.Open("pgx", url("postgres", "postgres"))
	if err != nil {
		return "", err
	}
	defer admin.Close()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if err = admin.PingContext(context.Background()); err == nil {
			break
		}
		if time.Now().After(deadline) {
			return "", fmt.Errorf("postgres does not answer: %w", err)
		}
	}
	if _, err := admin.Exec("CREATE ROLE " + role + " LOGIN"); err != nil {
		return "", err
	}
	return dir, nil
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
