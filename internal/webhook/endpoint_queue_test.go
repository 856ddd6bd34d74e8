package webhook

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// attempts collects what endpoint queues start.
type attempts struct{ ids []string }

func (a *attempts) start(j job, _ bool) { a.ids = append(a.ids, j.Delivery.ID) }

// waitingJobs makes n claimed deliveries of a tenant.
func waitingJobs(tenant string, n int) []job {
	jobs := make([]job, n)
	for i := range jobs {
		jobs[i].ID, jobs[i].Delivery.ID, jobs[i].localClaimedAt = tenant, fmt.Sprintf("%s %d", tenant, i), time.Now()
	}
	return jobs
}

func finished(tenant, id string, took time.Duration) result {
	o := result{attempted: true, status: Delivered, duration: took}
	o.job.ID, o.job.Delivery.ID = tenant, id
	return o
}

// An endpoint has two in flight, and no more than four that a crash would
// repeat, however slow the database is.
func TestEndpointQueueBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b attempts
		qs := newEndpointQueues(100, b.start)
		qs.addClaimed(qs.claimBudget(), waitingJobs(acme, 10), map[string]bool{acme: true})
		if len(b.ids) != perEndpoint {
			t.Fatalf("%d begun, want %d", len(b.ids), perEndpoint)
		}
		var unrecorded []result
		for i := range 4 {
			if i < len(b.ids) {
				o := finished(acme, b.ids[i], time.Millisecond)
				qs.finishAttempt(o)
				unrecorded = append(unrecorded, o)
			}
		}
		if len(b.ids) != maxUnrecorded {
			t.Errorf("%d begun while nothing is recorded, want %d", len(b.ids), maxUnrecorded)
		}
		qs.removeRecorded(unrecorded)
		if len(b.ids) != maxUnrecorded+perEndpoint {
			t.Errorf("%d begun after all was recorded, want two more", len(b.ids))
		}
		if room := qs.claimBudget().byWebhook[acme]; room != maxWindow-6 {
			t.Errorf("room for %d beside the 6 that are left of 10, in a window of %d", room, maxWindow)
		}
	})
}

// The attempts of all endpoints together are bounded; who had to wait is served
// when there is room.
func TestEndpointQueuesShareLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b attempts
		qs := newEndpointQueues(3, b.start)
		qs.addClaimed(qs.claimBudget(), append(waitingJobs(acme, 4), waitingJobs(other, 4)...), map[string]bool{})
		if len(b.ids) != 3 {
			t.Fatalf("%d begun, want 3", len(b.ids))
		}
		for n := 0; n < len(b.ids); n++ {
			id := b.ids[n]
			tenant := id[:len(acme)]
			o := finished(tenant, id, time.Millisecond)
			qs.finishAttempt(o)
			qs.removeRecorded([]result{o})
		}
		if len(b.ids) != 8 || len(qs.heldIDs()) != 0 || len(qs.queues) != 0 {
			t.Errorf("%d begun, %d held, %d queues left; want all 8 and nothing", len(b.ids), len(qs.heldIDs()), len(qs.queues))
		}
	})
}

// queueFixture has endpoint queues whose attempts the test ends, in virtual time.
type queueFixture struct {
	*endpointQueues
	sent attempts // those that run
	t    *testing.T
	last int
}

func newQueueFixture(t *testing.T, most int) *queueFixture {
	h := &queueFixture{t: t}
	h.endpointQueues = newEndpointQueues(most, h.sent.start)
	return h
}

// claim has what is testBudget of an endpoint claimed, and returns how much that
// was. There is always more of all of them.
func (h *queueFixture) claim(tenant string, failures int) int {
	w := h.claimBudget()
	room, known := w.byWebhook[tenant]
	if !known {
		room = w.otherEndpoints
	}
	if !known && w.healthyOnly && failures > 0 {
		room = 0
	}
	jobs := waitingJobs(tenant, max(min(room, w.total), 0))
	for i := range jobs {
		h.last++
		jobs[i].Delivery.ID, jobs[i].Failures = fmt.Sprint(tenant, " ", h.last), failures
	}
	more := map[string]bool{tenant: true}
	for of := range h.endpointQueues.queues {
		more[of] = true
	}
	if w.total > 0 {
		h.addClaimed(w, jobs, more)
	}
	return len(jobs)
}

