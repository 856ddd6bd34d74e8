package webhook

import (
	"sync"
	"time"
)

const (
	// unsettled is how many deliveries of an endpoint may be in flight or
	// finished and not yet recorded. A crash repeats these and no more.
	unsettled = 2 * perEndpoint
	// maxAhead is how many deliveries of an endpoint are claimed at once, the
	// waiting ones included, when it takes them quickly.
	maxAhead = 32
	// slow is when an attempt is no quick one: what waits behind it goes back
	// to the queue.
	slow = time.Second
	// pause is how long an endpoint that ran dry waits for others, so that one
	// claim serves many.
	pause = 10 * time.Millisecond
)

// lane is an endpoint as this process serves it.
type lane struct {
	ready   []job // claimed, not begun
	flying  int   // being sent
	done    int   // finished, not settled
	window  int   // how many may be claimed
	more    bool  // there may be more that are due
	failing bool  // attempts failed, and no success has been told to undo that
	began   time.Time
}

func (l *lane) held() int { return len(l.ready) + l.flying + l.done }

// lanes are all endpoints that this process has deliveries of. Its senders
// take the next delivery themselves, without waiting for the database.
type lanes struct {
	most   int             // attempts at once, of all endpoints
	begin  func(job, bool) // makes an attempt, elsewhere; given whether the endpoint was failing
	hungry chan struct{}   // holds a value when more can be claimed than is

	mu     sync.Mutex
	lanes  map[string]*lane // by tenant
	known  map[string]bool  // deliveries that are held, by id
	flying int
	ready  int  // claimed and not begun, of all endpoints
	plenty int  // what it was after the last claim
	short  bool // somebody waits because most are flying
	closed bool // nothing is begun any more

	claimed time.Time // when something was last
}

func newLanes(most int, begin func(job, bool)) *lanes {
	return &lanes{most: most, begin: begin, hungry: make(chan struct{}, 1), lanes: map[string]*lane{}, known: map[string]bool{}}
}

// wish is what may be claimed now.
func (ls *lanes) wish() wish {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	w := wish{most: max(2*ls.most-len(ls.known), 0), window: unsettled, rooms: map[string]int{}}
	for tenant, l := range ls.lanes {
		w.rooms[tenant] = l.window - l.held()
	}
	return w
}

// add takes what was claimed of a wish, in order, and begins what may begin.
func (ls *lanes) add(w wish, jobs []job, more map[string]bool) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, j := range jobs {
		if ls.known[j.Delivery.ID] {
			continue // its lease had lapsed while it is still being sent
		}
		ls.known[j.Delivery.ID] = true
		l := ls.lanes[j.TenantID]
		if l == nil {
			l = &lane{window: unsettled, began: j.here}
			ls.lanes[j.TenantID] = l
		}
		l.failing = l.failing || j.Failures > 0
		l.ready = append(l.ready, j)
		ls.ready++
	}
	ls.claimed = time.Now()
	plenty := ls.ready
	for tenant, l := range ls.lanes {
		if room, asked := w.rooms[tenant]; room > 0 || !asked {
			l.more = more[tenant]
		}
		ls.next(l)
		ls.forget(tenant, l)
	}
	ls.plenty = plenty
}

// forget drops a lane that nothing is known to wait for.
func (ls *lanes) forget(tenant string, l *lane) {
	if l.held() == 0 && !l.more {
		delete(ls.lanes, tenant)
	}
}

// next begins what an endpoint may have in flight.
func (ls *lanes) next(l *lane) {
	for !ls.closed && len(l.ready) > 0 && l.flying < perEndpoint && l.flying+l.done < unsettled {
		if ls.flying >= ls.most {
			ls.short = true
			return
		}
		j := l.ready[0]
		l.ready = l.ready[1:]
		ls.ready--
		l.flying++
		ls.flying++
		l.began = time.Now()
		ls.begin(j, l.failing)
	}
	if room := l.window - l.held(); l.more && room >= l.window/2 && (ls.ready <= ls.plenty/2 || len(l.ready) == 0 && time.Since(ls.claimed) > pause) {
		select {
		case ls.hungry <- struct{}{}:
		default:
		}
	}
}

// finished tells that an attempt is over.
func (ls *lanes) finished(o outcome) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l := ls.lanes[o.job.TenantID]
	l.flying--
	l.done++
	ls.flying--
	switch { // a success that began before the failure says nothing of it
	case o.made && o.status != Delivered:
		l.failing = true
	case o.made && o.failing:
		l.failing = false
	}
	switch {
	case o.duration >= slow:
		l.window = unsettled
	case len(l.ready) == 0 && l.more:
		l.window = min(2*l.window, maxAhead)
	}
	ls.next(l)
}

// settled forgets deliveries whose outcomes are recorded.
func (ls *lanes) settled(outcomes []outcome) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, o := range outcomes {
		delete(ls.known, o.job.Delivery.ID)
		l := ls.lanes[o.job.TenantID]
		l.done--
		ls.next(l)
		ls.forget(o.job.TenantID, l)
	}
	if ls.short {
		ls.short = false
		for _, l := range ls.lanes {
			ls.next(l)
		}
	}
}

// stuck takes back what waits behind slow attempts; with all, everything that
// has not begun, and nothing is begun any more. Each comes out as an outcome
// that is to be settled.
func (ls *lanes) stuck(all bool) (unbegun []outcome) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.closed = ls.closed || all
	for _, l := range ls.lanes {
		if len(l.ready) == 0 || !all && (l.flying == 0 || time.Since(l.began) < slow) {
			continue
		}
		for _, j := range l.ready {
			unbegun = append(unbegun, outcome{job: j, status: Pending, unbegun: true})
		}
		l.done += len(l.ready)
		ls.ready -= len(l.ready)
		l.ready, l.window = nil, unsettled
	}
	return unbegun
}

// ids are the deliveries that are held.
func (ls *lanes) ids() []string {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ids := make([]string, 0, len(ls.known))
	for id := range ls.known {
		ids = append(ids, id)
	}
	return ids
}
