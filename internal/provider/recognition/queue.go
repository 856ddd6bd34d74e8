package recognition

import (
	"encoding/binary"
	"sync"
	"time"

	"parley/internal/dialogue"
)

var errClosed = dialogue.NewError("the recogniser is closed")

// largest is the maximum audio in one message.
const largest = 100 * time.Millisecond

type messageKind int

const (
	audioMessage messageKind = iota
	finalizeMessage
	farewellMessage
	textMessage
	speechMessage  // a Finalize of audio that is known to hold speech
	nothingMessage // a Finalize that is answered with an empty final transcript; the vendor is not asked
)

type message struct {
	kind  messageKind
	audio []byte // pcm_s16le
	text  string
}

// queue is the messages to be sent. Adding never blocks; the audio in it is limited by backlog.
type queue struct {
	piece, least int // bytes
	wake         chan struct{}

	mu       sync.Mutex
	messages []message
	rest     []byte // audio short of a piece
	waiting  int    // bytes of audio
	closed   bool
}

func newQueue(d Dialect) *queue {
	return &queue{piece: bytesOf(d.Piece), least: bytesOf(d.Least), wake: make(chan struct{}, 1)}
}

// write appends audio. Audio that was written together is sent together, in as few messages as possible.
func (q *queue) write(pcm []int16) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	if q.waiting+2*len(pcm) > bytesOf(backlog) {
		return dialogue.Errorf("%v of audio waits for the network", backlog)
	}
	q.waiting += 2 * len(pcm)
	for len(pcm) > 0 {
		n := min(len(pcm), (bytesOf(largest)-len(q.rest))/2)
		if q.rest == nil {
			q.rest = make([]byte, 0, max(q.piece, 2*n))
		}
		for _, sample := range pcm[:n] {
			q.rest = binary.LittleEndian.AppendUint16(q.rest, uint16(sample))
		}
		pcm = pcm[n:]
		if len(q.rest) >= q.piece {
			q.flush()
		}
	}
	return nil
}

// finalize queues a Finalize, after the remaining audio.
func (q *queue) finalize() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	if len(q.rest) > 0 {
		if missing := q.least - len(q.rest); missing > 0 {
			q.rest = append(q.rest, make([]byte, missing)...)
			q.waiting += missing
		}
		q.flush()
	}
	q.enqueue(message{kind: finalizeMessage})
	return nil
}

// add queues a message that is neither audio nor the farewell, after the audio that was written.
func (q *queue) add(m message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	if len(q.rest) > 0 {
		q.flush()
	}
	q.enqueue(m)
	return nil
}

// leave drops the queue and queues the farewell. Nothing is accepted afterwards.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.messages, q.rest, q.waiting = nil, nil, 0
	q.enqueue(message{kind: farewellMessage})
}

func (q *queue) flush() {
	q.enqueue(message{kind: audioMessage, audio: q.rest})
	q.rest = nil
}

func (q *queue) enqueue(m message) {
	q.messages = append(q.messages, m)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next removes the oldest message; wake signals when there is one.
func (q *queue) next() (message, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.messages) == 0 {
		return message{}, false
	}
	m := q.messages[0]
	q.messages[0] = message{}
	q.messages = q.messages[1:]
	q.waiting -= len(m.audio)
	return m, true
}
