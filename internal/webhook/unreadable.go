package webhook

import (
	"sync"
	"time"
)

// unreadableFor is how long a node leaves an endpoint to other nodes whose secret it cannot open.
const unreadableFor = time.Minute

// unreadable holds the endpoints, by tenant, whose secrets this node cannot open, and until when it claims nothing of
// them. Its zero value is ready.
type unreadable struct {
	mu    sync.Mutex
	until map[string]time.Time
}

func (u *unreadable) add(tenantID string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.until == nil {
		u.until = map[string]time.Time{}
	}
	u.until[tenantID] = time.Now().Add(unreadableFor)
}

// remove is for an endpoint whose configuration was saved anew.
func (u *unreadable) remove(tenantID string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.until, tenantID)
}

// exclude takes the endpoints out of a claim's budget.
func (u *unreadable) exclude(b claimBudget) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for tenantID, until := range u.until {
		if time.Now().After(until) {
			delete(u.until, tenantID)
			continue
		}
		b.held[tenantID] = 0
	}
}