// over ends the n oldest attempts of an endpoint, or of all when it is "", with the duration took, and has them recorded.
func (h *queueFixture) over(tenant string, n int, took time.Duration) {
	h.t.Helper()
	for range n {
		i := slices.IndexFunc(h.sent.ids, func(id string) bool { return strings.HasPrefix(id, tenant) })
		if i < 0 {
			h.t.Fatalf("no more attempts run, want %d", n)
		}
		id := h.sent.ids[i]
		h.sent.ids = slices.Delete(h.sent.ids, i, i+1)
		o := finished(id[:len(acme)], id, took)
		h.finishAttempt(o)
		h.removeRecorded([]result{o})
	}
}

// settle has what goes back recorded.
func (h *queueFixture) settle(back []result) int {
	h.removeRecorded(back)
	return len(back)
}

// asks reports whether a claim is requested.
func (h *queueFixture) asks() bool {
	select {
	case <-h.needsClaim:
		return true
	default:
		return false
	}
}

// The number of deliveries claimed ahead is what an endpoint accepts in half a second.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			took time.Duration
			want int
		}{{time.Millisecond, maxWindow}, {50 * time.Millisecond, 20}, {250 * time.Millisecond, 4}, {400 * time.Millisecond, 2}, {2 * time.Second, 2}} {
			h := newQueueFixture(t, 100)
			if n := h.claim(acme, 0); n != maxUnrecorded {
				t.Fatalf("%d claimed of an endpoint that nothing is known of, want %d", n, maxUnrecorded)
			}
			h.over(acme, maxUnrecorded, c.took)
			if n := h.claim(acme, 0); n != c.want {
				t.Errorf("%d claimed of an endpoint that takes %s, want %d", n, c.took, c.want)
			}
		}
	})
}

// When an endpoint begins to hang, what waits behind goes back to the queue,
// once: nothing more is claimed that could not be begun.
func TestEndpointHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newQueueFixture(t, 100)
		h.claim(acme, 0)
		h.over(acme, maxUnrecorded, time.Millisecond)
		h.claim(acme, 0)
		time.Sleep(slowAttempt / 2)
		if back := h.removeOverdue(); len(back) > 0 {
			t.Errorf("%d go back after half a second", len(back))
		}
		time.Sleep(slowAttempt)
		back := h.removeOverdue()
		if len(back) != maxWindow-perEndpoint || !back[0].unstarted || back[0].status != Pending {
			t.Errorf("%d go back, want all %d that were not begun", len(back), maxWindow-perEndpoint)
		}
		h.asks()
		h.settle(back)
		for range 30 {
			if n := h.claim(acme, 0); n != 0 || h.asks() {
				t.Fatalf("%d claimed behind the two that hang, or more is asked for", n)
			}
			time.Sleep(time.Second)
			if back := h.settle(h.removeOverdue()); back > 0 {
				t.Fatalf("%d go back", back)
			}
		}
		h.over(acme, 1, 30*time.Second)
		if !h.asks() || h.claim(acme, 0) != 1 || h.settle(h.removeOverdue()) > 0 {
			t.Error("no single one is claimed for the slot that became free")
		}
		if n := len(h.heldIDs()); n != perEndpoint {
			t.Errorf("%d held, want %d", n, perEndpoint)
		}
	})
}

// What waited for a second since it was claimed is not begun with the
// configuration of then; it goes back, and is claimed again.
func TestStaleDeliveriesGoBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newQueueFixture(t, 100)
		h.claim(acme, 0)
		h.over(acme, maxUnrecorded, 10*time.Millisecond) // so much for its pace
		h.claim(acme, 0)
		time.Sleep(900 * time.Millisecond)
		h.over(acme, 1, 900*time.Millisecond)
		if n := len(h.sent.ids); n != perEndpoint {
			t.Fatalf("%d run, want the next one begun", n)
		}
		time.Sleep(200 * time.Millisecond)
		h.asks()
		h.over(acme, 1, slowAttempt)
		if n := len(h.sent.ids); n != perEndpoint-1 || !h.asks() {
			t.Errorf("%d run, want no other one begun and a claim asked for", n)
		}
		if n := h.settle(h.removeOverdue()); n != maxWindow-3 {
			t.Errorf("%d go back, want all %d that were not begun", n, maxWindow-3)
		}
		if !h.asks() || h.claim(acme, 0) != perEndpoint-1 || len(h.sent.ids) != perEndpoint {
			t.Error("nothing is claimed anew")
		}
	})
}

