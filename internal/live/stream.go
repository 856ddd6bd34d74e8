package live

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// queueDepth is the number of frames queued for a slow reader; beyond, its stream
// is ended.
const queueDepth = 64

// Frame holds one or more encoded messages and the id of the last.
type Frame struct {
	Text []byte
	ID   string
}

// Stream is the stream of one client.
type Stream struct {
	hub    *Hub
	source *source
	tenant string
	viewer Viewer
	call   string // "" for all calls

	// Used by the source only, once the stream is open.
	fresh bool      // nothing was sent yet
	since time.Time // all calls: resume from; zero: do not resume
	sent  position  // one call: up to where its conversation was sent

	mu     sync.Mutex
	queue  chan Frame
	over   bool
	onSlow func()
	close  sync.Once
}

// Frames returns the frames to send, in order. The channel closes when the stream
// ends: the call has ended or is unknown, the reader is too slow, or the server
// shuts down.
func (st *Stream) Frames() <-chan Frame { return st.queue }

// OnSlow sets a function called when the stream ends because its reader is too
// slow, so that a blocked write can be aborted. Set it before reading.
func (st *Stream) OnSlow(f func()) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.onSlow = f
}

// Close must be called when the reader stops reading. It is idempotent.
func (st *Stream) Close() { st.close.Do(func() { st.hub.remove(st) }) }

// push queues a frame. When the queue is full, the queue is dropped and the stream
// ends; the client can resume from the last frame it received.
func (st *Stream) push(f Frame) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.over {
		return
	}
	select {
	case st.queue <- f:
		return
	default:
	}
	for {
		select {
		case <-st.queue:
			continue
		default:
		}
		break
	}
	st.over = true
	close(st.queue)
	if st.onSlow != nil {
		st.onSlow()
	}
}

// end ends the stream after the queued frames.
func (st *Stream) end() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.over {
		st.over = true
		close(st.queue)
	}
}

// position is a position in a call's conversation. Its numbers grow in commit
// order, because writers to a call lock its row.
type position struct {
	entry     int64 // id of the last transcript entry
	handoffs  int   // number of handoffs
	transfers int   // number of steps of transfers
}

// id returns the position as a message id, for example 57.1, or 57.1.2 after steps of transfers.
func (m position) id() string {
	id := strconv.FormatInt(m.entry, 10) + "." + strconv.Itoa(m.handoffs)
	if m.transfers > 0 {
		id += "." + strconv.Itoa(m.transfers)
	}
	return id
}

// parsePosition parses an id made by position.id; anything else is the beginning.
func parsePosition(id string) position {
	entry, others, _ := strings.Cut(id, ".")
	handoffs, transfers, further := strings.Cut(others, ".")
	if !further {
		transfers = "0"
	}
	e, err := strconv.ParseInt(entry, 10, 64)
	n, err2 := strconv.Atoi(handoffs)
	x, err3 := strconv.Atoi(transfers)
	if err != nil || err2 != nil || err3 != nil || e < 0 || n < 0 || x < 0 {
		return position{}
	}
	return position{e, n, x}
}

// sinceID returns a database time as the id of a message of all calls:
// microseconds since 1970.
func sinceID(at time.Time) string { return strconv.FormatInt(at.UnixMicro(), 10) }

// parseSince parses an id made by sinceID; anything else is the zero time.
func parseSince(id string) time.Time {
	us, err := strconv.ParseInt(id, 10, 64)
	if err != nil || us <= 0 || us > maxSince {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// maxSince is the end of the year 9999 in microseconds since 1970.
const maxSince = 253402300799_000000
