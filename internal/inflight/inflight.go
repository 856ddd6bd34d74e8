// Package inflight bounds the bytes that requests hold in memory until their answers are written: rows that are read for
// them, and answers that a client does not read. A tenant has a budget, and the process one for all tenants.
package inflight

import (
	"context"
	"sync"
	"time"

	"parley/internal/fault"
)

// The budgets, in bytes. What is counted takes two to four times as much memory, with the decoded form and the
// collector's share.
const (
	PerTenant = 8 << 20
	PerServer = 24 << 20
	// Free is what each request may hold beside the budgets, so that small answers never wait.
	Free = 64 << 10
)

// retryAfter is when a client may try again. Answers that are not read are cut off soon.
const retryAfter = 5 * time.Second

// Pool counts the bytes of all requests of a server.
type Pool struct {
	mu      sync.Mutex
	total   int
	tenants map[string]int
}

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{tenants: map[string]int{}} }

// Request counts the bytes of one request.
type Request struct {
	pool   *Pool
	tenant func() string // "" while it is not known
	mu     sync.Mutex
	held   int
	// charged is what of held is in the pool, by the tenant that it is charged to.
	charged map[string]int
}

type requestKey struct{}

// Begin returns a context whose reservations count for a request of the tenant, which may become known later.
// End gives them back.
func (p *Pool) Begin(ctx context.Context, tenant func() string) (context.Context, *Request) {
	r := &Request{pool: p, tenant: tenant, charged: map[string]int{}}
	return context.WithValue(ctx, requestKey{}, r), r
}

// Detach returns a context whose reservations do not count, for what is read in pieces that are bounded otherwise.
func Detach(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, (*Request)(nil))
}

// Reserve counts n bytes for the request of a context until it ends. It returns an error for the client if the tenant
// or the server holds too many. Without a request nothing is counted.
func Reserve(ctx context.Context, n int) error {
	r, _ := ctx.Value(requestKey{}).(*Request)
	if r == nil {
		return nil
	}
	return r.reserve(n)
}

func (r *Request) reserve(n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	counted := max(0, r.held+n-Free) - max(0, r.held-Free)
	if r.held+n-Free > PerTenant {
		return fault.Invalid([]fault.Detail{{Field: "limit", Message: "the answer is larger than the server holds for a tenant, 8 MiB (limit answer_bytes): request a part of it"}})
	}
	tenant := r.tenant()
	if err := r.pool.take(tenant, counted); err != nil {
		return err
	}
	r.held += n
	r.charged[tenant] += counted
	return nil
}

// End gives back what the request has reserved. It may be called more than once.
func (r *Request) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for tenant, n := range r.charged {
		r.pool.giveBack(tenant, n)
	}
	r.held = 0
	clear(r.charged)
}

func (p *Pool) take(tenant string, n int) error {
	if n == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.tenants[tenant]+n > PerTenant:
		return fault.Later(fault.RateLimitExceeded, retryAfter, "the answers of your other requests that are not read yet take 8 MiB (limit answer_bytes): read them, or try again later")
	case p.total+n > PerServer:
		return fault.Later(fault.ServiceUnavailable, retryAfter, "the server holds too many answers that are not read yet, try again later")
	}
	p.tenants[tenant] += n
	p.total += n
	return nil
}

func (p *Pool) giveBack(tenant string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total -= n
	if p.tenants[tenant] -= n; p.tenants[tenant] == 0 {
		delete(p.tenants, tenant)
	}
}
