package database

import (
	"context"
	"slices"
	"sync"
	"time"
)

// fairQueue shares the connections of a pool among tenants: one tenant uses at most three quarters of them at once, and those who wait
// take turns by tenant, the one with the fewest connections first. Requests of one tenant, however many and slow, thus delay those of
// another by one transaction at most while a connection is free. The platform's own transactions, such as the renewal of leases, go
// before all others and have no limit: strangers and tenants must not be able to cause them at will (Scope.Queued).
type fairQueue struct {
	size int // connections of the pool

	mu      sync.Mutex
	used    int
	inUse   map[string]int           // by tenant
	waiting map[string][]*waitingTxn // by tenant, the longest first
	turns   []string                 // tenants with transactions that wait, the one served longest ago first

	waits int64
	wait  time.Duration
}

// waitingTxn is a transaction that waits for a connection.
type waitingTxn struct {
	ready   chan struct{} // closed when it has one
	granted bool
}

func newFairQueue(size int) *fairQueue {
	return &fairQueue{size: size, inUse: map[string]int{}, waiting: map[string][]*waitingTxn{}}
}

// most is how many connections a tenant may use.
func (q *fairQueue) most(tenant string) int {
	if tenant == "" {
		return q.size
	}
	return max(q.size*3/4, 1)
}

// fairKey marks the context of a transaction. One that it begins within is not queued: it could wait for the first one's connection.
type fairKey struct{}

// acquire waits for a turn of a tenant. The transaction must use the context that it returns; release may be called several times.
func (q *fairQueue) acquire(ctx context.Context, tenant string) (within context.Context, release func(), err error) {
	if ctx.Value(fairKey{}) != nil {
		return ctx, func() {}, nil
	}
	within, release = context.WithValue(ctx, fairKey{}, true), sync.OnceFunc(func() { q.release(tenant) })
	q.mu.Lock()
	if q.used < q.size && q.inUse[tenant] < q.most(tenant) && len(q.waiting[tenant]) == 0 {
		q.used++
		q.inUse[tenant]++
		q.mu.Unlock()
		return within, release, nil
	}
	w := &waitingTxn{ready: make(chan struct{})}
	if len(q.waiting[tenant]) == 0 {
		q.turns = append(q.turns, tenant)
	}
	q.waiting[tenant] = append(q.waiting[tenant], w)
	q.mu.Unlock()
	began := time.Now()
	select {
	case <-w.ready:
	case <-ctx.Done():
		err = ctx.Err()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waits++
	q.wait += time.Since(began)
	if err != nil {
		if !w.granted {
			q.forget(tenant, w)
			return nil, nil, err
		}
		q.free(tenant)
		return nil, nil, err
	}
	return within, release, nil
}

func (q *fairQueue) release(tenant string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free(tenant)
}

// free returns a tenant's connection and gives those that are free to transactions that wait; q.mu is held.
func (q *fairQueue) free(tenant string) {
	q.used--
	if q.inUse[tenant]--; q.inUse[tenant] == 0 {
		delete(q.inUse, tenant)
	}
	for q.used < q.size {
		next := -1
		for i, t := range q.turns {
			if q.inUse[t] < q.most(t) && (next < 0 || q.before(t, q.turns[next])) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		t := q.turns[next]
		w := q.waiting[t][0]
		q.turns = append(slices.Delete(q.turns, next, next+1), t)
		q.forget(t, w)
		q.used++
		q.inUse[t]++
		w.granted = true
		close(w.ready)
	}
}

// before reports whether the turn of a tenant comes before that of another, which was served longer ago; q.mu is held.
func (q *fairQueue) before(tenant, other string) bool {
	return other != "" && (tenant == "" || q.inUse[tenant] < q.inUse[other])
}

// forget removes a transaction from those that wait; q.mu is held.
func (q *fairQueue) forget(tenant string, w *waitingTxn) {
	q.waiting[tenant] = slices.DeleteFunc(q.waiting[tenant], func(each *waitingTxn) bool { return each == w })
	if len(q.waiting[tenant]) == 0 {
		delete(q.waiting, tenant)
		q.turns = slices.DeleteFunc(q.turns, func(t string) bool { return t == tenant })
	}
}

// count adds the transactions that waited for their turn to a pool's.
func (q *fairQueue) count(p Pool) Pool {
	q.mu.Lock()
	defer q.mu.Unlock()
	p.Waits, p.Wait = p.Waits+q.waits, p.Wait+q.wait
	return p
}
