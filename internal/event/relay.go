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

// Wire is what carries messages to all nodes.
type Wire interface {
	// Run connects, calls joined once it hears, then hands each message to
	// hear, this node's own included, and sends what comes from send. It
	// returns when the connection breaks or ctx ends, and leaves nothing
	// running.
	Run(ctx context.Context, joined func(), hear func(message string), send <-chan string) error
}

const (
	// gather is how long announcements gather after a message was sent. The
	// first one after a silence goes out at once.
	gather = 5 * time.Millisecond
	// maxMessage bounds a message in bytes: PostgreSQL takes less than 8,000.
	maxMessage = 4000
	// maxWaiting bounds how many announcements wait for a wire that is away.
	maxWaiting = 1000
	// Waits between two tries to connect, doubling from the first to the last.
	firstReconnect = 50 * time.Millisecond
	lastReconnect  = 2 * time.Second
	// settled is how long a connection must have lasted for the log to tell that
	// nodes hear of each other again.
	settled = 5 * time.Second
)

// Relay connects the buses of several nodes: what one of them publishes is
// announced on all. Announcements that are alike and wait to be sent are sent
// once, so that a busy node costs a bounded number of messages. While the wire
// is away, nodes find out for themselves, as everybody looks now and then;
// when it is back, everybody looks once.
type Relay struct {
	// Received, if set before Run, is called for each announcement of another
	// node, by one goroutine.
	Received func(Topic)

	bus  *Bus
	wire Wire
	log  *slog.Logger
	node string // names this node in its messages

	mu      sync.Mutex
	waiting map[string]struct{} // lines of the next message
	some    chan struct{}       // holds a value when waiting is not empty
}

// NewRelay makes a relay between a bus and a wire, and connects the bus to it.
func NewRelay(bus *Bus, wire Wire, log *slog.Logger) *Relay {
	r := &Relay{bus: bus, wire: wire, log: log, node: rand.Text()[:12], waiting: map[string]struct{}{}, some: make(chan struct{}, 1)}
	bus.connect(r)
	return r
}

// pass has an announcement sent to other nodes. It never waits.
func (r *Relay) pass(topic Topic, payload string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) >= maxWaiting {
		payload = "" // any
	}
	r.waiting[string(topic)+" "+payload] = struct{}{}
	select {
	case r.some <- struct{}{}:
	default:
	}
}

// message takes what waits, as much as one message holds.
func (r *Relay) message() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	b.WriteString(r.node)
	for line := range r.waiting {
		if b.Len()+1+len(line) > maxMessage {
			select { // the rest goes with the next one
			case r.some <- struct{}{}:
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

// hear announces on this node what another one sent.
func (r *Relay) hear(message string) {
	node, lines, _ := strings.Cut(message, "\n")
	if node == r.node {
		return
	}
	for line := range strings.SplitSeq(lines, "\n") {
		topic, payload, _ := strings.Cut(line, " ")
		if r.Received != nil && slices.Contains(topics, Topic(topic)) {
			r.Received(Topic(topic))
		}
		r.bus.heard(Topic(topic), payload)
	}
}

// Run keeps the nodes connected until ctx ends.
func (r *Relay) Run(ctx context.Context) {
	defer r.bus.connect(nil)
	wait := firstReconnect
	var told atomic.Bool // the log has a warning, and not yet that it is over
	for {
		var back *time.Timer
		err := r.join(ctx, func() {
			back = time.AfterFunc(settled, func() {
				if told.CompareAndSwap(true, false) {
					r.log.InfoContext(ctx, "nodes hear of each other again")
				}
			})
			wait = firstReconnect
			for _, topic := range topics {
				r.bus.heard(topic, "")
			}
		})
		if back != nil {
			back.Stop()
		}
		if ctx.Err() != nil {
			return
		}
		if told.CompareAndSwap(false, true) {
			r.log.WarnContext(ctx, "nodes do not hear of each other at once; they look at the database meanwhile", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, lastReconnect)
	}
}

// join runs the wire and feeds it until it breaks.
func (r *Relay) join(ctx context.Context, joined func()) error {
	ctx, cancel := context.WithCancel(ctx)
	send := make(chan string)
	var feeding sync.WaitGroup
	defer feeding.Wait()
	defer cancel()
	return r.wire.Run(ctx, func() {
		joined()
		feeding.Go(func() { r.feed(ctx, send) })
	}, r.hear, send)
}

// feed offers the wire a message whenever something waits.
func (r *Relay) feed(ctx context.Context, send chan<- string) {
	defer r.remind()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.some:
		}
		select {
		case <-ctx.Done():
			return
		case send <- r.message():
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(gather):
		}
	}
}

// remind has all other nodes look once the wire is back: what was sent when it
// broke may be lost.
func (r *Relay) remind() {
	for _, topic := range topics {
		r.pass(topic, "")
	}
}
