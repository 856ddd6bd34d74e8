package webhook

import (
	"fmt"
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
	if room := ls.wish().rooms[acme]; room > 0 {
		t.Errorf("room for %d beside the 6 that are left of 10, in a window of %d", room, unsettled)
	}
}

// The attempts of all endpoints together are bounded; who had to wait is served
// when there is room.
func TestLanesShareSenders(t *testing.T) {
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
}

// A quick endpoint is given more and more ahead. When it begins to hang, what
// waits behind goes back to the queue, and it is given little.
func TestLaneWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b begun
		ls := newLanes(100, b.begin)
		next := 0
		for range 10 { // claims, each drained at once
			w := ls.wish()
			room, known := w.rooms[acme]
			if !known {
				room = w.window
			}
			jobs := waitingJobs(acme, room)
			for i := range jobs {
				jobs[i].Delivery.ID = fmt.Sprint("dlv ", next)
				next++
			}
			ls.add(w, jobs, map[string]bool{acme: true})
			for n := next - room; n < next; n++ {
				o := finished(acme, fmt.Sprint("dlv ", n), time.Millisecond)
				ls.finished(o)
				ls.settled([]outcome{o})
			}
		}
		if room := ls.wish().rooms[acme]; room != maxAhead {
			t.Fatalf("room for %d, want %d", room, maxAhead)
		}
		jobs := waitingJobs(acme, maxAhead)
		ls.add(ls.wish(), jobs, map[string]bool{acme: true})
		time.Sleep(slow / 2)
		if back := ls.stuck(false); len(back) > 0 {
			t.Errorf("%d go back after half a second", len(back))
		}
		time.Sleep(slow)
		back := ls.stuck(false)
		if len(back) != maxAhead-perEndpoint || !back[0].unbegun || back[0].status != Pending {
			t.Errorf("%d go back, want all %d that were not begun", len(back), maxAhead-perEndpoint)
		}
		ls.settled(back)
		if room := ls.wish().rooms[acme]; room != unsettled-perEndpoint {
			t.Errorf("room for %d beside the two that hang, want %d", room, unsettled-perEndpoint)
		}
		if n := len(ls.ids()); n != perEndpoint {
			t.Errorf("%d held, want %d", n, perEndpoint)
		}
	})
}

// A success undoes failures that it began after, not those that it overtook.
func TestLaneKnowsFailures(t *testing.T) {
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
}
