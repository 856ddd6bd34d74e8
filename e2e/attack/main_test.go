// Package attack attacks the running binary as unauthenticated clients, callers and other tenants could, and checks that nobody
// else is affected. `make test` runs it small, `make chaos` at its full size.
package attack

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/e2e/emulated"
)

// program is the binary under test.
var program string

// full is whether to run at full size.
var full = os.Getenv("PARLEY_ATTACK") == "full"

// size is a number of this run.
func size(small, large int) int {
	if full {
		return large
	}
	return small
}

// limit bounds how long a test waits for what must happen, on a machine with much else to do.
const limit = 2 * time.Minute

func TestMain(m *testing.M) {
	emulated.Main()
	flag.Parse()
	os.Exit(binary.RunTests(m, &program))
}

// answerTo sends a request and returns status and body of the answer. It may be called beside the test.
func answerTo(t *testing.T, r *http.Request) (status int, body string) {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, string(text)
}

// start starts a server with an empty data folder, which ends with the test.
func start(t *testing.T, settings map[string]string, flags ...string) *binary.Server {
	t.Helper()
	s, err := binary.Start(program, t.TempDir(), settings, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(s.Log.String())
		}
	})
	return s
}

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("within %v not: %s", limit, what)
		}
	}
}

// newTenant returns a tenant and returns an API key of it with these scopes.
func newTenant(t *testing.T, s *binary.Server, name, scopes string) (key string) {
	t.Helper()
	command(t, s, "", "tenant", "create", name)
	return newKey(t, s, name, "--scopes", scopes)
}

// newTestKey returns a test key of a tenant that there is, with all scopes.
func newTestKey(t *testing.T, s *binary.Server, tenant string) (key string) {
	t.Helper()
	return newKey(t, s, tenant, "--environment", "test", "--scopes", "*")
}

// newKey returns an API key of a tenant that there is.
func newKey(t *testing.T, s *binary.Server, tenant string, flags ...string) (key string) {
	t.Helper()
	var made struct{ Key string }
	if err := json.Unmarshal(command(t, s, "", append([]string{"key", "create", "--json", "--tenant", tenant, "--name", "attack", "--rate-limit", "100000"}, flags...)...), &made); err != nil {
		t.Fatal(err)
	}
	return made.Key
}

// command runs another command of the binary on a server's data.
func command(t *testing.T, s *binary.Server, input string, args ...string) []byte {
	t.Helper()
	return commandWith(t, s, nil, input, args...)
}

// commandWith runs another command with settings.
func commandWith(t *testing.T, s *binary.Server, settings []string, input string, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Env = append(append(os.Environ(), "PARLEY_DATA_DIR="+s.Dir), settings...)
	c.Stdin = strings.NewReader(input)
	var problems bytes.Buffer
	c.Stderr = &problems
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, &problems)
	}
	return out
}

// send makes a request with an API key or an access token, "" for none, and returns the answer with its body.
func send(t *testing.T, s *binary.Server, credential, method, path, body string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if credential != "" {
		r.Header.Set("Authorization", "Bearer "+credential)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, text
}

// goroutines is how many goroutines the server has.
func goroutines(t *testing.T, s *binary.Server) int {
	t.Helper()
	_, text := send(t, s, "", http.MethodGet, "/metrics", "")
	_, rest, _ := strings.Cut(string(text), "\ngo_goroutines ")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatalf("go_goroutines: %v", err)
	}
	return n
}

// memory is the server's resident set in bytes.
func memory(t *testing.T, s *binary.Server) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// processorTime is how much of a processor the server has used.
func processorTime(t *testing.T, s *binary.Server) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID()))
	if err != nil {
		t.Fatal(err)
	}
	_, fields, _ := strings.Cut(string(stat), ") ") // behind the program's name
	used := 0
	for _, field := range strings.Fields(fields)[11:13] { // utime and stime, see proc(5)
		ticks, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		used += ticks
	}
	return time.Duration(used) * time.Second / 100
}

// watchMemory returns by how much the server's memory grew at most while something happened.
func watchMemory(t *testing.T, s *binary.Server, happens func()) (most int) {
	t.Helper()
	before, stop := memory(t, s), make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, memory(t, s)-before)
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	})
	happens()
	close(stop)
	watching.Wait()
	return most
}
