package dashboard

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	protocol "github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/livekit"
	"parley/internal/redis/redistest"
)

// callerAddress and serverAddress are those of a caller's network namespace. serverAddress is this machine to the caller.
const callerAddress, serverAddress = "10.77.0.2", "10.77.0.1"

// talkBehindFirewall has a caller in Chromium talk to the demo agent from a network namespace that has nothing but TCP connections to
// some ports of this machine's loopback address, and returns what media went over. If moves is true, nothing passes the existing
// connections any more once they have talked, as when the caller's address changes, and the caller must have media again.
func talkBehindFirewall(t *testing.T, s *binary.Server, url string, moves bool, ports map[string]int) (over string) {
	t.Helper()
	dir := t.TempDir()
	socket := filepath.Join(dir, "port")
	signIn := printedSignIn(t, s)
	arguments := []string{"node", "firewall/caller.mjs", url, signIn[1], signIn[2], dir, socket, serverAddress}
	network := new(callerNetwork)
	for port, to := range ports {
		network.forward(t, socket+"."+port, to)
		arguments = append(arguments, port)
	}
	// An address that appears later would make Chromium begin its requests again.
	const namespace = `ip link set lo up && ip link add caller type veth peer name server && ip link set caller addrgenmode none && ip link set server addrgenmode none && ip address add ` + callerAddress + `/24 dev caller && ip address add ` + serverAddress + `/24 dev server &&
		ip link set caller up && ip link set server up && exec "$@"`
	prefix := []string{"unshare", "--map-root-user", "--net"}
	if exec.Command("unshare", "--map-root-user", "--net", "true").Run() != nil {
		prefix = []string{"sudo", "-n", "--preserve-env", "unshare", "--net"}
	}
	command := append(append(prefix, "sh", "-c", namespace, "sh"), arguments...)
	caller := exec.CommandContext(t.Context(), command[0], command[1:]...)
	caller.Env = append(os.Environ(), "QUESTION="+recordQuestion(t, filepath.Join(dir, "question.wav")))
	if moves {
		caller.Env = append(caller.Env, "MOVE="+network.listenForMove(t, filepath.Join(dir, "move")))
	}
	var found strings.Builder
	caller.Stderr = &found
	if out, err := caller.Output(); err != nil {
		t.Fatalf("%v\n%s%s", err, out, found.String())
	}
	return found.String()
}

// callerNetwork is what a caller's connections pass.
type callerNetwork struct {
	mu     sync.Mutex
	stalls []chan struct{} // of the connections
}

// forward forwards the connections to a Unix socket to a port of this machine.
func (n *callerNetwork) forward(t *testing.T, path string, port int) {
	t.Helper()
	n.serve(t, path, func(near net.Conn) {
		stalled := make(chan struct{})
		n.mu.Lock()
		n.stalls = append(n.stalls, stalled)
		n.mu.Unlock()
		relay(&stallingConn{Conn: near, stalled: stalled}, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	})
}

// listenForMove stalls all connections once the caller connects to a Unix socket, whose path it returns.
func (n *callerNetwork) listenForMove(t *testing.T, path string) string {
	t.Helper()
	n.serve(t, path, func(near net.Conn) {
		n.mu.Lock()
		for _, stalled := range n.stalls {
			close(stalled)
		}
		n.stalls = nil
		n.mu.Unlock()
		near.Close()
	})
	return path
}

func (n *callerNetwork) serve(t *testing.T, path string, connection func(net.Conn)) {
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
			go connection(near)
		}
	}()
}

// stallingConn drops what is sent and received once it is stalled, and stays open.
type stallingConn struct {
	net.Conn
	stalled chan struct{}
}

func (c *stallingConn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.isStalled() {
			return n, err
		}
	}
}

