package webhook

import (
	"sync"
	"time"
)

// A node claims more deliveries of an endpoint than it sends concurrently, because a claim is a transaction: with one per
// delivery, two commits would separate two requests, a third of the rate that docs/performance.md aims for on PostgreSQL.
// Claiming ahead is limited so that a crash repeats at most four deliveries of an endpoint (maxUnrecorded), a changed
// configuration applies after at most a second (stale), and an endpoint that becomes slow returns its deliveries (slow).
// The window follows the endpoint's pace, so that few deliveries are returned unsent.
const (
	// maxUnrecorded limits the deliveries of an endpoint that are in flight, or finished and not yet recorded: those that
	// a crash repeats.
	maxUnrecorded = 2 * perEndpoint
	// maxWindow limits the deliveries held of an endpoint that responds quickly, including waiting ones.
	maxWindow = 32
	// windowTime is the time in which a window is sent at the endpoint's pace.
	windowTime = slow / 2
	// slow is the attempt duration from which an endpoint counts as slow: waiting deliveries return to the queue.
	slow = time.Second
	// stale is how long a delivery may wait after its claim before it returns to the queue, because the configuration
	// loaded with it may have changed.
	stale = time.Second
)

// endpointQueue holds the deliveries of one endpoint that this node has claimed.
type endpointQueue struct {
	ready      []job         // claimed, not started
	inFlight   int           // being sent
	unrecorded int           // finished, or to go back, and not recorded
	pace       time.Duration // how long its attempts take, weighted to the latest; 0 when not known
	more       bool          // there may be more that are due
	failing    bool          // attempts failed, and no success that began afterwards is known
	started    time.Time     // the latest attempt
}

func (q *endpointQueue) held() int { return len(q.ready) + q.inFlight + q.unrecorded }

// hangs reports whether a current attempt is slow.
func (q *endpointQueue) hangs() bool { return q.inFlight > 0 && time.Since(q.started) >= slow }

// suspect reports whether the next attempt may be slow: a recent one was, or the endpoint has failed.
func (q *endpointQueue) suspect() bool { return q.failing || q.pace >= slow || q.hangs() }

// window returns how many deliveries may be held: only those in flight while the endpoint hangs, otherwise those sent
// within windowTime.
func (q *endpointQueue) window() int {
	switch {
	case q.hangs():
		return perEndpoint
	case q.pace == 0:
		return maxUnrecorded
	}
	return min(max(int(perEndpoint*windowTime/q.pace), perEndpoint), maxWindow)
}

// updatePace adds an attempt's duration to the moving average; a slow one replaces it.
func (q *endpointQueue) updatePace(d time.Duration) {
	if q.pace == 0 || d >= slow {
		q.pace = max(d, 1)
	} else {
		q.pace = (q.pace + max(d, 1)) / 2
	}
}

// endpointQueues holds the queues of all endpoints with claimed deliveries. A finished delivery starts the next one of
// its endpoint without waiting for the database.
type endpointQueues struct {
	limit      int                       // attempts in flight, of all endpoints
	start      func(j job, failing bool) // makes an attempt in its own goroutine; failing: the endpoint was
	needsClaim chan struct{}             // holds a value when more can be claimed, or something is to go back

	mu           sync.Mutex
	queues       map[string]*endpointQueue // by tenant
	held         map[string]bool           // deliveries, by id
	inFlight     int
	limited      bool // an endpoint waits because of the limit
	claimLimited bool // the latest budget was empty because of the limit
	closed       bool // nothing is started any more
}

func newEndpointQueues(limit int, start func(job, bool)) *endpointQueues {
	return &endpointQueues{limit: limit, start: start, needsClaim: make(chan struct{}, 1), queues: map[string]*endpointQueue{}, held: map[string]bool{}}
}

// hasCapacity reports whether an endpoint may start another attempt. A quarter of the limit is reserved for endpoints
// that are not suspect, so that hanging endpoints never block the others.
func (qs *endpointQueues) hasCapacity(suspect bool) bool {
	if suspect {
		return qs.inFlight < qs.limit-qs.limit/4
	}
	return qs.inFlight < qs.limit
}

// claimBudget returns what may be claimed now.
func (qs *endpointQueues) claimBudget() claimBudget {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	b := claimBudget{total: max(2*qs.limit-len(qs.held), 0), healthyOnly: !qs.hasCapacity(true), unheld: maxUnrecorded, held: map[string]int{}}
	if !qs.hasCapacity(false) {
		b.total = 0
	}
	qs.claimLimited = b.total == 0
	for tenant, q := range qs.queues {
		if b.held[tenant] = q.window() - q.held(); !qs.hasCapacity(q.suspect()) {
			b.held[tenant], qs.limited = 0, true
		}
	}
	return b
}

