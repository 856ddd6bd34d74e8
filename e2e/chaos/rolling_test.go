package chaos

import (
	"context"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// node is one of several servers behind a balancer.
type node struct {
	dir    string
	server atomic.Pointer[binary.Server]
	ready  atomic.Bool // as the balancer last saw it
}

// balancer sends requests to nodes that say they are ready, as load balancers do.
type balancer struct {
	nodes []*node
	key   string
}

// look asks every node every 100 ms.
func (b *balancer) look(ctx context.Context) {
	web := http.Client{Timeout: patience}
	for _, n := range b.nodes {
		go func() {
			for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
				s := n.server.Load()
				if s == nil {
					n.ready.Store(false)
					continue
				}
				answer, err := web.Get(s.URL + "/health/ready")
				if err == nil {
					answer.Body.Close()
				}
				n.ready.Store(err == nil && answer.StatusCode == http.StatusOK)
			}
		}()
	}
}

// api is a client, which tries once, of a node that is ready.
func (b *balancer) api() *client.Client {
	for {
		for _, i := range rand.Perm(len(b.nodes)) {
			n := b.nodes[i]
			if s := n.server.Load(); s != nil && n.ready.Load() {
				return client.New(s.URL, b.key, client.WithAttempts(1))
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Two nodes are restarted in turn, as in an update, during calls and requests: no request fails and no call is
// dropped. The media server stays up.
func TestRollingRestarts(t *testing.T) {
	t.Parallel()
	x := newExchange(t, "--without=worker")
	x.env["PARLEY_DRAIN_DELAY"] = "5s" // 50 times the interval of the balancer, which may be slow itself
	b := &balancer{key: x.Key}
	start := func(n *node) {
		s, err := binary.Start(program, n.dir, x.env, "--without=media")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Kill)
		n.server.Store(s)
	}
	for _, name := range []string{"one", "two"} {
		n := &node{dir: filepath.Join(t.TempDir(), name)}
		b.nodes = append(b.nodes, n)
		start(n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.look(ctx)

	loading, over := context.WithCancel(ctx)
	var load sync.WaitGroup
	var calls, requests atomic.Int64
	for range size(3, 6) { // people
		load.Go(func() {
			for loading.Err() == nil && !t.Failed() {
				c, err := dispatchAndJoin(ctx, b.api())
				if err != nil {
					t.Errorf("begin a call: %v", err)
					return
				}
				reach(t, b.api, c.id, client.Active)
				time.Sleep(rand.N(2 * time.Second))
				c.Leave()
				ended(t, reach(t, b.api, c.id, client.Completed), client.Completed, "caller_hangup")
				calls.Add(1)
			}
		})
	}
	for range 2 { // programs
		load.Go(func() {
			for loading.Err() == nil {
				d, err := b.api().Calls.TestAgent(ctx, client.TestAgent{AgentName: "demo"})
				if err == nil {
					_, err = b.api().Calls.End(ctx, d.CallID)
				}
				if err == nil {
					_, err = b.api().Calls.Get(ctx, d.CallID)
				}
				if err != nil {
					t.Errorf("a request failed: %v", err)
					return
				}
				requests.Add(3)
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	for i := range size(2, 20) {
		n := b.nodes[i%2]
		await(t, 50*time.Millisecond, "both nodes are ready", func() bool { return b.nodes[0].ready.Load() && b.nodes[1].ready.Load() })
		before := calls.Load()
		await(t, 50*time.Millisecond, "another call was made", func() bool { return calls.Load() > before || t.Failed() })
		old := n.server.Load()
		if err := old.Stop(); err != nil { // its address is asked until the balancer has seen that it drains
			t.Errorf("restart %d: %v\n%s", i+1, err, old.Log.String())
		}
		n.server.Store(nil)
		if t.Failed() {
			break
		}
		start(n)
	}
	over()
	load.Wait()
	t.Logf("%d calls and %d requests", calls.Load(), requests.Load())
	if calls.Load() == 0 || requests.Load() == 0 {
		t.Error("there was no load")
	}
	var lost []string
	x.rows(t, &lost, "SELECT id FROM calls WHERE ended_at IS NULL OR status_reason NOT IN ('caller_hangup', 'ended_by_api')")
	if len(lost) > 0 {
		t.Errorf("%d calls were dropped, or never ended: %q", len(lost), lost)
	}
}