func (c *stallingConn) Write(p []byte) (int, error) {
	if c.isStalled() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

func (c *stallingConn) CloseWrite() error {
	if c.isStalled() {
		return nil
	}
	return c.Conn.(*net.UnixConn).CloseWrite()
}

func (c *stallingConn) isStalled() bool {
	select {
	case <-c.stalled:
		return true
	default:
		return false
	}
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
	if over, want := talkBehindFirewall(t, s, url, false, map[string]int{strconv.Itoa(port): port}), "tcp "+net.JoinHostPort(serverAddress, strconv.Itoa(port)); !strings.Contains(over, want) {
		t.Errorf("%swant %s", over, want)
	}
}

// turnName is the name of LiveKit's TURN server.
const turnName = "turn.parley.test"

// A caller whose network lets nothing through but TLS talks to the agent over the TURN server of one of two LiveKit servers: one port has
// the page, the signalling and TURN, told apart as in deploy/compose/production. When the caller's address changes, media come back.
func TestCallerWithTURN(t *testing.T) {
	t.Parallel()
	l, turn := livekit.New(t, redistest.Start(t).URL), 0
	for range 2 {
		port, relayed := freePort(t), freePort(t)
		l.StartServer(t, fmt.Sprintf("turn: {enabled: true, domain: %s, bind_addresses: [127.0.0.1], tls_port: %d, external_tls: true, relay_range_start: %d, relay_range_end: %d, allow_restricted_peer_cidrs: [127.0.0.0/8]}",
			turnName, port, relayed, relayed+50))
		turn = port
	}
	front := serveTLSFront(t, turn, l.URL)
	address := "localhost:" + strconv.Itoa(front.port)
	s := startFor(t, map[string]string{
		"PARLEY_DEMO": "true", "PARLEY_PUBLIC_URL": "https://" + address, "PARLEY_TRUSTED_PROXIES": "127.0.0.1/32",
		"LIVEKIT_URL": "wss://" + address, "LIVEKIT_API_KEY": livekit.Key, "LIVEKIT_API_SECRET": livekit.Secret, "SSL_CERT_FILE": front.certificate,
	})
	front.parley.Store(proxyTo(t, s.URL))
	// LiveKit names port 443 for TURN; the page and the signalling have the front's own port.
	over := talkBehindFirewall(t, s, "https://"+address, true, map[string]int{"443": front.port, strconv.Itoa(front.port): front.port})
	if !strings.Contains(over, "relay tls") {
		t.Errorf("%swant a relay over TLS", over)
	}
}

// A caller whose connections all die in mid-call, as when its address changes, has media again, also with an outside LiveKit: as the
// signalling goes through Parley, the server shortens its pings. How soon it notices is in docs/performance.md.
func TestCallerMovesWithOutsideLiveKit(t *testing.T) {
	t.Parallel()
	l := livekit.New(t, redistest.Start(t).URL)
	l.TCPPort = freePort(t)
	l.StartServer(t)
	port := freePort(t)
	url := "http://" + net.JoinHostPort(serverAddress, strconv.Itoa(port))
	s := startFor(t, map[string]string{
		"PARLEY_DEMO": "true", "PARLEY_ADDR": net.JoinHostPort("0.0.0.0", strconv.Itoa(port)), "PARLEY_PUBLIC_URL": url, "PARLEY_ALLOW_PRIVATE_NETWORKS": "true",
		"LIVEKIT_URL": l.URL, "LIVEKIT_API_KEY": livekit.Key, "LIVEKIT_API_SECRET": livekit.Secret, "PARLEY_PROXY_SIGNALLING": "true",
	})
	over := talkBehindFirewall(t, s, url, true, map[string]int{strconv.Itoa(port): port, strconv.Itoa(l.TCPPort): l.TCPPort})
	if !strings.Contains(over, "media again after ") {
		t.Errorf("%swant media again", over)
	}
	t.Log(over)
	if interval, timeout := pings(t, s); interval != 1 || timeout != 3 {
		t.Errorf("callers ping every %d s and wait %d s, want 1 and 3; LiveKit's own are 5 and 15", interval, timeout)
	}
}

// pings returns how often, in seconds, a caller pings the signalling, and how long it waits for an answer.
func pings(t *testing.T, s *binary.Server) (interval, timeout int32) {
	t.Helper()
	d, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	socket, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/rtc?protocol=16&access_token="+d.Token, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.CloseNow()
	_, data, err := socket.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var first protocol.SignalResponse
	if err := proto.Unmarshal(data, &first); err != nil || first.GetJoin() == nil {
		t.Fatalf("the first message is %v, %v", &first, err)
	}
	return first.GetJoin().PingInterval, first.GetJoin().PingTimeout
}
