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
	// ahead is for how long an endpoint has deliveries at its pace.
	ahead = slow / 2
	// slow is when an attempt is no quick one: what waits behind it goes back
	// to the queue.
	slow = time.Second
	// stale is when a delivery that was claimed, and not begun, goes back to the
	// queue: the configuration that was read with it may have changed.
	stale = time.Second
	// pause is how long an endpoint that ran dry waits for others, so that one
	// claim serves many.
	pause = 10 * time.Millisecond
)

// lane is an endpoint as this process serves it.
type lane struct {
	ready   []job         // claimed, not begun
	flying  int           // being sent
	done    int           // finished, not settled
	took    time.Duration // what its attempts take, the latest ones most; 0 when not known
	more    bool          // there may be more that are due
	failing bool          // attempts failed, and no success has been told to undo that
	began   time.Time     // the latest attempt
}

func (l *lane) held() int { return len(l.ready) + l.flying + l.done }

// hangs tells that its attempts take long just now.
func (l *lane) hangs() bool { return l.flying > 0 && time.Since(l.began) >= slow }

// doubtful tells that an attempt may well take long: one does, or did, or the
// endpoint has failed.
func (l *lane) doubtful() bool { return l.failing || l.took >= slow || l.hangs() }

// window is how many of its deliveries may be held: no more than can be in
// flight while it hangs, else what it takes within ahead.
func (l *lane) window() int {
	switch {
	case l.hangs():
		return perEndpoint
	case l.took == 0:
		return unsettled
	}
	return min(max(int(perEndpoint*ahead/l.took), perEndpoint), maxAhead)
}

// pace learns from an attempt's duration. It takes a slow one at its word.
func (l *lane) pace(d time.Duration) {
	if l.took == 0 || d >= slow {
		l.took = max(d, 1)
	} else {
		l.took = (l.took + max(d, 1)) / 2
	}
}

// lanes are all endpoints that this process has deliveries of. Its senders
// take the next delivery themselves, without waiting for the database.
type lanes struct {
	most   int             // attempts at once, of all endpoints
	begin  func(job, bool) // makes an attempt, elsewhere; given whether the endpoint was failing
	hungry chan struct{}   // holds a value when more can be claimed than is, or is to go back

	mu      sync.Mutex
	lanes   map[string]*lane // by tenant
	known   map[string]bool  // deliveries that are held, by id
	flying  int
	ready   int  // claimed and not begun, of all endpoints
	plenty  int  // what it was after the last claim
	short   bool // an endpoint waits because others' attempts are flying
	starved bool // so may some that are not among these
	closed  bool // nothing is begun any more

	claimed time.Time // when something was last
}

func newLanes(most int, begin func(job, bool)) *lanes {
	return &lanes{most: most, begin: begin, hungry: make(chan struct{}, 1), lanes: map[string]*lane{}, known: map[string]bool{}}
}

// free tells whether an endpoint may have another attempt for all that others
// have. A quarter is kept from those whose attempts may take long: however many
// they are, whoever answers is still served.
func (ls *lanes) free(doubtful bool) bool {
	if doubtful {
		return ls.flying < ls.most-ls.most/4
	}
	return ls.flying < ls.most
}

// wish is what may be claimed now.
func (ls *lanes) wish() wish {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	w := wish{most: max(2*ls.most-len(ls.known), 0), sound: !ls.free(true), window: unsettled, rooms: map[string]int{}}
	if !ls.free(false) {
		w.most = 0
	}
	ls.starved = w.most == 0
	for tenant, l := range ls.lanes {
		if w.rooms[tenant] = l.window() - l.held(); !ls.free(l.doubtful()) {
			w.rooms[tenant], ls.short = 0, true
		}
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
			l = new(lane)
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

// next begins what an endpoint may have in flight, and has more claimed for it
// when it runs dry.
func (ls *lanes) next(l *lane) {
	for !ls.closed && len(l.ready) > 0 && l.flying < perEndpoint && l.flying+l.done < unsettled {
		if time.Since(l.ready[0].here) >= stale {
			ls.call()
			return
		}
		if !ls.free(l.doubtful()) {
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
	if !l.more || ls.ready > ls.plenty/2 && (len(l.ready) > 0 || time.Since(ls.claimed) <= pause) {
		return
	}
	window := l.window()
	switch room := window - l.held(); {
	case room < max(window/2, 1):
	case ls.free(l.doubtful()):
		ls.call()
	default:
		ls.short = true
	}
}

// call asks for a claim.
func (ls *lanes) call() {
	select {
	case ls.hungry <- struct{}{}:
	default:
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
	if o.made {
		l.pace(o.duration)
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
	if ls.starved && ls.free(false) {
		ls.starved = false
		ls.call()
	}
}

// overdue takes back what waits behind slow attempts, and what has waited for
// too long. Each comes out as an outcome that is to be settled.
func (ls *lanes) overdue() (unbegun []outcome) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, l := range ls.lanes {
		n := len(l.ready)
		if !l.hangs() {
			for n > 0 && time.Since(l.ready[n-1].here) < stale {
				n--
			}
		}
		unbegun = ls.back(unbegun, l, n)
	}
	return unbegun
}

// recall takes back what was claimed of a tenant's deliveries, or of all
// tenants' when it is "", and has not begun.
func (ls *lanes) recall(tenant string) (unbegun []outcome) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for of, l := range ls.lanes {
		if of == tenant || tenant == "" {
			unbegun = ls.back(unbegun, l, len(l.ready))
		}
	}
	return unbegun
}

// close is a recall of all, after which nothing is begun any more.
func (ls *lanes) close() (unbegun []outcome) {
	ls.mu.Lock()
	ls.closed = true
	ls.mu.Unlock()
	return ls.recall("")
}

// back takes the first n that are ready of an endpoint.
func (ls *lanes) back(unbegun []outcome, l *lane, n int) []outcome {
	for _, j := range l.ready[:n] {
		unbegun = append(unbegun, outcome{job: j, status: Pending, unbegun: true})
	}
	l.ready, l.done, l.more = l.ready[n:], l.done+n, l.more || n > 0
	ls.ready -= n
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
