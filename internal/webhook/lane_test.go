package webhook

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// begun collects what lanes begin.
type begun struct{ ids []string }

func (b *begun) begin(j job, _ bool) { b.ids = append(b.ids, j.Delivery.ID) }

// waitingJobs makes n claimed deliveries of a tenant.
func waitingJobs(tenant string, n int) []job {
	jobs := make([]job, n)
	for i := range jobs {
		jobs[i].TenantID, jobs[i].Delivery.ID, jobs[i].here = tenant, fmt.Sprintf("%s %d", tenant, i), time.Now()
	}
	return jobs
}

func finished(tenant, id string, took time.Duration) outcome {
	o := outcome{made: true, status: Delivered, duration: took}
	o.job.TenantID, o.job.Delivery.ID = tenant, id
	return o
}

// An endpoint has two in flight, and no more than four that a crash would
// repeat, however slow the database is.
func TestLaneBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b begun
		ls := newLanes(100, b.begin)
		ls.add(ls.wish(), waitingJobs(acme, 10), map[string]bool{acme: true})
		if len(b.ids) != perEndpoint {
			t.Fatalf("%d begun, want %d", len(b.ids), perEndpoint)
		}
		var unrecorded []outcome
		for i := range 4 {
			if i < len(b.ids) {
				o := finished(acme, b.ids[i], time.Millisecond)
				ls.finished(o)
				unrecorded = append(unrecorded, o)
			}
		}
		if len(b.ids) != unsettled {
			t.Errorf("%d begun while nothing is recorded, want %d", len(b.ids), unsettled)
		}
		ls.settled(unrecorded)
		if len(b.ids) != unsettled+perEndpoint {
			t.Errorf("%d begun after all was recorded, want two more", len(b.ids))
		}
		if room := ls.wish().rooms[acme]; room != maxAhead-6 {
			t.Errorf("room for %d beside the 6 that are left of 10, in a window of %d", room, maxAhead)
		}
	})
}

// The attempts of all endpoints together are bounded; who had to wait is served
// when there is room.
func TestLanesShareSenders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b begun
		ls := newLanes(3, b.begin)
		ls.add(ls.wish(), append(waitingJobs(acme, 4), waitingJobs(other, 4)...), map[string]bool{})
		if len(b.ids) != 3 {
			t.Fatalf("%d begun, want 3", len(b.ids))
		}
		for n := 0; n < len(b.ids); n++ {
			id := b.ids[n]
			tenant := id[:len(acme)]
			o := finished(tenant, id, time.Millisecond)
			ls.finished(o)
			ls.settled([]outcome{o})
		}
		if len(b.ids) != 8 || len(ls.ids()) != 0 || len(ls.lanes) != 0 {
			t.Errorf("%d begun, %d held, %d lanes left; want all 8 and nothing", len(b.ids), len(ls.ids()), len(ls.lanes))
		}
	})
}

// laneHouse is lanes whose attempts are over when a test says so, in virtual
// time.
type laneHouse struct {
	*lanes
	sent begun // those that run
	t    *testing.T
	last int
}

func newLaneHouse(t *testing.T, most int) *laneHouse {
	h := &laneHouse{t: t}
	h.lanes = newLanes(most, h.sent.begin)
	return h
}

// claim has what is wished of an endpoint claimed, and returns how much that
// was. There is always more of all of them.
func (h *laneHouse) claim(tenant string, failures int) int {
	w := h.wish()
	room, known := w.rooms[tenant]
	if !known {
		room = w.window
	}
	if !known && w.sound && failures > 0 {
		room = 0
	}
	jobs := waitingJobs(tenant, max(min(room, w.most), 0))
	for i := range jobs {
		h.last++
		jobs[i].Delivery.ID, jobs[i].Failures = fmt.Sprint(tenant, " ", h.last), failures
	}
	more := map[string]bool{tenant: true}
	for of := range h.lanes.lanes {
		more[of] = true
	}
	if w.most > 0 {
		h.add(w, jobs, more)
	}
	return len(jobs)
}

// over ends the n oldest attempts of an endpoint, or of all when it is "",
// which took so long, and has them recorded.
func (h *laneHouse) over(tenant string, n int, took time.Duration) {
	h.t.Helper()
	for range n {
		i := slices.IndexFunc(h.sent.ids, func(id string) bool { return strings.HasPrefix(id, tenant) })
		if i < 0 {
			h.t.Fatalf("no more attempts run, want %d", n)
		}
		id := h.sent.ids[i]
		h.sent.ids = slices.Delete(h.sent.ids, i, i+1)
		o := finished(id[:len(acme)], id, took)
		h.finished(o)
		h.settled([]outcome{o})
	}
}

// settle has what goes back recorded.
func (h *laneHouse) settle(back []outcome) int {
	h.lanes.settled(back)
	return len(back)
}

// asks tells whether a claim is asked for.
func (h *laneHouse) asks() bool {
	select {
	case <-h.hungry:
		return true
	default:
		return false
	}
}

// An endpoint is given ahead what it takes in half a second.
func TestLaneWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			took time.Duration
			want int
		}{{time.Millisecond, maxAhead}, {50 * time.Millisecond, 20}, {250 * time.Millisecond, 4}, {400 * time.Millisecond, 2}, {2 * time.Second, 2}} {
			h := newLaneHouse(t, 100)
			if n := h.claim(acme, 0); n != unsettled {
				t.Fatalf("%d claimed of an endpoint that nothing is known of, want %d", n, unsettled)
			}
			h.over(acme, unsettled, c.took)
			if n := h.claim(acme, 0); n != c.want {
				t.Errorf("%d claimed of an endpoint that takes %s, want %d", n, c.took, c.want)
			}
		}
	})
}

