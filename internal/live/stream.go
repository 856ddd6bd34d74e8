package live

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// queueDepth is how many frames wait for a slow reader before it is cut.
const queueDepth = 64

// Frame is one message or more, encoded, and the id of the last of them.
type Frame struct {
	Text []byte
	ID   string
}

// Stream is what one client gets to see.
type Stream struct {
	hub    *Hub
	source *source
	tenant string
	viewer Viewer
	call   string // "" for all calls

	// These are the source's own, once the stream is open.
	fresh bool      // has been sent nothing yet
	since time.Time // all calls: where an earlier stream ended; zero for nowhere
	sent  mark      // one call: what has been sent of its conversation

	mu    sync.Mutex
	queue chan Frame
	over  bool
	cut   func()
	close sync.Once
}

// Frames are to be sent in order. The channel closes when the stream ends: the
// call is over or unknown, the reader too slow, the server going away.
func (st *Stream) Frames() <-chan Frame { return st.queue }

// OnCut has f called when the stream is cut because its reader is too slow: a
// reader that is stuck in a write may stop it. It is given before reading.
func (st *Stream) OnCut(f func()) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.cut = f
}

// Close is called by the reader when it stops reading. It is idempotent.
func (st *Stream) Close() { st.close.Do(func() { st.hub.leave(st) }) }

// push hands a frame to the reader. A reader that is behind by a whole queue
// loses it, and the stream: it can resume where it was.
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
	if st.cut != nil {
		st.cut()
	}
}

// end closes the stream behind the frames that wait.
func (st *Stream) end() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.over {
		st.over = true
		close(st.queue)
	}
}

// mark is how far a stream has sent of a call's conversation. Both numbers
// only grow, in the order of the commits: whoever writes to a call has its row
// locked.
type mark struct {
	entry    int64 // the last entry of the transcript
	handoffs int   // how many of them
}

// id is the mark as a message carries it, for example 57.1.
func (m mark) id() string { return strconv.FormatInt(m.entry, 10) + "." + strconv.Itoa(m.handoffs) }

// parseMark reads an id of id; of anything else it makes the beginning.
func parseMark(id string) mark {
	entry, handoffs, _ := strings.Cut(id, ".")
	e, err := strconv.ParseInt(entry, 10, 64)
	n, err2 := strconv.Atoi(handoffs)
	if err != nil || err2 != nil || e < 0 || n < 0 {
		return mark{}
	}
	return mark{e, n}
}

// sinceID is a moment of the database's time as a message of all calls
// carries it: microseconds since 1970.
func sinceID(at time.Time) string { return strconv.FormatInt(at.UnixMicro(), 10) }

// parseSince reads an id of sinceID; of anything else it makes the zero time.
func parseSince(id string) time.Time {
	us, err := strconv.ParseInt(id, 10, 64)
	if err != nil || us <= 0 || us > maxSince {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// maxSince is the end of the year 9999, which every database knows.
const maxSince = 253402300799_000000
