package event

import "sync"

// Topic is the subject of a notification.
type Topic string

// The topics. Where a payload is defined, an empty one means that any may have changed: nodes were disconnected and
// notifications may be lost.
const (
	// Pending: a call waits for a worker. No payload.
	Pending Topic = "pending"
	// Arrived: a call waits for a worker, and its caller is present. No payload.
	Arrived Topic = "arrived"
	// Calls: a call of a tenant changed. The payload is the tenant's id.
	Calls Topic = "calls"
	// Deliveries: a webhook delivery is due. No payload.
	Deliveries Topic = "deliveries"
	// Analyses: an analysis of a call is due. No payload.
	Analyses Topic = "analyses"
	// Webhooks: the configuration of a tenant's webhook changed. The payload is
	// the tenant's id.
	Webhooks Topic = "webhooks"
	// Ending: the end of a call was requested. The payload is the call's id.
	Ending Topic = "ending"
	// Controls: a tenant asks something of a call that runs. The payload is the call's id.
	Controls Topic = "controls"
	// GatewayRequests: a process asks the SIP gateways of others to dial or to transfer, or cancels that. No payload.
	GatewayRequests Topic = "gateway_requests"
	// GatewayResults: a gateway has done what another process asked for. The payload is the request's id.
	GatewayResults Topic = "gateway_results"
)

// topics lists all topics.
var topics = []Topic{Pending, Arrived, Calls, Deliveries, Analyses, Webhooks, Ending, Controls, GatewayRequests, GatewayResults}

// Bus carries notifications between the components of a process, and through a Relay to other nodes. A notification
// is a hint to read the database: a slow subscriber misses the newest ones, so every subscriber also polls.
type Bus struct {
	mu     sync.RWMutex
	topics map[Topic]map[chan string]struct{}
	relay  *Relay // nil without other nodes
}

// NewBus returns a Bus.
func NewBus() *Bus { return &Bus{topics: map[Topic]map[chan string]struct{}{}} }

// Publish notifies all subscribers of a topic, on every node. It never blocks.
func (b *Bus) Publish(topic Topic, payload string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	b.publish(topic, payload)
	if b.relay != nil {
		b.relay.forward(topic, payload)
	}
}

// publishRemote publishes a notification of another node.
func (b *Bus) publishRemote(topic Topic, payload string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	b.publish(topic, payload)
}

func (b *Bus) publish(topic Topic, payload string) {
	for c := range b.topics[topic] {
		select {
		case c <- payload:
		default:
		}
	}
}

// connect sets the relay to other nodes; nil for none.
func (b *Bus) connect(r *Relay) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.relay = r
}

// Subscribe returns the notifications of a topic and a function that ends the subscription. Up to depth
// notifications are buffered.
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
