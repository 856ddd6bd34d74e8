package event

import (
	"context"
	"crypto/rand"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Wire is a transport between all nodes.
type Wire interface {
	// Run connects and calls joined once it receives; it then calls receive with each message, this node's own
	// included, and sends messages from send. It returns when the connection fails or ctx ends, and leaves no
	// goroutine.
	Run(ctx context.Context, joined func(), receive func(message string), send <-chan string) error
}

const (
	// batchInterval is the minimum time between messages, during which notifications accumulate. The first one
	// after a pause is sent immediately.
	batchInterval = 5 * time.Millisecond
	// maxMessage limits a message in bytes: PostgreSQL permits less than 8,000.
	maxMessage = 4000
	// maxWaiting limits the notifications kept while disconnected.
	maxWaiting = 1000
	// Pauses between attempts to connect, doubling from the first to the last.
	firstReconnect = 50 * time.Millisecond
	lastReconnect  = 2 * time.Second
	// settled is how long a connection must last before the log reports that nodes are connected again.
	settled = 5 * time.Second
)

// Relay connects the buses of several nodes: what one publishes is published on all. Equal notifications that wait
// to be sent are merged, so that a busy node sends a bounded number of messages. While disconnected, nodes rely on
// polling; after a reconnection every subscriber is notified once.
type Relay struct {
	// Received, if set before Run, is called for each notification of another node, by one goroutine.
	Received func(Topic)

	bus  *Bus
	wire Wire
	log  *slog.Logger
	node string // id of this node in its messages

	mu      sync.Mutex
	waiting map[string]struct{} // entries of the next message
	ready   chan struct{}       // holds a value when waiting is not empty
}

// NewRelay returns a relay between a bus and a wire, and connects the bus to it.
func NewRelay(bus *Bus, wire Wire, log *slog.Logger) *Relay {
	r := &Relay{bus: bus, wire: wire, log: log, node: rand.Text()[:12], waiting: map[string]struct{}{}, ready: make(chan struct{}, 1)}
	bus.connect(r)
	return r
}

// forward queues a notification for other nodes. It never blocks.
func (r *Relay) forward(topic Topic, payload string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) >= maxWaiting {
		payload = "" // any
	}
	r.waiting[string(topic)+" "+payload] = struct{}{}
	select {
	case r.ready <- struct{}{}:
	default:
	}
}

// message removes and returns the next message from the queue.
func (r *Relay) message() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	b.WriteString(r.node)
	for line := range r.waiting {
		if b.Len()+1+len(line) > maxMessage {
			select { // the rest goes with the next one
			case r.ready <- struct{}{}:
			default:
			}
			break
		}
		b.WriteByte('\n')
		b.WriteString(line)
		delete(r.waiting, line)
	}
	return b.String()
}

// receive publishes a message of another node on this one.
func (r *Relay) receive(message string) {
	node, lines, _ := strings.Cut(message, "\n")
	if node == r.node {
		return
	}
	for line := range strings.SplitSeq(lines, "\n") {
		topic, payload, _ := strings.Cut(line, " ")
		if r.Received != nil && slices.Contains(topics, Topic(topic)) {
			r.Received(Topic(topic))
		}
		r.bus.publishRemote(Topic(topic), payload)
	}
}

// Run connects the nodes until ctx ends.
func (r *Relay) Run(ctx context.Context) {
	defer r.bus.connect(nil)
	wait := firstReconnect
	var told atomic.Bool // a warning was logged and not resolved yet
	for {
		var back *time.Timer
		err := r.join(ctx, func() {
			back = time.AfterFunc(settled, func() {
				if told.CompareAndSwap(true, false) {
					r.log.InfoContext(ctx, "node notifications restored")
				}
			})
			wait = firstReconnect
			for _, topic := range topics {
				r.bus.publishRemote(topic, "")
			}
		})
		if back != nil {
			back.Stop()
		}
		if ctx.Err() != nil {
			return
		}
		if told.CompareAndSwap(false, true) {
			r.log.WarnContext(ctx, "node notifications interrupted; changes are noticed at the next poll", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, lastReconnect)
	}
}

// join runs the wire until it fails.
func (r *Relay) join(ctx context.Context, joined func()) error {
	ctx, cancel := context.WithCancel(ctx)
	send := make(chan string)
	var feeding sync.WaitGroup
	defer feeding.Wait()
	defer cancel()
	return r.wire.Run(ctx, func() {
		joined()
		feeding.Go(func() { r.feed(ctx, send) })
	}, r.receive, send)
}

// feed sends queued messages to the wire.
func (r *Relay) feed(ctx context.Context, send chan<- string) {
	defer r.notifyAll()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.ready:
		}
		select {
		case <-ctx.Done():
			return
		case send <- r.message():
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(batchInterval):
		}
	}
}

// notifyAll notifies all other nodes after a reconnection, because messages may have been lost.
func (r *Relay) notifyAll() {
	for _, topic := range topics {
		r.forward(topic, "")
	}
}
