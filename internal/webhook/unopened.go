package webhook

import (
	"sync"
	"time"
)

// leaveFor is how long a node leaves an endpoint to other nodes whose secret it cannot open.
const leaveFor = time.Minute

// unopened are the endpoints, by tenant, whose secrets this node cannot open, and until when it leaves them alone. Its
// zero value is ready.
type unopened struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// leave leaves an endpoint to others.
func (r *run) leave(tenantID string) {
	r.unopened.mu.Lock()
	defer r.unopened.mu.Unlock()
	if r.unopened.until == nil {
		r.unopened.until = map[string]time.Time{}
	}
	r.unopened.until[tenantID] = time.Now().Add(leaveFor)
}

// comeBack takes up an endpoint whose configuration was saved anew.
func (r *run) comeBack(tenantID string) {
	r.unopened.mu.Lock()
	defer r.unopened.mu.Unlock()
	delete(r.unopened.until, tenantID)
}

// omit leaves no room for the endpoints that are left to others.
func (r *run) omit(rooms map[string]int) {
	r.unopened.mu.Lock()
	defer r.unopened.mu.Unlock()
	for tenantID, until := range r.unopened.until {
		if time.Now().After(until) {
			delete(r.unopened.until, tenantID)
			continue
		}
		rooms[tenantID] = 0
	}
}
