package chaos

import (
	"fmt"
	"maps"
	"net"
	"strconv"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/livekit"
	"parley/internal/database/databasetest"
	"parley/internal/redis/redistest"
)

// The parts of deploy/compose/production, each as a process: two LiveKit servers with a Redis of their own, a SIP gateway,
// PostgreSQL, Redis, two servers with the API behind a proxy, three workers. In turn each is killed or restarted with web
// calls and phone calls on it: calls continue on what is left, requests are answered, and each call ends once. Only at full
// size: it builds LiveKit's server.
func TestTopology(t *testing.T) {
	if !full {
		return
	}
	x := newTopology(t, nil)
	x.diagnose()
	web := x.converse(10)
	phones := append(x.ring(2), x.callIn())
	stop := x.request()

	x.timed("killed: a worker", func() {
		x.workers[0].Kill()
		await(t, 100*time.Millisecond, "the other workers have its calls", func() bool { return x.holders(t) == len(x.workers)-1 })
	})
	x.held(web, phones)
	x.timed("killed: a server", func() {
		x.servers[0].Kill()
		web = append(web, x.converse(2)...)
	})
	x.held(web, phones)
	stop() // those that the server was answering failed
	x.start(0)

	x.timed("away: Redis, for 5 s", func() {
		stop := x.request()
		x.redis.Stop()
		time.Sleep(5 * time.Second)
		web = append(web, x.converse(2)...)
		x.redis.Restart()
		if failed := stop(); failed > 0 {
			t.Errorf("%d requests failed while Redis was unavailable", failed)
		}
	})
	x.held(web, phones)
	x.timed("away: PostgreSQL, for 10 s", func() {
		stop := x.request()
		x.postgres.Stop(t)
		time.Sleep(10 * time.Second)
		x.postgres.Restart(t)
		await(t, 50*time.Millisecond, "calls are accepted again", func() bool {
			d, err := x.api.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo"})
			if err == nil {
				_, err = x.api.Calls.End(t.Context(), d.CallID)
			}
			return err == nil
		})
		stop()
	})
	x.held(web, phones)

	x.timed("killed: a LiveKit server", func() {
		x.nodes[0].Kill()
		onWeb, onPhones := x.moved(web, phones)
		t.Logf("%d of %d web calls and %d of %d phone calls were on it, and are on another server", onWeb, len(web), onPhones, len(phones))
	})
	x.held(web, phones)
	web, phones = append(web, x.converse(4)...), append(phones, x.ring(1)...)
	phones = append(phones, x.callIn())
	x.nodes[0] = x.StartServer(t)

	x.timed("killed: the SIP gateway", func() {
		x.gateway.Kill()
		await(t, time.Second, "phone calls are over", func() bool { return len(x.going(phones)) == 0 })
	})
	x.held(web, nil)
	x.startGateway()
	phones = append(x.ring(2), x.callIn())

	stop = x.request()
	x.timed("restarted: a server", func() {
		if err := x.servers[1].Stop(); err != nil {
			t.Error(err)
		}
		x.start(1)
	})
	x.held(web, phones)
	spare := x.worker(t)
	x.rolled("a worker", x.workers[1], func() { x.workers[1] = spare }, append(web, phones...))
	web, phones = x.converse(8), append(x.ring(2), x.callIn())
	x.rolled("a LiveKit server", x.nodes[1], func() { x.nodes[1] = x.StartServer(t) }, append(web, phones...))
	if failed := stop(); failed > 0 {
		t.Errorf("%d requests failed while parts were restarted", failed)
	}
	fresh := x.converse(4)
	x.held(fresh, nil)
	x.hangUp(fresh)
	x.endedOnce(t)
}

// phone is a telephone, played by sipp, that answers every call and sends back what it receives.
func phone(t *testing.T) (address string) {
	t.Helper()
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	audio, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	p, err := binary.Launch("sipp", nil, "-sn", "uas", "-i", "127.0.0.1", "-p", strconv.Itoa(port), "-mi", "127.0.0.1", "-mp", strconv.Itoa(audio), "-rtp_echo", "-nostdin")
	if err != nil {
		t.Fatalf("sipp of package sip-tester: %v", err)
	}
	t.Cleanup(p.Kill)
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// topology is an installation on several machines.
type topology struct {
	*exchange
	*livekit.Cluster
	t        *testing.T
	postgres *databasetest.Cluster
	redis    *redistest.Server
	nodes    []*binary.Process // LiveKit servers
	gateway  *binary.Server
	sipPort  string
	proxied  *balancer
	servers  []*binary.Server
	workers  []*binary.Process
	front    string // URL of the proxy
	api      *client.Client
	dialled  map[string]bool // ids of the calls of ring
}

// newTopology starts it, with further settings of the servers and workers.
func newTopology(t *testing.T, more map[string]string) *topology {
	t.Helper()
	x := &topology{t: t, dialled: map[string]bool{}, Cluster: livekit.New(t, redistest.Start(t).URL), postgres: databasetest.StartCluster(t), redis: redistest.Start(t)}
	x.nodes = []*binary.Process{x.StartServer(t), x.StartServer(t)}
	x.proxied = &balancer{nodes: []*node{{dir: t.TempDir()}, {dir: t.TempDir()}}}
	x.front = serveFront(t, x.proxied)
	x.exchange = &exchange{env: map[string]string{
		"DATABASE_URL": durable(t, x.postgres), "JWT_SECRET": fmt.Sprintf("%032d", 1), "ENCRYPTION_KEY": fmt.Sprintf("%032d", 2),
		"PARLEY_PUBLIC_URL": x.front, "PARLEY_PROXY_SIGNALLING": "true",
		"REDIS_URL": x.redis.URL, "LIVEKIT_URL": x.Cluster.URL, "LIVEKIT_API_KEY": livekit.Key, "LIVEKIT_API_SECRET": livekit.Secret,
		"PARLEY_DEMO": "true", "PARLEY_DRAIN_DELAY": "5s", "PARLEY_SIP_TRUNK_ADDRESS": phone(t), "PARLEY_SIP_TRUNK_ALLOWED_ADDRESSES": "127.0.0.1", "PARLEY_SILENCE_TIMEOUT": "1h",
	}}
	maps.Copy(x.env, more)
	x.startGateway()
	x.servers = make([]*binary.Server, len(x.proxied.nodes))
	for i := range x.servers {
		x.start(i)
	}
	x.Server, x.proxied.key = x.servers[0], x.servers[0].Key
	x.proxied.look(t.Context())
	x.api = client.New(x.front, x.Key)
	x.workers = []*binary.Process{x.worker(t), x.worker(t), x.worker(t)}
	x.openNumber()
	return x
}

// inboundNumber is the number that callers dial.
const inboundNumber = "+4930999999"

// start starts a server, in place of one that has ended.
func (x *topology) start(i int) {
	x.t.Helper()
	s, err := binary.Start(program, x.proxied.nodes[i].dir, x.env, "--without=worker,media")
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(s.Kill)
	x.servers[i] = s
	x.proxied.nodes[i].server.Store(s)
}

// startGateway starts a server with the SIP gateway, which serves no requests of the proxy.
func (x *topology) startGateway() {
	x.t.Helper()
	ports, err := binary.FreePorts()
	if err != nil {
		x.t.Fatal(err)
	}
	settings := maps.Clone(x.env)
	maps.Copy(settings, ports)
	if x.gateway, err = binary.Start(program, x.t.TempDir(), settings, "--without=worker,delivery"); err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(x.gateway.Kill)
	x.sipPort = ports["PARLEY_SIP_PORT"]
}
