package webhook

import (
	"sync"
	"time"
)

// A node claims more deliveries of an endpoint than it sends concurrently, because a claim is a transaction: with one per
// delivery, two commits would separate two requests, a third of the rate that docs/performance.md aims for on PostgreSQL.
// Claiming ahead is limited so that a crash repeats at most four deliveries of an endpoint (maxUnrecorded), a changed
// configuration applies after at most a second (maxReady), and an endpoint that becomes slow returns its deliveries (slowAttempt).
// The window follows the endpoint's mean attempt duration, so that few deliveries are returned unsent.
const (
	// maxUnrecorded limits the deliveries of an endpoint that are in flight, or finished and not yet recorded: those that
	// a crash repeats.
	maxUnrecorded = 2 * perEndpoint
	// maxWindow limits the deliveries held of an endpoint that responds quickly, including waiting ones.
	maxWindow = 32
	// windowTime is the time in which a window is sent at the endpoint's mean attempt duration.
	windowTime = slowAttempt / 2
	// slowAttempt is the attempt duration from which an endpoint counts as slow: waiting deliveries return to the queue.
	slowAttempt = time.Second
	// maxReady is how long a delivery may wait after its claim before it returns to the queue, because the configuration
	// loaded with it may have changed.
	maxReady = time.Second
)

// endpointQueue holds the deliveries of one endpoint that this node has claimed.
type endpointQueue struct {
	ready        []job         // claimed, not started
	inFlight     int           // being sent
	unrecorded   int           // finished or returned, and not recorded
	meanDuration time.Duration // moving average of its attempts; 0 before the first
	more         bool          // there may be more due deliveries in the database
	failing      bool          // an attempt failed, and no attempt that started later has succeeded
	started      time.Time     // the latest attempt
}

// held returns the number of deliveries claimed and not recorded.
func (q *endpointQueue) held() int { return len(q.ready) + q.inFlight + q.unrecorded }

// isSlow reports whether the latest attempt in flight has taken slowAttempt.
func (q *endpointQueue) isSlow() bool { return q.inFlight > 0 && time.Since(q.started) >= slowAttempt }

// maySlow reports whether the next attempt may be slow: a recent one was, or the endpoint has failed.
func (q *endpointQueue) maySlow() bool {
	return q.failing || q.meanDuration >= slowAttempt || q.isSlow()
}

// window returns how many deliveries may be held: while the endpoint is slow only those in flight, otherwise those sent
// within windowTime.
func (q *endpointQueue) window() int {
	switch {
	case q.isSlow():
		return perEndpoint
	case q.meanDuration == 0:
		return maxUnrecorded
	}
	return min(max(int(perEndpoint*windowTime/q.meanDuration), perEndpoint), maxWindow)
}

// updateMeanDuration adds an attempt's duration to the moving average; a slow one replaces it.
func (q *endpointQueue) updateMeanDuration(d time.Duration) {
	if q.meanDuration == 0 || d >= slowAttempt {
		q.meanDuration = max(d, 1)
	} else {
		q.meanDuration = (q.meanDuration + max(d, 1)) / 2
	}
}

// endpointQueues holds the queues of all endpoints with claimed deliveries. A finished delivery starts the next one of
// its endpoint without waiting for the database.
type endpointQueues struct {
	limit      int                       // attempts in flight, of all endpoints
	start      func(j job, failing bool) // makes an attempt in its own goroutine; failing is the queue's
	needsClaim chan struct{}             // holds a value when more can be claimed, or deliveries have to be returned

	mu           sync.Mutex
	queues       map[string]*endpointQueue // by webhook
	held         map[string]bool           // deliveries, by id
	inFlight     int
	limited      bool // an endpoint waits because of the limit
	claimLimited bool // the latest budget was empty because of the limit
	closed       bool // no attempts are started
}

func newEndpointQueues(limit int, start func(job, bool)) *endpointQueues {
	return &endpointQueues{limit: limit, start: start, needsClaim: make(chan struct{}, 1), queues: map[string]*endpointQueue{}, held: map[string]bool{}}
}

// hasCapacity reports whether an endpoint may start another attempt. A quarter of the limit is reserved for endpoints
// that are not expected to be slow, so that slow endpoints never block the others.
func (qs *endpointQueues) hasCapacity(maySlow bool) bool {
	if maySlow {
		return qs.inFlight < qs.limit-qs.limit/4
	}
	return qs.inFlight < qs.limit
}