// A changed configuration has what was claimed with the old one go back.
func TestRecall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newQueueFixture(t, 100)
		h.claim(acme, 0)
		h.claim(other, 0)
		if n := h.settle(h.returnReady(acme)); n != maxUnrecorded-perEndpoint {
			t.Errorf("%d go back, want %d", n, maxUnrecorded-perEndpoint)
		}
		if n := h.settle(h.returnReady(acme)); n != 0 {
			t.Errorf("%d go back again", n)
		}
		if n := h.settle(h.returnReady("")); n != maxUnrecorded-perEndpoint {
			t.Errorf("%d of the other endpoint go back, want %d", n, maxUnrecorded-perEndpoint)
		}
		h.over(acme, 1, time.Millisecond)
		if n := len(h.sent.ids); n != 2*perEndpoint-1 {
			t.Errorf("%d run, want the others that ran", n)
		}
	})
}

// Endpoints that hang or fail, however many they are, leave a quarter of all
// attempts to others, and nothing is claimed that could not be begun.
func TestCapacityForHealthyEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most, spare = 40, 10
		h := newQueueFixture(t, most)
		bad := func(i int) string { return fmt.Sprintf("%s%03d", acme[:len(acme)-3], 100+i) }
		for i := range most / perEndpoint { // they are not known for it yet
			h.claim(bad(i), 0)
		}
		if n := len(h.sent.ids); n != most || h.claim(other, 0) != 0 {
			t.Fatalf("%d run, want all %d and nothing claimed beside", n, most)
		}
		h.asks()
		time.Sleep(30 * time.Second)
		h.settle(h.removeOverdue())
		h.over("", most, 30*time.Second)
		if !h.asks() {
			t.Fatal("no claim is asked for when attempts are over")
		}
		for i := range 2 * most { // of the same, and of others that have failed
			h.claim(bad(i), i*perEndpoint/most)
		}
		for range 10 {
			if n := len(h.sent.ids); n != most-spare {
				t.Fatalf("%d attempts run to endpoints that hang, want %d", n, most-spare)
			}
			if h.claim(other, 0) == 0 || len(h.sent.ids) != most-spare+perEndpoint {
				t.Fatalf("%d attempts run, want %d of an endpoint that answers", len(h.sent.ids), perEndpoint)
			}
			for len(h.sent.ids) > most-spare {
				h.over(other, 1, time.Millisecond)
			}
			time.Sleep(time.Second)
			h.settle(h.removeOverdue())
			for i := range 2 * most {
				if n := h.claim(bad(i), i*perEndpoint/most); n > 0 {
					t.Fatalf("%d claimed that could not be begun", n)
				}
			}
		}
	})
}

// A success undoes failures that it began after, not those that it overtook.
func TestFailingEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var started []bool
		qs := newEndpointQueues(100, func(_ job, failing bool) { started = append(started, failing) })
		qs.addClaimed(qs.claimBudget(), waitingJobs(acme, 8), map[string]bool{})
		finish := func(status Status, failing bool) {
			o := finished(acme, fmt.Sprint(acme, " ", len(qs.held)), time.Millisecond)
			o.status, o.failing = status, failing
			qs.finishAttempt(o)
			qs.removeRecorded([]result{o})
		}
		finish(Pending, false)   // the first fails,
		finish(Delivered, false) // the second was under way with it,
		finish(Delivered, true)  // the third began knowing
		if want := []bool{false, false, true, true, false}; fmt.Sprint(started) != fmt.Sprint(want) {
			t.Errorf("started %v, want %v", started, want)
		}
	})
}
