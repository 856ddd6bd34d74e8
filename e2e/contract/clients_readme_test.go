package contract

import (
	"bufio"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/e2e/page"
	"parley/internal/signing"
)

// readmes are those of the clients, by folder. deliver is a program that gives the receiver of the README a webhook with BODY and SIGNATURE.
var readmes = map[string]struct{ language, extension, command, deliver string }{
	"typescript": {"js", ".mjs", "node", `
import receiver from './receiver.mjs';
const headers = { 'X-Webhook-Signature': process.env.SIGNATURE };
const { status } = await receiver.fetch(new Request('http://127.0.0.1', { method: 'POST', body: process.env.BODY, headers }));
console.log(status);
`},
	"python": {"python", ".py", "python3", `
import io, os
from receiver import application
body = os.environ["BODY"].encode()
environ = {"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body)), "HTTP_X_WEBHOOK_SIGNATURE": os.environ["SIGNATURE"]}
application(environ, lambda status, headers: print(status))
`},
}

// The programs in the READMEs of the clients run as they stand there.
func TestProgramsInReadmesOfClients(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, nil, "--without=worker")
	p.acme.create(t, "/api/v1/agents", agentBody(p.acme, "demo"), "name")
	p.acme.create(t, "/api/v1/workflows", workflowBody(p.acme, "demo", "demo"), "slug")
	for name, readme := range readmes {
		t.Run(name, func(t *testing.T) {
			client, err := filepath.Abs(filepath.Join("..", "..", "clients", name))
			if err != nil {
				t.Fatal(err)
			}
			programs := programsOf(t, filepath.Join(client, "README.md"), readme.language)
			if lines := strings.Count(strings.TrimSpace(programs[0]), "\n") + 1; lines > 10 {
				t.Errorf("the first call has %d lines", lines)
			}
			folder := newProject(t, client)
			command := func(file, program string, environment ...string) *exec.Cmd {
				path := filepath.Join(folder, file+readme.extension)
				write(t, path, program)
				c := exec.Command(readme.command, path)
				c.Env = append(os.Environ(), append(environment, "PYTHONPATH="+filepath.Join(client, "src"), "PYTHONDONTWRITEBYTECODE=1")...)
				c.Stderr = os.Stderr
				return c
			}
			p.firstCall(t, command("call", programs[0], "PARLEY_URL="+p.URL, "PARLEY_API_KEY="+p.acme.key))

			const secret, body = "whsec_of_a_test", `{"id":"evt_1","type":"call.completed","data":{"call_id":"of Zoë"}}`
			signature := signing.Signature([]string{secret}, time.Now(), []byte(body))
			write(t, filepath.Join(folder, "receiver"+readme.extension), programs[1])
			out, err := command("deliver", readme.deliver, "WEBHOOK_SECRET="+secret, "BODY="+body, "SIGNATURE="+signature).Output()
			if err != nil || !strings.HasPrefix(string(out), "call.completed of Zoë\n20") {
				t.Errorf("the receiver prints %q: %v", out, err)
			}
		})
	}
}

// programsOf are the two programs of a README: the first call, and a receiver of webhooks.
func programsOf(t *testing.T, path, language string) (programs []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range page.Blocks(string(text)) {
		if b.Language == language {
			programs = append(programs, b.Text)
		}
	}
	if len(programs) != 2 {
		t.Fatalf("%s has %d programs, want 2", path, len(programs))
	}
	return programs
}

// newProject is a folder in which Node finds a client as if it were installed.
func newProject(t *testing.T, client string) string {
	t.Helper()
	folder := t.TempDir()
	modules := filepath.Join(folder, "node_modules")
	if err := errors.Join(os.Mkdir(modules, 0o700), os.Symlink(client, filepath.Join(modules, "parley-client"))); err != nil {
		t.Fatal(err)
	}
	return folder
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// firstCall runs a program that starts a call and follows it to its end.
func (p *platform) firstCall(t *testing.T, program *exec.Cmd) {
	t.Helper()
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "A LiveKit client joins ws") {
		t.Errorf("the program prints %q: %v", line, err)
	}
	var open []struct{ ID string }
	p.must(t, apiKey(p.acme.key), http.MethodGet, "/api/v1/calls/active", nil, &open)
	for _, call := range open {
		p.must(t, apiKey(p.acme.key), http.MethodPost, "/api/v1/calls/"+call.ID+"/end", nil, nil)
	}
	if err := program.Wait(); err != nil {
		t.Error(err)
	}
}
