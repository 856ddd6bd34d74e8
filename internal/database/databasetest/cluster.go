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

	"parley/internal/database"
)

const (
	// role is the application role: no superuser, so that row-level security
	// applies to it.
	role = "parley"
	// template is the migrated database that those of the tests are copied from.
	template = "migrated"
)

// Cluster is a PostgreSQL cluster in a temporary folder, from the programs of
// Debian's package. It listens on a Unix socket alone.
type Cluster struct {
	Dir string // data, socket

	log     bytes.Buffer
	command *exec.Cmd
	stdin   io.Closer // the cluster ends when this is closed
	close   sync.Once
}

// StartCluster starts a cluster that ends with the test, for tests that stop or
// pause it. Others share one: PostgresURL.
func StartCluster(t testing.TB) *Cluster {
	t.Helper()
	needServer(t)
	c, err := NewCluster()
	if err != nil {
		t.Fatalf("private PostgreSQL cluster: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// NewCluster starts a cluster with a migrated template database. It ends with
// Close, or with this process, however that ends.
func NewCluster() (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "parley-pg-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{Dir: dir}
	if err := c.initialize(bin); err != nil {
		c.Close()
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return c, nil
}

func (c *Cluster) initialize(bin string) error {
	var account *syscall.Credential
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		var err error
		if account, err = unprivileged(); err != nil {
			return err
		}
		if err := os.Chown(c.Dir, int(account.Uid), int(account.Gid)); err != nil {
			return err
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir = c.Dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account, Setpgid: true}
		return cmd
	}
	data := filepath.Join(c.Dir, "data")
	if out, err := command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N").CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	if err := c.want(true); err != nil {
		return err
	}
	// The shell restarts the server while the file "wanted" exists. When its standard input closes, it ends the server and
	// removes the folder.
	c.command = command("/bin/sh", "-c", `
		keep() { while [ ! -e "$2/closed" ]; do if [ -e "$2/`+wanted+`" ]; then "$0/postgres" -D "$1" -k "$2" -c listen_addresses= -c fsync=off -c full_page_writes=off -c synchronous_commit=off -c max_connections=1500 -c max_wal_size=4GB; else sleep 0.02; fi; done; }
		keep "$1" "$2" & keeper=$!
		cat >/dev/null
		touch "$2/closed"
		kill -INT $(head -n 1 "$1/postmaster.pid")
		wait $keeper
		rm -rf "$2"`, bin, data, c.Dir)
	c.command.Stderr = &c.log
	var err error
	if c.stdin, err = c.command.StdinPipe(); err != nil {
		return err
	}
	if err := c.command.Start(); err != nil {
		c.stdin = nil
		return err
	}
	if err := c.awaitAnswer(); err != nil {
		return fmt.Errorf("%w: %s", err, c.log.Bytes())
	}
	return c.makeTemplate()
}

func (c *Cluster) makeTemplate() error {
	ctx := context.Background()
	if err := c.asAdmin(func(admin *sql.DB) error {
		_, err := admin.ExecContext(ctx, "CREATE ROLE "+role+" LOGIN")
		return errors.Join(err, create(ctx, admin, template, "template0"))
	}); err != nil {
		return err
	}
	db, err := database.Open(ctx, c.url(role, template), "")
	if err != nil {
		return err
	}
	defer db.Close() // nobody may be connected to a database that is copied
	_, err = db.Migrate(ctx)
	return err
}

// Close ends the cluster and removes its files. It is idempotent.
func (c *Cluster) Close() {
	c.close.Do(func() {
		if c.stdin != nil {
			c.stdin.Close()
			_ = c.command.Wait() // the shell's status is that of the server it killed
		}
	})
}

var made atomic.Int64

// URL makes a migrated database and returns its URL.
func (c *Cluster) URL(t testing.TB) string { return c.copyOf(t, template) }

// EmptyURL makes an empty database and returns its URL.
func (c *Cluster) EmptyURL(t testing.TB) string { return c.copyOf(t, "template0") }

func (c *Cluster) copyOf(t testing.TB, source string) string {
	t.Helper()
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), made.Add(1))
	if err := c.asAdmin(func(admin *sql.DB) error { return create(context.Background(), admin, name, source) }); err != nil {
		t.Fatal(err)
	}
	return c.url(role, name)
}

func create(ctx context.Context, admin *sql.DB, name, source string) error {
	_, err := admin.ExecContext(ctx, "CREATE DATABASE "+name+" OWNER "+role+" TEMPLATE "+source)
	return err
}

func (c *Cluster) asAdmin(f func(*sql.DB) error) error {
	admin, err := sql.Open("pgx", c.url("postgres", "postgres"))
	if err != nil {
		return err
	}
	defer admin.Close()
	return f(admin)
}

func (c *Cluster) url(user, name string) string {
	return fmt.Sprintf("postgres://%s@/%s?host=%s", user, name, c.Dir)
}

// wanted is a file in the cluster's folder that exists while the server is to
// run.
const wanted = "wanted"

func (c *Cluster) want(running bool) error {
	path := filepath.Join(c.Dir, wanted)
	if !running {
		return os.Remove(path)
	}
	return os.WriteFile(path, nil, 0o666)
}

// startTimeout bounds the start and the stop of a server, on a busy machine too.
const startTimeout = 2 * time.Minute

func (c *Cluster) awaitAnswer() error {
	return c.asAdmin(func(admin *sql.DB) error {
		for deadline := time.Now().Add(startTimeout); ; time.Sleep(10 * time.Millisecond) {
			err := admin.PingContext(context.Background())
			if err == nil {
				return nil
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("postgres does not answer: %w", err)
			}
		}
	})
}

// programs finds the newest installed PostgreSQL's programs.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// unprivileged returns the account to run PostgreSQL under when this process is
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
