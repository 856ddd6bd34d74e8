// Package live sends the changes of calls to SSE streams as they happen.
//
// Each tenant with open streams has one source per process (source.go), which
// all its streams share. On a notification from the event bus the source reads
// the changed rows (read.go) through the read models of package call, encodes
// them once (message.go) and sends them to every stream (publish.go). It also
// polls, and compares rows with what was sent, so that a lost notification
// delays an update by one poll interval at most.
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

// retryAfter is the Retry-After of a rejected stream.
const retryAfter = 10 * time.Second

// PageURL returns the link of the page of a person to whom a caller is transferred. The error is not_found when it opens nothing any more.
type PageURL func(ctx context.Context, tenantID, pageID string) (string, error)

// Options limit the number of open streams.
type Options struct {
	StreamsPerTenant int // 100 when zero
	// Limit overrides StreamsPerTenant for a tenant; may be nil.
	Limit   func(tenantID string) int
	Streams int // of this process; 10,000 when zero
	// PageURL is nil where streams carry no links.
	PageURL PageURL
	// Log receives a warning when the database cannot be read.
	Log *slog.Logger
}

// Hub opens and tracks the streams of one process.
type Hub struct {
	db  *database.DB
	bus *event.Bus
	o   Options

	running sync.WaitGroup

	mu          sync.Mutex
	sources     map[Viewer]*source // with at least one stream
	streams     int
	unsubscribe func() // nil while there are no streams
	closed      bool
}

// New returns a hub. It starts no goroutine before the first stream opens.
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

// Viewer identifies whose calls a stream shows: all calls of a tenant, or, with
// Test, only those created with test keys.
type Viewer struct {
	TenantID string
	Test     bool
}

// Calls opens a stream of all calls of a viewer. resume is the client's
// Last-Event-ID, or "". Errors: rate_limit_exceeded with RetryAfter,
// service_unavailable.
func (h *Hub) Calls(who Viewer, resume string) (*Stream, error) {
	return h.open(&Stream{tenant: who.TenantID, viewer: who, since: parseSince(resume)})
}

// Call opens a stream of one call. Parameters and errors are those of Calls; an
// unknown call is reported by an error message in the stream.
func (h *Hub) Call(who Viewer, callID, resume string) (*Stream, error) {
	return h.open(&Stream{tenant: who.TenantID, viewer: who, call: callID, sent: parsePosition(resume)})
}

func (h *Hub) open(st *Stream) (*Stream, error) {
	st.hub, st.fresh, st.queue = h, true, make(chan Frame, queueDepth)
	limit := h.o.StreamsPerTenant
	if h.o.Limit != nil {
		limit = h.o.Limit(st.tenant)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, fault.New(fault.ServiceUnavailable, "the server is shutting down")
	}
	if h.streams >= h.o.Streams {
		return nil, fault.Later(fault.RateLimitExceeded, retryAfter, "the server has %d streams open, which is its limit", h.o.Streams)
	}
	s, other := h.sources[st.viewer], h.sources[Viewer{st.tenant, !st.viewer.Test}]
	if limit <= 0 || s.count()+other.count() >= limit {
		return nil, fault.Later(fault.RateLimitExceeded, retryAfter, "%d streams are open, which is the limit of this account (sse_streams)", limit)
	}
	if s == nil {
		s = h.startSource(st.viewer)
	}
	st.source = s
	h.streams++
	s.add(st)
	return st, nil
}

// startSource starts the source of a viewer. h.mu must be held.
func (h *Hub) startSource(who Viewer) *source {
	if h.unsubscribe == nil {
		h.subscribe()
	}
	ctx, stop := context.WithCancel(context.Background())
	s := newSource(h.db.Tenant(who.TenantID), who.Test, h.o.PageURL, h.o.Log, stop)
	h.sources[who] = s
	h.running.Go(func() { s.run(ctx) })
	return s
}

// subscribe forwards notifications of the event bus to the sources.
func (h *Hub) subscribe() {
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
				if tenantID == "" { // of any tenant
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

// remove removes a closed stream, and its source when it was the last.
func (h *Hub) remove(st *Stream) {
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

// End ends all streams, so that their clients reconnect: while the server
// drains, to another node.
func (h *Hub) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sources {
		s.end()
	}
}

// Close ends all streams and rejects new ones.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.End()
}

// Wait blocks until all goroutines of the hub have returned, which needs every
// stream to be closed by its reader.
func (h *Hub) Wait() { h.running.Wait() }
