// Package livekit runs LiveKit's own server for tests.
package livekit

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/e2e/binary"
)

// Cluster is LiveKit of the version that Parley embeds, built from its module: servers that share rooms through a Redis, behind
// an address that leads to one that answers.
type Cluster struct {
	// URL leads to one of the servers.
	URL string
	// TCPPort is the port for media over TCP of a server that starts next; 0 for none.
	TCPPort int

	redis  string
	server string // the program

	mu        sync.Mutex
	addresses []string
	turn      int
}

// Key is the API key of every cluster.
const Key = "outside"

// Secret is that of Key.
var Secret = strings.Repeat("o", 32)

// New builds the program. Nothing runs yet.
func New(t *testing.T, redis string) *Cluster {
	t.Helper()
	l := &Cluster{server: filepath.Join(t.TempDir(), "livekit-server")}
	const module = "github.com/livekit/livekit-server/cmd/server"
	build := exec.Command("go", "build", "-C", tools(t), "-o", l.server, module)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", module, err, out)
	}
	parsed, err := url.Parse(redis)
	if err != nil {
		t.Fatal(err)
	}
	l.redis, l.URL = parsed.Host, "ws://"+l.forward(t)
	return l
}

// tools returns the folder of the module that names LiveKit's server.
func tools(t *testing.T) string {
	t.Helper()
	file, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(filepath.Dir(strings.TrimSpace(string(file))), "tools", "livekit")
}

// StartServer starts another server, with further settings as LiveKit's configuration has them, such as "turn: {enabled: true}".
func (l *Cluster) StartServer(t *testing.T, more ...string) *binary.Process {
	t.Helper()
	port, udp := freePort(t), freePort(t)
	p := launch(t, l.server, fmt.Sprintf("{port: %d, bind_addresses: [127.0.0.1], keys: {%s: %s}, redis: {address: %q}, rtc: {node_ip: 127.0.0.1, udp_port: %d, tcp_port: %d, use_external_ip: false, "+
		"enable_loopback_candidate: true, stun_servers: [\"127.0.0.1:1\"], interfaces: {includes: [lo]}, ips: {includes: [127.0.0.1/32]}}%s}", port, Key, Secret, l.redis, udp, l.TCPPort, strings.Join(append([]string{""}, more...), ", ")))
	address := net.JoinHostPort("127.0.0.1", fmt.Sprint(port))
	awaitOK(t, "LiveKit", "http://"+address)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addresses = append(l.addresses, address)
	return p
}

func launch(t *testing.T, program, settings string) *binary.Process {
	t.Helper()
	file := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := binary.Launch(program, nil, "--config", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of %s:\n%s%s", filepath.Base(program), p.Out.String(), p.Log.String())
		}
		p.Kill()
	})
	return p
}

// startTimeout bounds the start of a program, on a busy machine.
const startTimeout = 3 * time.Minute

// awaitOK waits until an address answers 200.
func awaitOK(t *testing.T, what, address string) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if answer, err := http.Get(address); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
	}
	t.Fatalf("%s does not answer at %s within %v", what, address, startTimeout)
}

func freePort(t *testing.T) int {
	t.Helper()
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// next returns the servers' addresses, beginning with another one each time.
func (l *Cluster) next() (addresses []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn++
	for i := range l.addresses {
		addresses = append(addresses, l.addresses[(l.turn+i)%len(l.addresses)])
	}
	return addresses
}

// forward listens, and connects to the servers in turn, of which it leaves out those that do not answer.
func (l *Cluster) forward(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	serve := func(near net.Conn) {
		defer near.Close()
		for _, address := range l.next() {
			far, err := net.Dial("tcp", address)
			if err != nil {
				continue
			}
			go func() {
				_, _ = io.Copy(far, near)
				_ = far.Close()
			}()
			_, _ = io.Copy(near, far)
			return
		}
	}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(near)
		}
	}()
	return listener.Addr().String()
}
