package webhook

import (
	"sync"
	"time"
)

// unreadableFor is how long a node does not claim deliveries of an endpoint whose secret it cannot decrypt.
const unreadableFor = time.Minute

// unreadable holds, by webhook, the endpoints whose secrets this node cannot decrypt, and until when it claims none of
// their deliveries. The zero value is ready to use.
type unreadable struct {
	mu    sync.Mutex
	until map[string]time.Time
}

func (u *unreadable) add(webhookID string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.until == nil {
		u.until = map[string]time.Time{}
	}
	u.until[webhookID] = time.Now().Add(unreadableFor)
}

// remove removes an endpoint whose configuration was saved again.
func (u *unreadable) remove(webhookID string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.until, webhookID)
}

// exclude sets the budget of the endpoints to zero.
func (u *unreadable) exclude(b claimBudget) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, until := range u.until {
		if time.Now().After(until) {
			delete(u.until, id)
			continue
		}
		b.byWebhook[id] = 0
	}
}
