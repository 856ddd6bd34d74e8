// Package live streams the changes of calls as they happen.
//
// A tenant with streams has one source in each process (source.go), however
// many streams there are. An announcement has it refresh: it reads what changed
// (read.go), through the read models of package call, and publishes it to every
// stream (publish.go) as text that is ready to be sent (message.go). The source
// compares the rows with what it has sent, so that a lost announcement costs a
// poll interval and no more.
package live

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
)

// retryAfter is when a client that was rejected may ask again.
const retryAfter = 10 * time.Second

// Options bound how many streams there are at once.
type Options struct {
	StreamsPerTenant int // 100 when zero
	// Limit is how many a tenant may have, in place of StreamsPerTenant; nil for
	// no tenant of its own.
	Limit   func(tenantID string) int
	Streams int // of this process; 10,000 when zero
	// Log gets a line when the database cannot be read.
	Log *slog.Logger
}

// Hub opens the streams of one process.
type Hub struct {
	db  *database.DB
	bus *event.Bus
	o   Options

	running sync.WaitGroup

	mu          sync.Mutex
	sources     map[Viewer]*source // those that have streams
	streams     int
	unsubscribe func() // nil while there are no streams
	closed      bool
}

// New returns a hub. It runs nothing until somebody watches.
func New(db *database.DB, bus *event.Bus, o Options) *Hub {
	if o.StreamsPerTenant == 0 {
		o.StreamsPerTenant = 100
	}
	if o.Streams == 0 {
		o.Streams = 10_000
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Hub{db: db, bus: bus, o: o, sources: map[Viewer]*source{}}
}

// Viewer is who watches: a tenant, or with Test one of its test keys, which
// sees calls made with test keys alone.
type Viewer struct {
	TenantID string
	Test     bool
}

// Calls opens a stream of all calls that a viewer sees. resume is the id of the last
// frame that the client got from an earlier stream, or "". The error is
// rate_limit_exceeded, with RetryAfter, or service_unavailable.
func (h *Hub) Calls(who Viewer, resume string) (*Stream, error) {
	return h.open(&Stream{tenant: who.TenantID, viewer: who, since: parseSince(resume)})
}

// Call opens a stream of one call, likewise. That there is no such call is
// an error message of the stream.
func (h *Hub) Call(who Viewer, callID, resume string) (*Stream, error) {
	return h.open(&Stream{tenant: who.TenantID, viewer: who, call: callID, sent: parseMark(resume)})
}

func (h *Hub) open(st *Stream) (*Stream, error) {
	st.hub, st.fresh, st.queue = h, true, make(chan Frame, queueDepth)
	most := h.o.StreamsPerTenant
	if h.o.Limit != nil {
		most = h.o.Limit(st.tenant)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, fault.New(fault.ServiceUnavailable, "the server is going away")
	}
	if h.streams >= h.o.Streams {
		return nil, fault.Later(fault.RateLimitExceeded, retryAfter, "the server has %d streams open, which is the most it may have", h.o.Streams)
	}
	s, other := h.sources[st.viewer], h.sources[Viewer{st.tenant, !st.viewer.Test}]
	if most <= 0 || s.count()+other.count() >= most {
		return nil, fault.Later(fault.RateLimitExceeded, retryAfter, "%d streams are open, which is the most that one account may have (limit sse_streams)", most)
	}
	if s == nil {
		s = h.start(st.viewer)
	}
	st.source = s
	h.streams++
	s.add(st)
	return st, nil
}

// start makes a viewer's source. The hub is locked.
func (h *Hub) start(who Viewer) *source {
	if h.unsubscribe == nil {
		h.listen()
	}
	ctx, stop := context.WithCancel(context.Background())
	s := newSource(h.db.Tenant(who.TenantID), who.Test, h.o.Log, stop)
	h.sources[who] = s
	h.running.Go(func() { s.run(ctx) })
	return s
}

// listen passes announcements on to the sources they are for.
func (h *Hub) listen() {
	announced, unsubscribe := h.bus.Subscribe(event.Calls, 1024)
	over := make(chan struct{})
	h.unsubscribe = func() { close(over) }
	h.running.Go(func() {
		defer unsubscribe()
		for {
			select {
			case <-over:
				return
			case tenantID := <-announced:
				h.mu.Lock()
				if tenantID == "" { // any may have
					for _, s := range h.sources {
						s.requestRefresh()
					}
				}
				for _, test := range []bool{false, true} {
					if s := h.sources[Viewer{tenantID, test}]; s != nil {
						s.requestRefresh()
					}
				}
				h.mu.Unlock()
			}
		}
	})
}

// leave forgets a stream, and stops what only it needed.
func (h *Hub) leave(st *Stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.streams--
	if st.source.remove(st) > 0 {
		return
	}
	st.source.stop()
	delete(h.sources, st.viewer)
	if len(h.sources) == 0 {
		h.unsubscribe()
		h.unsubscribe = nil
	}
}

// End ends all streams, so that their clients come again, here or elsewhere: a
// server that drains wants them elsewhere.
func (h *Hub) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sources {
		s.end()
	}
}

// Close ends all streams and opens no more.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.End()
}

// Wait returns when nothing of the hub runs any more: every stream has been
// closed by its reader.
func (h *Hub) Wait() { h.running.Wait() }
