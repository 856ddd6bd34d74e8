package contract

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/internal/signing"
)

const (
	repository    = "github.com/voice/parley"
	clientVersion = "v0.1.0"
)

// releasedClient is a repository with the Go client as a release tags it.
func releasedClient(t *testing.T) (folder string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "client"), os.DirFS(filepath.Join(root, "client"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LICENSE", "go.mod"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, name), string(content))
	}
	for _, command := range [][]string{
		{"git", "init", "--quiet"}, {"git", "add", "--all"}, {"git", "commit", "--quiet", "--message=Release"}, {"git", "tag", clientVersion},
		{filepath.Join(root, "scripts", "tag-client.sh"), repository, clientVersion},
	} {
		run(t, folder, nil, command...)
	}
	return folder
}

// run runs a command and returns what it prints.
func run(t *testing.T, folder string, environment []string, command ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Dir = folder
	c.Env = append(append(os.Environ(), "GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.com"), environment...)
	out, err := c.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			out = append(out, exit.Stderr...)
		}
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	return strings.TrimSpace(string(out))
}

// A module outside the repository gets the Go client by its path, and the programs in its README run as they stand there.
func TestGoClientOfARelease(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, nil, "--without=worker")
	p.acme.create(t, "/api/v1/agents", agentBody(p.acme, "demo"), "name")
	p.acme.create(t, "/api/v1/workflows", workflowBody(p.acme, "demo", "demo"), "slug")
	environment := []string{
		"GOPROXY=direct", "GOSUMDB=off", "GOFLAGS=-mod=mod -modcacherw -buildvcs=false", "GOMODCACHE=" + t.TempDir(), "GOWORK=off", "GOTOOLCHAIN=local",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + releasedClient(t) + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + repository,
	}
	backend := t.TempDir()
	run(t, backend, environment, "go", "mod", "init", "example.com/backend")
	run(t, backend, environment, "go", "get", repository+"/client@"+clientVersion)
	readme := filepath.Join(run(t, backend, environment, "go", "list", "-m", "-f", "{{.Dir}}", repository+"/client"), "README.md")
	var programs []string
	for n, text := range programsOf(t, readme, "go") {
		folder := filepath.Join(backend, strconv.Itoa(n))
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "main.go"), text)
		run(t, backend, environment, "go", "vet", "./"+strconv.Itoa(n))
		programs = append(programs, filepath.Join(folder, "program"))
		run(t, backend, environment, "go", "build", "-o", programs[n], "./"+strconv.Itoa(n))
		if _, body, _ := strings.Cut(text, "func main() {\n"); strings.Count(body, "\n") > 11 {
			t.Errorf("the function main of a program has more than ten lines:\n%s", body)
		}
	}
	call := exec.Command(programs[0])
	call.Env, call.Stderr = append(os.Environ(), "PARLEY_URL="+p.URL, "PARLEY_API_KEY="+p.acme.key), os.Stderr
	p.firstCall(t, call)
	deliverToGo(t, programs[1])
}

// deliverToGo gives the receiver of the README a webhook, and one with another signature.
func deliverToGo(t *testing.T, program string) {
	t.Helper()
	const secret, body = "whsec_of_a_test", `{"id":"evt_1","type":"call.completed","data":{"call_id":"of Zoë"}}`
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	receiver := exec.CommandContext(t.Context(), program)
	receiver.Env, receiver.Stderr = append(os.Environ(), "ADDRESS="+address, "WEBHOOK_SECRET="+secret), os.Stderr
	out, err := receiver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := receiver.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = receiver.Process.Kill()
		_ = receiver.Wait()
	}()
	deliver := func(signature string) (status int, err error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/parley", strings.NewReader(body))
		if err != nil {
			return 0, err
		}
		r.Header.Set("X-Webhook-Signature", signature)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err
		}
		answer.Body.Close()
		return answer.StatusCode, nil
	}
	status, err := deliver("none")
	for deadline := time.Now().Add(time.Minute); err != nil && time.Now().Before(deadline); status, err = deliver("none") {
		time.Sleep(20 * time.Millisecond) // until it listens
	}
	if err != nil || status != http.StatusUnauthorized {
		t.Errorf("without a signature: %d, %v", status, err)
	}
	if status, err := deliver(signing.Signature([]string{secret}, time.Now(), []byte(body))); err != nil || status != http.StatusNoContent {
		t.Errorf("with a signature: %d, %v", status, err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "call.completed ") || !strings.Contains(line, "of Zoë") {
		t.Errorf("the receiver prints %q: %v", line, err)
	}
}
