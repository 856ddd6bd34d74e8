package inflight

import (
	"context"
	"testing"

	"parley/internal/fault"
)

func begin(t *testing.T, p *Pool, tenant string) (context.Context, *Request) {
	t.Helper()
	return p.Begin(t.Context(), func() string { return tenant })
}

func TestReservationsCountForTenantAndServer(t *testing.T) {
	p := NewPool()
	var requests []*Request
	reserve := func(tenant string, n int) error {
		ctx, r := begin(t, p, tenant)
		requests = append(requests, r)
		return Reserve(ctx, n)
	}
	for _, tenant := range []string{"a", "b", "c"} {
		if err := reserve(tenant, PerTenant/2); err != nil {
			t.Fatal(err)
		}
		if err := reserve(tenant, PerTenant/2); err != nil {
			t.Fatal(err)
		}
		if err := reserve(tenant, PerTenant/2); !fault.Is(err, fault.RateLimitExceeded) {
			t.Errorf("the third half of %s: %v", tenant, err)
		}
	}
	if err := reserve("d", PerTenant/2); !fault.Is(err, fault.ServiceUnavailable) {
		t.Errorf("beyond the server's budget: %v", err)
	}
	if err := reserve("d", Free); err != nil {
		t.Errorf("a small answer: %v", err)
	}
	if err := reserve("e", PerTenant+Free+1); !fault.Is(err, fault.Validation) {
		t.Errorf("an answer that never fits: %v", err)
	}
	for _, r := range requests {
		r.End()
		r.End()
	}
	if p.total != 0 || len(p.tenants) != 0 {
		t.Errorf("%d bytes remain, of %d tenants", p.total, len(p.tenants))
	}
}

// The tenant of a request becomes known while it is served; nothing is counted without a request.
func TestTenantBecomesKnown(t *testing.T) {
	p, tenant := NewPool(), ""
	ctx, r := p.Begin(t.Context(), func() string { return tenant })
	if err := Reserve(ctx, 2*Free); err != nil {
		t.Fatal(err)
	}
	tenant = "a"
	if err := Reserve(ctx, Free); err != nil || p.tenants[""] != Free || p.tenants["a"] != Free {
		t.Errorf("%v, %v", err, p.tenants)
	}
	if err := Reserve(Detach(ctx), PerServer); err != nil {
		t.Error(err)
	}
	if err := Reserve(t.Context(), PerServer); err != nil {
		t.Error(err)
	}
	r.End()
	if p.total != 0 {
		t.Errorf("%d bytes remain", p.total)
	}
}