// claimBudget returns what may be claimed now.
func (qs *endpointQueues) claimBudget() claimBudget {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	b := claimBudget{total: max(2*qs.limit-len(qs.held), 0), healthyOnly: !qs.hasCapacity(true), otherEndpoints: maxUnrecorded, byWebhook: map[string]int{}}
	if !qs.hasCapacity(false) {
		b.total = 0
	}
	qs.claimLimited = b.total == 0
	for id, q := range qs.queues {
		if b.byWebhook[id] = q.window() - q.held(); !qs.hasCapacity(q.maySlow()) {
			b.byWebhook[id], qs.limited = 0, true
		}
	}
	return b
}

// addClaimed queues deliveries claimed within a budget, in order, and starts those that may start.
func (qs *endpointQueues) addClaimed(b claimBudget, jobs []job, more map[string]bool) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for _, j := range jobs {
		if qs.held[j.Delivery.ID] {
			continue // claimed again: its lease expired while it is being sent
		}
		qs.held[j.Delivery.ID] = true
		q := qs.queues[j.ID]
		if q == nil {
			q = new(endpointQueue)
			qs.queues[j.ID] = q
		}
		q.failing = q.failing || j.Failures > 0
		q.ready = append(q.ready, j)
	}
	for id, q := range qs.queues {
		if b.forWebhook(id) > 0 {
			q.more = more[id]
		}
		qs.startNext(q)
		qs.dropEmpty(id, q)
	}
}

// dropEmpty removes a queue without deliveries.
func (qs *endpointQueues) dropEmpty(id string, q *endpointQueue) {
	if q.held() == 0 && !q.more {
		delete(qs.queues, id)
	}
}

// startNext starts deliveries up to the endpoint's limit, and requests a claim when half of its window is free.
func (qs *endpointQueues) startNext(q *endpointQueue) {
	for !qs.closed && len(q.ready) > 0 && q.inFlight < perEndpoint && q.inFlight+q.unrecorded < maxUnrecorded {
		if time.Since(q.ready[0].localClaimedAt) >= maxReady {
			qs.requestClaim()
			return
		}
		if !qs.hasCapacity(q.maySlow()) {
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
	case qs.hasCapacity(q.maySlow()):
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

// finishAttempt ends an attempt, whose result will be recorded.
func (qs *endpointQueues) finishAttempt(r result) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q := qs.queues[r.job.ID]
	q.inFlight--
	q.unrecorded++
	qs.inFlight--
	switch { // a success that started before the failure does not clear it
	case r.attempted && r.status != Delivered:
		q.failing = true
	case r.attempted && r.failing:
		q.failing = false
	}
	if r.attempted {
		q.updateMeanDuration(r.duration)
	}
	qs.startNext(q)
}

// removeRecorded removes deliveries whose results were recorded.
func (qs *endpointQueues) removeRecorded(recorded []result) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for _, r := range recorded {
		delete(qs.held, r.job.Delivery.ID)
		q := qs.queues[r.job.ID]
		q.unrecorded--
		qs.startNext(q)
		qs.dropEmpty(r.job.ID, q)
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

// removeOverdue removes ready deliveries that have waited for maxReady, or wait behind a slow attempt, and returns results
// that return them to the queue.
func (qs *endpointQueues) removeOverdue() (unstarted []result) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for _, q := range qs.queues {
		n := len(q.ready)
		if !q.isSlow() {
			for n > 0 && time.Since(q.ready[n-1].localClaimedAt) < maxReady {
				n--
			}
		}
		unstarted = append(unstarted, q.returnUnstarted(n)...)
	}
	return unstarted
}

// returnReady removes the ready deliveries of a webhook, or of all webhooks for "", and returns results that return them to
// the queue.
func (qs *endpointQueues) returnReady(webhookID string) (unstarted []result) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for id, q := range qs.queues {
		if id == webhookID || webhookID == "" {
			unstarted = append(unstarted, q.returnUnstarted(len(q.ready))...)
		}
	}
	return unstarted
}

// close is returnReady for all webhooks; no attempts are started afterwards.
func (qs *endpointQueues) close() (unstarted []result) {
	qs.mu.Lock()
	qs.closed = true
	qs.mu.Unlock()
	return qs.returnReady("")
}

// returnUnstarted removes the first n ready deliveries, and returns results that return them to the queue.
func (q *endpointQueue) returnUnstarted(n int) (unstarted []result) {
	for _, j := range q.ready[:n] {
		unstarted = append(unstarted, result{job: j, status: Pending, unstarted: true})
	}
	q.ready, q.unrecorded, q.more = q.ready[n:], q.unrecorded+n, q.more || n > 0
	return unstarted
}

// heldIDs returns the ids of the deliveries that are held, for renewals.
func (qs *endpointQueues) heldIDs() []string {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	ids := make([]string, 0, len(qs.held))
	for id := range qs.held {
		ids = append(ids, id)
	}
	return ids
}
