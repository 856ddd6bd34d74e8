package e2e

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"parley/client"
	"parley/e2e/binary"
)

var printedPassword = regexp.MustCompile(`(?i)password\s+(\S+)`)

// password is what a first start prints, which it does once it serves.
func password(t *testing.T, s *binary.Server) string {
	t.Helper()
	await(t, "the password and a curl line are printed", func() bool {
		return printedPassword.MatchString(s.Out.String()) && strings.Contains(s.Out.String(), "curl ")
	})
	return printedPassword.FindStringSubmatch(s.Out.String())[1]
}

// The first start prints how to sign in; the second finds everything and prints no secret.
func TestSecondStartChangesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first, err := start(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(first.Kill)
	password := password(t, first)
	for _, want := range []string{first.URL, "demo@parley.local"} {
		if !strings.Contains(first.Out.String(), want) {
			t.Errorf("%q is not in\n%s", want, first.Out.String())
		}
	}
	info, err := os.Stat(filepath.Join(dir, "demo-api-key"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file has mode %v, want 0600", info.Mode())
	}
	before := inventory(t, first, password)
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}

	second := serve(t, dir, nil)
	after := inventory(t, second, password) // long after it has printed what it prints
	if strings.Contains(second.Out.String(), password) || printedPassword.MatchString(second.Out.String()) || strings.Contains(second.Out.String(), first.Key) {
		t.Errorf("the second start prints secrets:\n%s", second.Out.String())
	}
	if second.Key != first.Key {
		t.Error("the second start made another key")
	}
	if after != before {
		t.Errorf("before: %s\nafter:  %s", before, after)
	}
}

