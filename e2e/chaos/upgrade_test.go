package chaos

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/database/databasetest"
)

// An upgrade as operators do it: the previous version serves calls, this one starts beside it and migrates their database, and
// then another node of the previous version starts on the newer schema. All serve calls meanwhile, of which none fails, and
// all requests are answered. A migration that older nodes cannot live with fails here.
func TestPreviousVersionOnThisSchema(t *testing.T) {
	t.Parallel()
	old := previous(t)
	x := newExchangeOf(t, old, databasetest.EmptyPostgresURL(t))
	var mu sync.Mutex
	nodes := []*binary.Server{x.Server}
	add := func(program, name string) *binary.Server {
		t.Helper()
		s, err := binary.Start(program, filepath.Join(t.TempDir(), name), x.env, "--without=media")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Kill)
		mu.Lock()
		defer mu.Unlock()
		nodes = append(nodes, s)
		return s
	}
	api := func() *client.Client {
		mu.Lock()
		defer mu.Unlock()
		return client.New(nodes[rand.IntN(len(nodes))].URL, x.Key, client.WithAttempts(1))
	}
	loading, over := context.WithCancel(t.Context())
	var load sync.WaitGroup
	t.Cleanup(func() {
		over()
		load.Wait()
	})
	var calls, requests atomic.Int64
	for range size(3, 8) { // people
		load.Go(func() {
			for loading.Err() == nil && !t.Failed() {
				c, err := dispatchAndJoin(t.Context(), api())
				if err != nil {
					t.Errorf("begin a call: %v", err)
					return
				}
				reach(t, api, c.id, client.Active)
				await(t, 50*time.Millisecond, "the agent of "+c.id+" spoke", func() bool {
					said, err := api().Calls.Transcript(t.Context(), c.id)
					if err != nil {
						t.Errorf("transcript: %v", err)
					}
					return len(said) > 0 || err != nil
				})
				c.Leave()
				ended(t, reach(t, api, c.id, client.Completed), client.Completed, "caller_hangup")
				calls.Add(1)
			}
		})
	}
	load.Go(func() { // a program
		for loading.Err() == nil && !t.Failed() {
			a := api()
			_, err := a.Agents.List(t.Context(), client.ListOptions{})
			if err == nil {
				_, err = a.Workflows.List(t.Context(), client.ListOptions{})
			}
			if err == nil {
				_, err = a.Calls.List(t.Context(), client.CallQuery{})
			}
			if err != nil {
				t.Errorf("a request failed: %v", err)
			}
			requests.Add(3)
			time.Sleep(50 * time.Millisecond)
		}
	})
	serves := func(what string, s *binary.Server) { // more calls than until now
		t.Helper()
		before := completed(t, s)
		await(t, 100*time.Millisecond, what+" serves calls", func() bool { return completed(t, s) >= before+size(2, 20) || t.Failed() })
	}
	serves("the previous version", x.Server)
	now := add(program, "now")
	serves("this version", now)
	serves("the previous version, on this schema", x.Server)
	late := add(old, "late")
	serves("the previous version, started on this schema", late)
	serves("this version, beside it", now)
	over()
	load.Wait()
	t.Logf("%d calls and %d requests", calls.Load(), requests.Load())
	var lost []string
	x.rows(t, &lost, "SELECT id FROM calls WHERE ended_at IS NULL OR status_reason <> 'caller_hangup'")
	if len(lost) > 0 {
		t.Errorf("%d calls failed, or never ended: %q", len(lost), lost)
	}
	for name, s := range map[string]*binary.Server{"previous": x.Server, "now": now, "late": late} {
		for line := range strings.Lines(s.Log.String()) {
			if strings.Contains(line, "SQLSTATE") || strings.Contains(line, "does not have column") {
				t.Errorf("log of %s: %s", name, line)
			}
		}
	}
}

// ending matches the number of calls that a process has completed, by workflow.
var ending = regexp.MustCompile(`(?m)^calls_total\{.*status="completed".*\} (\d+)$`)

// completed is the number of calls that the worker of a server has completed.
func completed(t *testing.T, s *binary.Server) (n int) {
	t.Helper()
	answer, err := http.Get(s.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range ending.FindAllSubmatch(text, -1) {
		calls, err := strconv.Atoi(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		n += calls
	}
	return n
}

// previous builds the version before this one from the repository's history, and returns its binary.
func previous(t *testing.T) string {
	t.Helper()
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), "git", args...).Output()
		return strings.TrimSpace(string(out)), err
	}
	root, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		untested(t, "this is no checkout of the repository, whose history has the previous version")
	}
	version, err := git("tag", "--list", "v*", "--merged", "HEAD", "--no-contains", "HEAD", "--sort=-version:refname")
	if err != nil {
		t.Fatal(err)
	}
	if version, _, _ = strings.Cut(version, "\n"); version == "" {
		version = named(t)
	}
	if _, err := git("cat-file", "-e", version+"^{commit}"); err != nil {
		untested(t, "the history of this checkout does not reach back to the previous version, "+version+"; git fetch --unshallow --tags")
	}
	source, into := exec.CommandContext(t.Context(), "git", "-C", root, "archive", "--format=tar", version), t.TempDir()
	files, err := source.Output()
	if err != nil {
		t.Fatal(err)
	}
	unpack := exec.CommandContext(t.Context(), "tar", "-x", "-C", into)
	unpack.Stdin = bytes.NewReader(files)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("unpack %s: %v\n%s", version, err, out)
	}
	path := filepath.Join(t.TempDir(), "previous")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", path, "./cmd/parley")
	build.Dir = into
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", version, err, out)
	}
	t.Logf("the previous version is %s", version)
	return path
}

// untested ends the test where the previous version cannot be built: skipped for whoever has the source alone or a shallow clone, failed in
// continuous integration, which sets CI.
func untested(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal("upgrades are NOT tested: " + why)
	}
	t.Skip("upgrades are NOT tested: " + why) //nolint:forbidigo // there is nothing to build it from, and a source archive is no fault
}

// named is the commit that testdata/previous names.
func named(t *testing.T) string {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "previous"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	t.Fatal("testdata/previous names no commit")
	return ""
}
