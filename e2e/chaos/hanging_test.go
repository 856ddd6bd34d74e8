package chaos

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/client"
	"parley/internal/database/databasetest"
)

// One tenant's endpoint does not respond, at one, five and fifty events a second: the deliveries of the others
// arrive before one of its own fails. At full size, where it responds after 30 s and all six servers run
// concurrently, they are not delayed.
func TestHangingTenant(t *testing.T) {
	if !full {
		t.Parallel()
	}
	events := size(15, 1000)
	rates := []int{1, 5, 50}
	if !full {
		rates = rates[1:]
	}
	var running sync.WaitGroup
	defer running.Wait()
	for _, kind := range []string{"sqlite", "postgres"} {
		for _, rate := range rates {
			env := map[string]string{}
			if kind == "postgres" {
				env["DATABASE_URL"] = databasetest.PostgresURL(t)
			}
			n := startNeighbours(t, env)
			running.Go(func() {
				took := n.besideHanging(rate, events)
				median, late := took[len(took)/2], took[len(took)*99/100]
				t.Logf("%s, %d events that hang, %d a second: the %d others arrive %s (p50) and %s (p99) after their answer",
					kind, events, rate, len(took), median.Round(100*time.Microsecond), late.Round(100*time.Microsecond))
				if full && late > 100*time.Millisecond {
					t.Errorf("%s, %d a second: others wait for %s (p99)", kind, rate, late)
				}
			})
		}
	}
}

// neighbours are tenants of one server, one of which has an endpoint that hangs.
type neighbours struct {
	*subject
	slow   *client.Client
	others []*client.Client
	hung   atomic.Int64 // deliveries that began to hang
	lost   atomic.Int64 // deliveries that the server abandoned

	mu       sync.Mutex
	answered map[string]time.Time // by event of the others: when the request that caused it was answered
	arrived  map[string]time.Time // when it was received
}

func startNeighbours(t *testing.T, env map[string]string) *neighbours {
	t.Helper()
	n := &neighbours{subject: put(t, env), answered: map[string]time.Time{}, arrived: map[string]time.Time{}}
	over := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		n.hung.Add(1)
		_, _ = io.Copy(io.Discard, q.Body)
		answer := make(<-chan time.Time)
		if full {
			answer = time.After(30 * time.Second)
		}
		select {
		case <-answer:
		case <-q.Context().Done():
			n.lost.Add(1)
		case <-over:
		}
	}))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(over) })
	quick := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		at := time.Now()
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return // the server was killed at the end
		}
		e, err := client.ParseEvent(body)
		if err != nil {
			t.Error(err)
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		n.arrived[e.ID] = at
	}))
	t.Cleanup(quick.Close)
	direct := func(tenant, url string) *client.Client {
		c := client.New(n.server.Load().URL, n.keyOf(tenant))
		if _, err := c.Webhooks.Set(t.Context(), client.WebhookSettings{URL: url, Timeout: 60}); err != nil {
			t.Fatal(err)
		}
		return c
	}
	n.slow = direct("demo", hanging.URL)
	for i := range 5 {
		name := fmt.Sprintf("other-%d", i)
		n.administer("tenant", "create", name)
		n.others = append(n.others, direct(name, quick.URL))
	}
	return n
}

// besideHanging creates events of the tenant whose endpoint hangs at a rate, and of the others meanwhile, ten a second. It
// returns the latencies of the others' from the answer to the receiver, sorted.
func (n *neighbours) besideHanging(rate, events int) []time.Duration {
	expected := 10 * max(2, events/rate)
	var telling sync.WaitGroup
	telling.Go(func() {
		every(time.Second/time.Duration(rate), events, func(int) {
			if _, err := n.slow.Webhooks.Test(n.t.Context()); err != nil {
				n.t.Errorf("events of the tenant that hangs: %v", err)
			}
		})
	})
	telling.Go(func() {
		every(100*time.Millisecond, expected, func(i int) {
			d, err := n.others[i%len(n.others)].Webhooks.Test(n.t.Context())
			at := time.Now()
			if err != nil {
				n.t.Errorf("events of another tenant: %v", err)
				return
			}
			n.mu.Lock()
			defer n.mu.Unlock()
			n.answered[d.EventID] = at
		})
	})
	telling.Wait()
	for deadline := time.Now().Add(patience); n.hung.Load() == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			n.t.Error("nothing hangs")
			break
		}
	}
	for deadline := time.Now().Add(patience); n.missing() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			n.t.Errorf("%d of %d deliveries did not arrive", n.missing(), expected)
			break
		}
	}
	if lost := n.lost.Load(); lost > 0 && !full {
		n.t.Errorf("the others' deliveries arrived after %d that hung were given up", lost)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	took := []time.Duration{0}
	for id, at := range n.answered {
		took = append(took, max(0, n.arrived[id].Sub(at)))
	}
	slices.Sort(took)
	return took
}

// missing is the number of events of the others that have not arrived.
func (n *neighbours) missing() (missing int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id := range n.answered {
		if n.arrived[id].IsZero() {
			missing++
		}
	}
	return missing
}

// every calls do n times at intervals, concurrently, and waits for all calls.
func every(interval time.Duration, n int, do func(n int)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var doing sync.WaitGroup
	defer doing.Wait()
	for i := range n {
		<-ticker.C
		doing.Go(func() { do(i) })
	}
}
