package chaos

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

// liveKit is LiveKit of the version that Parley embeds, built from its modules: servers that share rooms through a Redis, behind
// an address that leads to one that answers, and SIP services.
type liveKit struct {
	url, redis  string
	server, sip string // programs

	mu        sync.Mutex
	addresses []string
	turn      int
}

const liveKitKey = "outside"

var liveKitSecret = strings.Repeat("o", 32)

// newLiveKit builds the programs. Nothing runs yet.
func newLiveKit(t *testing.T, redis string) *liveKit {
	t.Helper()
	dir := t.TempDir()
	l := &liveKit{server: filepath.Join(dir, "livekit-server"), sip: filepath.Join(dir, "livekit-sip")}
	for path, module := range map[string]string{l.server: "github.com/livekit/livekit-server/cmd/server", l.sip: "github.com/livekit/sip/cmd/livekit-sip"} {
		build := exec.Command("go", "build", "-C", "../../tools/livekit", "-o", path, module)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", module, err, out)
		}
	}
	parsed, err := url.Parse(redis)
	if err != nil {
		t.Fatal(err)
	}
	l.redis, l.url = parsed.Host, "ws://"+l.forward(t)
	return l
}

// startServer starts another server.
func (l *liveKit) startServer(t *testing.T) *binary.Process {
	t.Helper()
	port, udp := freePort(t), freePort(t)
	p := launchLiveKit(t, l.server, fmt.Sprintf("{port: %d, bind_addresses: [127.0.0.1], keys: {%s: %s}, redis: {address: %q}, rtc: {node_ip: 127.0.0.1, udp_port: %d, tcp_port: 0, use_external_ip: false, "+
		"enable_loopback_candidate: true, stun_servers: [\"127.0.0.1:1\"], interfaces: {includes: [lo]}, ips: {includes: [127.0.0.1/32]}}}", port, liveKitKey, liveKitSecret, l.redis, udp))
	address := net.JoinHostPort("127.0.0.1", fmt.Sprint(port))
	awaitOK(t, "LiveKit", "http://"+address)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addresses = append(l.addresses, address)
	return p
}

// startSIP starts another SIP service.
func (l *liveKit) startSIP(t *testing.T) *binary.Process {
	t.Helper()
	health, rtp := freePort(t), freePort(t)
	p := launchLiveKit(t, l.sip, fmt.Sprintf("{api_key: %s, api_secret: %s, ws_url: %q, redis: {address: %q}, health_port: %d, sip_port: %d, rtp_port: %d-%d, listen_ip: 127.0.0.1, nat_1_to_1_ip: 127.0.0.1, max_cpu_utilization: 1}",
		liveKitKey, liveKitSecret, l.url, l.redis, health, freePort(t), rtp, rtp+50))
	awaitOK(t, "LiveKit SIP", fmt.Sprintf("http://127.0.0.1:%d", health))
	return p
}

func launchLiveKit(t *testing.T, program, settings string) *binary.Process {
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

// awaitOK waits until an address answers 200.
func awaitOK(t *testing.T, what, address string) {
	t.Helper()
	await(t, 50*time.Millisecond, what+" answers", func() bool {
		answer, err := http.Get(address)
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
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
func (l *liveKit) next() (addresses []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn++
	for i := range l.addresses {
		addresses = append(addresses, l.addresses[(l.turn+i)%len(l.addresses)])
	}
	return addresses
}

// forward listens, and connects to the servers in turn, of which it leaves out those that do not answer.
func (l *liveKit) forward(t *testing.T) string {
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
