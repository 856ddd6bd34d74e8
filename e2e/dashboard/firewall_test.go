package dashboard

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/e2e/binary"
	"parley/e2e/livekit"
	"parley/internal/redis/redistest"
)

// callerAddress and serverAddress are those of a caller's network namespace. serverAddress is this machine to the caller.
const callerAddress, serverAddress = "10.77.0.2", "10.77.0.1"

// talkBehindFirewall has a caller in Chromium talk to the demo agent from a network namespace that has nothing but TCP connections to
// some ports of this machine's loopback address, and returns what media went over.
func talkBehindFirewall(t *testing.T, s *binary.Server, url string, ports map[string]int) (over string) {
	t.Helper()
	dir := t.TempDir()
	socket := filepath.Join(dir, "port")
	signIn := printedSignIn(t, s)
	arguments := []string{"node", "firewall/caller.mjs", url, signIn[1], signIn[2], dir, socket, serverAddress}
	for port, to := range ports {
		forwardSocket(t, socket+"."+port, to)
		arguments = append(arguments, port)
	}
	// An address that appears later would make Chromium begin its requests again.
	const network = `ip link set lo up && ip link add caller type veth peer name server && ip link set caller addrgenmode none && ip link set server addrgenmode none && ip address add ` + callerAddress + `/24 dev caller && ip address add ` + serverAddress + `/24 dev server &&
		ip link set caller up && ip link set server up && exec "$@"`
	prefix := []string{"unshare", "--map-root-user", "--net"}
	if exec.Command("unshare", "--map-root-user", "--net", "true").Run() != nil {
		prefix = []string{"sudo", "-n", "--preserve-env", "unshare", "--net"}
	}
	command := append(append(prefix, "sh", "-c", network, "sh"), arguments...)
	caller := exec.CommandContext(t.Context(), command[0], command[1:]...)
	caller.Env = append(os.Environ(), "QUESTION="+recordQuestion(t, filepath.Join(dir, "question.wav")))
	var found strings.Builder
	caller.Stderr = &found
	if out, err := caller.Output(); err != nil {
		t.Fatalf("%v\n%s%s", err, out, found.String())
	}
	return found.String()
}

// forwardSocket forwards the connections to a Unix socket to a port of this machine.
func forwardSocket(t *testing.T, path string, port int) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go relay(near, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		}
	}()
}

// startFor starts a server for callers behind firewalls.
func startFor(t *testing.T, settings map[string]string) *binary.Server {
	t.Helper()
	program, err := binary.Path(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := binary.Start(program, filepath.Join(t.TempDir(), "data"), settings, "--without=sip")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.Log.String())
		}
	})
	return s
}

func freePort(t *testing.T) int {
	t.Helper()
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// A caller whose network lets nothing through but the HTTP port talks to the agent: media go over it as well.
func TestCallerWithOnePort(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	url := "http://" + net.JoinHostPort(serverAddress, strconv.Itoa(port))
	s := startFor(t, map[string]string{
		"PARLEY_DEMO": "true", "PARLEY_ADDR": net.JoinHostPort("0.0.0.0", strconv.Itoa(port)), "PARLEY_PUBLIC_URL": url,
		"PARLEY_RTC_NODE_IP": serverAddress, "PARLEY_ALLOW_PRIVATE_NETWORKS": "true",
	})
	if over, want := talkBehindFirewall(t, s, url, map[string]int{strconv.Itoa(port): port}), "tcp "+net.JoinHostPort(serverAddress, strconv.Itoa(port)); !strings.Contains(over, want) {
		t.Errorf("%swant %s", over, want)
	}
}

// turnName is the name of LiveKit's TURN server.
const turnName = "turn.parley.test"

// A caller whose network lets nothing through but TLS talks to the agent over an outside LiveKit's TURN server: one port has the page, the
// signalling and TURN, told apart as in deploy/compose/production.
func TestCallerWithTURN(t *testing.T) {
	t.Parallel()
	turn, relayed := freePort(t), freePort(t)
	l := livekit.New(t, redistest.Start(t).URL)
	l.StartServer(t, fmt.Sprintf("turn: {enabled: true, domain: %s, bind_addresses: [127.0.0.1], tls_port: %d, external_tls: true, relay_range_start: %d, relay_range_end: %d, allow_restricted_peer_cidrs: [127.0.0.0/8]}",
		turnName, turn, relayed, relayed+50))
	front := serveTLSFront(t, turn, l.URL)
	address := "localhost:" + strconv.Itoa(front.port)
	s := startFor(t, map[string]string{
		"PARLEY_DEMO": "true", "PARLEY_PUBLIC_URL": "https://" + address, "PARLEY_TRUSTED_PROXIES": "127.0.0.1/32",
		"LIVEKIT_URL": "wss://" + address, "LIVEKIT_API_KEY": livekit.Key, "LIVEKIT_API_SECRET": livekit.Secret, "SSL_CERT_FILE": front.certificate,
	})
	front.parley.Store(proxyTo(t, s.URL))
	// LiveKit names port 443 for TURN; the page and the signalling have the front's own port.
	over := talkBehindFirewall(t, s, "https://"+address, map[string]int{"443": front.port, strconv.Itoa(front.port): front.port})
	if !strings.Contains(over, "relay tls") {
		t.Errorf("%swant a relay over TLS", over)
	}
}