// When an endpoint begins to hang, what waits behind goes back to the queue,
// once: nothing more is claimed that could not be begun.
func TestLaneHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newLaneHouse(t, 100)
		h.claim(acme, 0)
		h.over(acme, unsettled, time.Millisecond)
		h.claim(acme, 0)
		time.Sleep(slow / 2)
		if back := h.overdue(); len(back) > 0 {
			t.Errorf("%d go back after half a second", len(back))
		}
		time.Sleep(slow)
		back := h.overdue()
		if len(back) != maxAhead-perEndpoint || !back[0].unbegun || back[0].status != Pending {
			t.Errorf("%d go back, want all %d that were not begun", len(back), maxAhead-perEndpoint)
		}
		h.asks()
		h.settle(back)
		for range 30 {
			if n := h.claim(acme, 0); n != 0 || h.asks() {
				t.Fatalf("%d claimed behind the two that hang, or more is asked for", n)
			}
			time.Sleep(time.Second)
			if back := h.settle(h.overdue()); back > 0 {
				t.Fatalf("%d go back", back)
			}
		}
		h.over(acme, 1, 30*time.Second)
		if !h.asks() || h.claim(acme, 0) != 1 || h.settle(h.overdue()) > 0 {
			t.Error("no single one is claimed for the slot that became free")
		}
		if n := len(h.ids()); n != perEndpoint {
			t.Errorf("%d held, want %d", n, perEndpoint)
		}
	})
}

// What waited for a second since it was claimed is not begun with the
// configuration of then; it goes back, and is claimed again.
func TestLaneForgetsOldConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newLaneHouse(t, 100)
		h.claim(acme, 0)
		h.over(acme, unsettled, 10*time.Millisecond) // so much for its pace
		h.claim(acme, 0)
		time.Sleep(900 * time.Millisecond)
		h.over(acme, 1, 900*time.Millisecond)
		if n := len(h.sent.ids); n != perEndpoint {
			t.Fatalf("%d run, want the next one begun", n)
		}
		time.Sleep(200 * time.Millisecond)
		h.asks()
		h.over(acme, 1, slow)
		if n := len(h.sent.ids); n != perEndpoint-1 || !h.asks() {
			t.Errorf("%d run, want no other one begun and a claim asked for", n)
		}
		if n := h.settle(h.overdue()); n != maxAhead-3 {
			t.Errorf("%d go back, want all %d that were not begun", n, maxAhead-3)
		}
		if !h.asks() || h.claim(acme, 0) != perEndpoint-1 || len(h.sent.ids) != perEndpoint {
			t.Error("nothing is claimed anew")
		}
	})
}

// A changed configuration has what was claimed with the old one go back.
func TestLaneRecall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newLaneHouse(t, 100)
		h.claim(acme, 0)
		h.claim(other, 0)
		if n := h.settle(h.recall(acme)); n != unsettled-perEndpoint {
			t.Errorf("%d go back, want %d", n, unsettled-perEndpoint)
		}
		if n := h.settle(h.recall(acme)); n != 0 {
			t.Errorf("%d go back again", n)
		}
		if n := h.settle(h.recall("")); n != unsettled-perEndpoint {
			t.Errorf("%d of the other endpoint go back, want %d", n, unsettled-perEndpoint)
		}
		h.over(acme, 1, time.Millisecond)
		if n := len(h.sent.ids); n != 2*perEndpoint-1 {
			t.Errorf("%d run, want the others that ran", n)
		}
	})
}

// Endpoints that hang or fail, however many they are, leave a quarter of all
// attempts to others, and nothing is claimed that could not be begun.
func TestLanesLeaveRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most, spare = 40, 10
		h := newLaneHouse(t, most)
		bad := func(i int) string { return fmt.Sprintf("%s%03d", acme[:len(acme)-3], 100+i) }
		for i := range most / perEndpoint { // they are not known for it yet
			h.claim(bad(i), 0)
		}
		if n := len(h.sent.ids); n != most || h.claim(other, 0) != 0 {
			t.Fatalf("%d run, want all %d and nothing claimed beside", n, most)
		}
		h.asks()
		time.Sleep(30 * time.Second)
		h.settle(h.overdue())
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
			h.settle(h.overdue())
			for i := range 2 * most {
				if n := h.claim(bad(i), i*perEndpoint/most); n > 0 {
					t.Fatalf("%d claimed that could not be begun", n)
				}
			}
		}
	})
}

// A success undoes failures that it began after, not those that it overtook.
func TestLaneKnowsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []bool
		ls := newLanes(100, func(_ job, failing bool) { told = append(told, failing) })
		ls.add(ls.wish(), waitingJobs(acme, 8), map[string]bool{})
		finish := func(status Status, failing bool) {
			o := finished(acme, fmt.Sprint(acme, " ", len(ls.known)), time.Millisecond)
			o.status, o.failing = status, failing
			ls.finished(o)
			ls.settled([]outcome{o})
		}
		finish(Pending, false)   // the first fails,
		finish(Delivered, false) // the second was under way with it,
		finish(Delivered, true)  // the third began knowing
		if want := []bool{false, false, true, true, false}; fmt.Sprint(told) != fmt.Sprint(want) {
			t.Errorf("told %v, want %v", told, want)
		}
	})
}