// inventory signs in and names what the demo tenant has.
func inventory(t *testing.T, s *binary.Server, password string) string {
	t.Helper()
	tokens, err := s.API.Login(t.Context(), "demo@parley.local", password)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := s.API.Session(tokens.AccessToken).APIKeys.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	agents, err := s.API.Agents.List(t.Context(), client.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	workflows, err := s.API.Workflows.List(t.Context(), client.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range keys {
		names = append(names, "key "+k.ID)
	}
	for _, a := range agents.Items {
		names = append(names, "agent "+a.Name+" "+a.ID)
	}
	for _, w := range workflows.Items {
		names = append(names, "workflow "+w.Slug+" "+w.ID)
	}
	if len(keys) != 1 || len(agents.Items) != 2 || len(workflows.Items) != 1 {
		t.Errorf("the demo tenant has %q", names)
	}
	return strings.Join(names, ", ")
}

// A server that is signalled to stop as soon as it is ready stops without an error.
func TestStoppedWhenReady(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	for range 5 {
		s, err := start(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Kill)
		if err := s.Stop(); err != nil {
			t.Errorf("%v\n%s", err, s.Log.String())
		}
	}
}

// A wrong setting stops the start with one line that names it, and leaves nothing behind.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	tests := []struct {
		name  string
		names string // what the line must name
		set   func(t *testing.T, env map[string]string)
	}{
		{"short JWT secret", "JWT_SECRET", func(t *testing.T, env map[string]string) { env["JWT_SECRET"] = strings.Repeat("x", 31) }},
		{"31-byte encryption key", "ENCRYPTION_KEY", func(t *testing.T, env map[string]string) { env["ENCRYPTION_KEY"] = strings.Repeat("k", 31) }},
		{"33-byte encryption key", "ENCRYPTION_KEY", func(t *testing.T, env map[string]string) { env["ENCRYPTION_KEY"] = strings.Repeat("k", 33) }},
		{"file in place of the data folder", "PARLEY_DATA_DIR", func(t *testing.T, env map[string]string) {
			if err := os.WriteFile(env["PARLEY_DATA_DIR"], []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"HTTP port in use", "PARLEY_ADDR", func(t *testing.T, env map[string]string) { occupy(t, "tcp", env["PARLEY_ADDR"]) }},
		{"signalling port in use", "PARLEY_RTC_PORT", func(t *testing.T, env map[string]string) { occupy(t, "tcp", "127.0.0.1:"+env["PARLEY_RTC_PORT"]) }},
		{"media port in use", "PARLEY_RTC_UDP_PORT", func(t *testing.T, env map[string]string) { occupy(t, "udp", "127.0.0.1:"+env["PARLEY_RTC_UDP_PORT"]) }},
		// Media over TCP is for callers from elsewhere: a server on loopback does not open the port.
		{"media port over TCP taken", "PARLEY_RTC_TCP_PORT", func(t *testing.T, env map[string]string) {
			env["PARLEY_ADDR"] = strings.Replace(env["PARLEY_ADDR"], "127.0.0.1", "0.0.0.0", 1)
			env["PARLEY_RTC_NODE_IP"], env["PARLEY_DEMO"] = "127.0.0.1", "true"
			occupy(t, "tcp", ":"+env["PARLEY_RTC_TCP_PORT"])
		}},
		{"SIP port in use", "PARLEY_SIP_PORT", func(t *testing.T, env map[string]string) { occupy(t, "udp", "127.0.0.1:"+env["PARLEY_SIP_PORT"]) }},
		{"SIP port in use over TCP", "PARLEY_SIP_PORT", func(t *testing.T, env map[string]string) { occupy(t, "tcp", "127.0.0.1:"+env["PARLEY_SIP_PORT"]) }},
		{"SIP certificate that is none", "PARLEY_SIP_TLS_CERT", func(t *testing.T, env map[string]string) {
			env["PARLEY_SIP_TLS_CERT"], env["PARLEY_SIP_TLS_KEY"] = filepath.Join(empty, "certificate.pem"), filepath.Join(empty, "key.pem")
		}},
		{"SIP certificate without its key", "PARLEY_SIP_TLS_KEY", func(t *testing.T, env map[string]string) { env["PARLEY_SIP_TLS_CERT"] = "certificate.pem" }},
		{"audio ports that are none", "PARLEY_SIP_RTP_PORTS", func(t *testing.T, env map[string]string) { env["PARLEY_SIP_RTP_PORTS"] = "20000-10000" }},
		{"no pocketsphinx", "pocketsphinx", func(t *testing.T, env map[string]string) { env["PATH"] = empty }},
		{"port that is none", "PARLEY_RTC_PORT", func(t *testing.T, env map[string]string) { env["PARLEY_RTC_PORT"] = "70000" }},
		{"address that is none", "PARLEY_ADDR", func(t *testing.T, env map[string]string) { env["PARLEY_ADDR"] = "8080" }},
		{"time that is none", "PARLEY_JOIN_TIMEOUT", func(t *testing.T, env map[string]string) { env["PARLEY_JOIN_TIMEOUT"] = "soon" }},
		{"PostgreSQL without secrets", "JWT_SECRET", func(t *testing.T, env map[string]string) { env["DATABASE_URL"] = "postgres://127.0.0.1:1/parley" }},
		{"Redis that does not answer", "REDIS_URL", func(t *testing.T, env map[string]string) { env["REDIS_URL"] = "redis://127.0.0.1:1" }},
		{"Redis without a scheme", "REDIS_URL", func(t *testing.T, env map[string]string) { env["REDIS_URL"] = "127.0.0.1:6379" }},
		{"rate limit that is none", "PARLEY_SESSION_RATE_LIMIT", func(t *testing.T, env map[string]string) { env["PARLEY_SESSION_RATE_LIMIT"] = "many" }},
		{"proxy that is none", "PARLEY_TRUSTED_PROXIES", func(t *testing.T, env map[string]string) { env["PARLEY_TRUSTED_PROXIES"] = "10.0.0.0/8,proxy" }},
		{"origin that is none", "PARLEY_CORS_ORIGINS", func(t *testing.T, env map[string]string) { env["PARLEY_CORS_ORIGINS"] = "app.example.com" }},
		{"collector that is none", "OTEL_EXPORTER_OTLP_ENDPOINT", func(t *testing.T, env map[string]string) { env["OTEL_EXPORTER_OTLP_ENDPOINT"] = "localhost:4317" }},
		{"base URL that is none", "OPENAI_BASE_URL", func(t *testing.T, env map[string]string) { env["OPENAI_BASE_URL"] = "proxy.example.com" }},
		{"vendor's key with a line break", "DEEPGRAM_API_KEY", func(t *testing.T, env map[string]string) { env["DEEPGRAM_API_KEY"] = "key\n" }},
		{"database of another kind", "DATABASE_URL", func(t *testing.T, env map[string]string) { env["DATABASE_URL"] = "mysql://127.0.0.1/parley" }},
		{"PostgreSQL that does not answer", "DATABASE_URL", func(t *testing.T, env map[string]string) {
			env["DATABASE_URL"] = "postgres://127.0.0.1:1/parley"
			env["JWT_SECRET"], env["ENCRYPTION_KEY"] = strings.Repeat("x", 32), strings.Repeat("k", 32)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			env, err := binary.FreePorts()
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "data")
			env["PARLEY_DATA_DIR"] = dir
			test.set(t, env)
			before := content(t, dir)

			p, err := launch(env, "serve")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			code, err := p.Wait(ctx)
			if err != nil {
				t.Fatalf("%v\n%s", err, p.Log.String())
			}
			if code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			line := p.Log.String()
			if strings.Count(line, "\n") != 1 || !strings.Contains(line, test.names) {
				t.Errorf("standard error is not one line that names %s:\n%s", test.names, line)
			}
			if out := p.Out.String(); out != "" {
				t.Errorf("standard output: %s", out)
			}
			for _, secret := range []string{env["JWT_SECRET"], env["ENCRYPTION_KEY"]} {
				if secret != "" && strings.Contains(line, secret) {
					t.Errorf("the line contains a secret: %s", line)
				}
			}
			if err := p.Orphans(); err != nil {
				t.Error(err)
			}
			if after := content(t, dir); after != before {
				t.Errorf("the data folder was %q, is %q", before, after)
			}
		})
	}
}

// occupy listens at an address until the test ends.
func occupy(t *testing.T, network, address string) {
	t.Helper()
	if network == "udp" {
		c, err := net.ListenPacket(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
}

// content describes what is at path: nothing, a file with its text, or a folder with its names.
func content(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "nothing"
	case err != nil:
		t.Fatal(err)
	case info.IsDir():
		names, err := filepath.Glob(filepath.Join(path, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return "folder of " + strconv.Itoa(len(names)) + ": " + strings.Join(names, " ")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return "file: " + string(b)
}

// An address of the loopback interface that is no loopback address, as routers announce, takes no media: the start says so, rather than
// that each call is lost.
func TestNodeIPOfLoopbackInterface(t *testing.T) {
	t.Parallel()
	prefix := []string{"unshare", "--map-root-user", "--net"}
	if exec.Command("unshare", "--map-root-user", "--net", "true").Run() != nil {
		prefix = []string{"sudo", "-n", "--preserve-env", "unshare", "--net"}
	}
	const script = `ip link set lo up && ip addr add 203.0.113.7/32 dev lo && exec timeout 60 "$0" serve`
	command := exec.CommandContext(t.Context(), prefix[0], append(prefix[1:], "sh", "-c", script, program)...)
	command.Env = append(os.Environ(), "PARLEY_DATA_DIR="+t.TempDir(), "PARLEY_ADDR=0.0.0.0:8080", "PARLEY_RTC_NODE_IP=203.0.113.7")
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "PARLEY_RTC_NODE_IP: 203.0.113.7 is an address of the loopback interface") {
		t.Errorf("%v: %s", err, out)
	}
}
