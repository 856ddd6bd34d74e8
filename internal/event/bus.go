package event

import "sync"

// Topic is what an announcement is about.
type Topic string

// The topics. An empty payload where one is named below means any: nodes could
// not hear of each other for a while, and something may have been missed.
const (
	// Pending: a call waits for a worker. The payload is empty.
	Pending Topic = "pending"
	// Arrived: a call waits for a worker, and its caller is there. The payload is
	// empty.
	Arrived Topic = "arrived"
	// Calls: a call of a tenant changed. The payload is the tenant's id.
	Calls Topic = "calls"
	// Deliveries: a webhook delivery is due. The payload is empty.
	Deliveries Topic = "deliveries"
	// Webhooks: the configuration of a tenant's webhook changed. The payload is
	// the tenant's id.
	Webhooks Topic = "webhooks"
	// Ending: somebody wants a call to end. The payload is the call's id.
	Ending Topic = "ending"
)

// topics lists all topics.
var topics = []Topic{Pending, Arrived, Calls, Deliveries, Webhooks, Ending}

// Bus carries announcements between the parts of one process, and through a
// Relay to other nodes. An announcement is a hint to look at the database: a
// subscriber that is behind misses the newest ones, and looks in any case now
// and then.
type Bus struct {
	mu     sync.RWMutex
	topics map[Topic]map[chan string]struct{}
	relay  *Relay // nil when there are no other nodes to tell
}

// NewBus makes a bus.
func NewBus() *Bus { return &Bus{topics: map[Topic]map[chan string]struct{}{}} }

// Publish announces to all subscribers of a topic, on every node. It never
// waits.
func (b *Bus) Publish(topic Topic, payload string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	b.tell(topic, payload)
	if b.relay != nil {
		b.relay.pass(topic, payload)
	}
}

// heard announces what another node told.
func (b *Bus) heard(topic Topic, payload string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	b.tell(topic, payload)
}

func (b *Bus) tell(topic Topic, payload string) {
	for c := range b.topics[topic] {
		select {
		case c <- payload:
		default:
		}
	}
}

// connect has everything that is published passed on to a relay, or to none.
func (b *Bus) connect(r *Relay) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.relay = r
}

// Subscribe returns the announcements of a topic and a function that ends the
// subscription. Up to depth announcements wait for a slow subscriber.
func (b *Bus) Subscribe(topic Topic, depth int) (<-chan string, func()) {
	c := make(chan string, depth)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.topics[topic] == nil {
		b.topics[topic] = map[chan string]struct{}{}
	}
	b.topics[topic][c] = struct{}{}
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.topics[topic], c)
	}
}
