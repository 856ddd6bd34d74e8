package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/e2e/binary"
	"parley/internal/signing"
)

const deno = "runtimes/node_modules/.bin/deno"

// workerdPath returns workerd's own program: what npm links ends without it when it is killed.
func workerdPath() string {
	return "runtimes/node_modules/@cloudflare/workerd-linux-" + strings.TrimPrefix(runtime.GOARCH, "amd") + "/bin/workerd"
}

// inRuntime is what runtimes/check.mjs found.
type inRuntime struct {
	Agents, Events []string
	Error, Webhook string
	Forged         bool
}

// The client for TypeScript works in runtimes other than Node: Deno, workerd (of Cloudflare's workers), a page of another origin and a web
// worker in Chromium.
func TestClientForTypeScriptInRuntimes(t *testing.T) {
	t.Parallel()
	for _, path := range []string{deno, workerdPath()} {
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("the runtimes are not installed: run `npm ci` in e2e/contract/runtimes, as `make test` does: %v", err)
		}
	}
	files := http.FileServerFS(runtimeFiles(t))
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if filepath.Ext(r.URL.Path) == ".mjs" {
			w.Header().Set("Content-Type", "text/javascript")
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(page.Close)
	p := newPlatform(t, map[string]string{"PARLEY_CORS_ORIGINS": page.URL}, "--without=worker")
	p.acme.create(t, "/api/v1/agents", agentBody(p.acme, "demo"), "name")
	p.acme.create(t, "/api/v1/agents", agentBody(p.acme, "second"), "name")
	p.acme.create(t, "/api/v1/workflows", workflowBody(p.acme, "demo", "demo"), "slug")
	const secret, body = "whsec_of_a_test", `{"id":"evt_1","type":"call.completed","data":{"call_id":"of Zoë"}}`
	input := string(encoded(t, object{"url": p.URL, "key": p.acme.key, "webhook": object{
		"body": body, "secret": secret, "signature": signing.Signature([]string{secret}, time.Now(), []byte(body)),
	}}))
	check := func(t *testing.T, found inRuntime) {
		t.Helper()
		slices.Sort(found.Agents)
		if last := len(found.Events) - 1; last < 1 || found.Events[0] != "connected" || found.Events[last] != "ended" {
			t.Errorf("the stream has the messages %q", found.Events)
		}
		found.Events = nil
		if d := cmp.Diff(inRuntime{Agents: []string{"demo", "second"}, Error: "not_found", Webhook: "call.completed", Forged: true}, found); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	t.Run("deno", func(t *testing.T) {
		var found inRuntime
		client, err := filepath.Abs("../../clients/typescript/dist/index.js")
		if err != nil {
			t.Fatal(err)
		}
		printed(t, &found, deno, "run", "--no-remote", "--no-lock", "--allow-net=127.0.0.1", "--allow-read", "runtimes/deno.mjs", client, input)
		check(t, found)
	})
	t.Run("workerd", func(t *testing.T) { check(t, inWorkerd(t, input)) })
	t.Run("chromium", func(t *testing.T) {
		var found []inRuntime
		printed(t, &found, "node", "runtimes/browser.mjs", page.URL, input)
		if len(found) != 2 {
			t.Fatalf("found %+v", found)
		}
		for _, f := range found {
			check(t, f)
		}
	})
}

// runtimeFiles are the client and the programs beside it: client/index.js, check.mjs, worker.mjs.
func runtimeFiles(t *testing.T) fs.FS {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "client"), os.DirFS("../../clients/typescript/dist")); err != nil {
		t.Fatalf("%v: run make clients", err)
	}
	for _, name := range []string{"check.mjs", "worker.mjs"} {
		content, err := os.ReadFile(filepath.Join("runtimes", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, name), string(content))
	}
	write(t, filepath.Join(folder, "index.html"), "<!doctype html><title>Page</title>")
	return os.DirFS(folder)
}

// printed decodes what a program prints.
func printed(t *testing.T, into any, command ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Env = append(os.Environ(), "DENO_DIR="+t.TempDir(), "DENO_NO_UPDATE_CHECK=1")
	var problems bytes.Buffer
	c.Stderr = &problems
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, &problems)
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("%v\n%s%s", err, out, &problems)
	}
}

// inWorkerd has a worker in workerd use the client.
func inWorkerd(t *testing.T, input string) (found inRuntime) {
	t.Helper()
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	folder, files := t.TempDir(), runtimeFiles(t)
	if err := os.CopyFS(folder, files); err != nil {
		t.Fatal(err)
	}
	var modules []string
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if ext := filepath.Ext(name); err == nil && !entry.IsDir() && (ext == ".js" || ext == ".mjs") && name != "worker.mjs" {
			modules = append(modules, fmt.Sprintf("(name = %q, esModule = embed %q)", name, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	modules = append([]string{`(name = "worker.mjs", esModule = embed "worker.mjs")`}, modules...) // the first is the worker's own
	write(t, filepath.Join(folder, "config.capnp"), fmt.Sprintf(`using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (compatibilityDate = "2026-11-01", modules = [%s])), (name = "internet", network = (allow = ["public", "private"]))],
  sockets = [(name = "http", address = %q, http = (), service = "main")],
);
`, strings.Join(modules, ", "), address))
	workerd := exec.CommandContext(t.Context(), workerdPath(), "serve", filepath.Join(folder, "config.capnp"))
	var log bytes.Buffer
	workerd.Stdout, workerd.Stderr = &log, &log
	if err := workerd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = workerd.Wait()
		close(ended)
	}()
	defer func() {
		_ = workerd.Process.Kill()
		<-ended
	}()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		answer, err := http.Post("http://"+address, "application/json", strings.NewReader(input))
		if err == nil {
			defer answer.Body.Close()
			if err := json.NewDecoder(answer.Body).Decode(&found); err != nil {
				_ = workerd.Process.Kill()
				<-ended
				t.Fatalf("%s: %v\n%s", answer.Status, err, &log)
			}
			return found
		}
		select {
		case <-ended:
			t.Fatalf("workerd has ended:\n%s", &log)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