// add queues deliveries claimed within a budget, in order, and starts those that may start.
func (qs *endpointQueues) add(b claimBudget, jobs []job, more map[string]bool) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for _, j := range jobs {
		if qs.held[j.Delivery.ID] {
			continue // its lease ended while it is still being sent
		}
		qs.held[j.Delivery.ID] = true
		q := qs.queues[j.TenantID]
		if q == nil {
			q = new(endpointQueue)
			qs.queues[j.TenantID] = q
		}
		q.failing = q.failing || j.Failures > 0
		q.ready = append(q.ready, j)
	}
	for tenant, q := range qs.queues {
		if b.of(tenant) > 0 {
			q.more = more[tenant]
		}
		qs.startNext(q)
		qs.dropEmpty(tenant, q)
	}
}

// dropEmpty removes a queue without deliveries.
func (qs *endpointQueues) dropEmpty(tenant string, q *endpointQueue) {
	if q.held() == 0 && !q.more {
		delete(qs.queues, tenant)
	}
}

// startNext starts deliveries up to the endpoint's limit, and requests a claim when half of its window is free.
func (qs *endpointQueues) startNext(q *endpointQueue) {
	for !qs.closed && len(q.ready) > 0 && q.inFlight < perEndpoint && q.inFlight+q.unrecorded < maxUnrecorded {
		if time.Since(q.ready[0].localClaimedAt) >= stale {
			qs.requestClaim()
			return
		}
		if !qs.hasCapacity(q.suspect()) {
			qs.limited = true
			return
		}
		j := q.ready[0]
		q.ready = q.ready[1:]
		q.inFlight++
		qs.inFlight++
		q.started = time.Now()
		qs.start(j, q.failing)
	}
	window := q.window()
	switch free := window - q.held(); {
	case !q.more, free < max(window/2, 1):
	case qs.hasCapacity(q.suspect()):
		qs.requestClaim()
	default:
		qs.limited = true
	}
}

func (qs *endpointQueues) requestClaim() {
	select {
	case qs.needsClaim <- struct{}{}:
	default:
	}
}

// finish ends an attempt, whose result will be recorded.
func (qs *endpointQueues) finish(r result) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q := qs.queues[r.job.TenantID]
	q.inFlight--
	q.unrecorded++
	qs.inFlight--
	switch { // a success that began before the failure does not end it
	case r.made && r.status != Delivered:
		q.failing = true
	case r.made && r.failing:
		q.failing = false
	}
	if r.made {
		q.updatePace(r.duration)
	}
	qs.startNext(q)
}

// remove removes deliveries whose results were recorded.
func (qs *endpointQueues) remove(recorded []result) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for _, r := range recorded {
		delete(qs.held, r.job.Delivery.ID)
		q := qs.queues[r.job.TenantID]
		q.unrecorded--
		qs.startNext(q)
		qs.dropEmpty(r.job.TenantID, q)
	}
	if qs.limited {
		qs.limited = false
		for _, q := range qs.queues {
			qs.startNext(q)
		}
	}
	if qs.claimLimited && qs.hasCapacity(false) {
		qs.claimLimited = false
		qs.requestClaim()
	}
}

// overdue returns results for deliveries to return to the queue: stale ones, and those that wait behind slow attempts.
func (qs *endpointQueues) overdue() (unstarted []result) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for _, q := range qs.queues {
		n := len(q.ready)
		if !q.hangs() {
			for n > 0 && time.Since(q.ready[n-1].localClaimedAt) < stale {
				n--
			}
		}
		unstarted = append(unstarted, q.giveBack(n)...)
	}
	return unstarted
}

// recall returns results that return the unstarted deliveries of a tenant to the queue; "" means all tenants.
func (qs *endpointQueues) recall(tenant string) (unstarted []result) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for of, q := range qs.queues {
		if of == tenant || tenant == "" {
			unstarted = append(unstarted, q.giveBack(len(q.ready))...)
		}
	}
	return unstarted
}

// close recalls all unstarted deliveries and starts no more.
func (qs *endpointQueues) close() (unstarted []result) {
	qs.mu.Lock()
	qs.closed = true
	qs.mu.Unlock()
	return qs.recall("")
}

// giveBack removes the first n unstarted deliveries from the queue.
func (q *endpointQueue) giveBack(n int) (unstarted []result) {
	for _, j := range q.ready[:n] {
		unstarted = append(unstarted, result{job: j, status: Pending, unstarted: true})
	}
	q.ready, q.unrecorded, q.more = q.ready[n:], q.unrecorded+n, q.more || n > 0
	return unstarted
}

// ids returns the ids of the deliveries held.
func (qs *endpointQueues) ids() []string {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	ids := make([]string, 0, len(qs.held))
	for id := range qs.held {
		ids = append(ids, id)
	}
	return ids
}
