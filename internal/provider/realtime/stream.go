package realtime

import (
	"encoding/base64"
	"encoding/binary"
	"sync"
	"time"

	"parley/internal/dialogue"
)

// Inaudible replaces the transcript of an utterance that the provider answered without transcribing it.
const Inaudible = "(inaudible)"

var errUnread = dialogue.NewError("nobody reads the conversation")

const (
	maxTranscripts = 1000
	maxEvents      = 8192
)

// Transcripts is the queue of the caller's transcripts to the session.
type Transcripts struct {
	mu     sync.Mutex
	out    chan dialogue.Transcript
	closed bool
}

// NewTranscripts returns an open stream.
func NewTranscripts() *Transcripts {
	return &Transcripts{out: make(chan dialogue.Transcript, maxTranscripts)}
}

// Out returns the transcripts.
func (t *Transcripts) Out() <-chan dialogue.Transcript { return t.out }

// Put adds a transcript. It does not wait; the error says that nobody reads.
func (t *Transcripts) Put(x dialogue.Transcript) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	select {
	case t.out <- x:
		return nil
	default:
		return errUnread
	}
}

// Close ends the stream.
func (t *Transcripts) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed = true
		close(t.out)
	}
}

// Response is a dialogue.Response.
type Response struct {
	truncate func(played time.Duration)

	mu       sync.Mutex
	events   chan dialogue.ResponseEvent
	err      error
	finished bool
}

// NewResponse returns an open response. Truncate is called for that of dialogue.Response.
func NewResponse(truncate func(played time.Duration)) *Response {
	return &Response{truncate: truncate, events: make(chan dialogue.ResponseEvent, maxEvents)}
}

// Events implements dialogue.Response.
func (r *Response) Events() <-chan dialogue.ResponseEvent { return r.events }

// Err returns why the answer ended.
func (r *Response) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Truncate calls the function given to NewResponse.
func (r *Response) Truncate(played time.Duration) { r.truncate(played) }

// Put adds an event. It does not wait; a response that nobody reads fails.
func (r *Response) Put(p dialogue.ResponseEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.finished {
		return
	}
	select {
	case r.events <- p:
	default:
		r.finish(errUnread)
	}
}

// Finish ends the answer, with an error or nil. The first call counts.
func (r *Response) Finish(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.finished {
		r.finish(err)
	}
}

func (r *Response) finish(err error) {
	r.finished, r.err = true, err
	close(r.events)
}

// Encode returns audio as base64 of little-endian samples, the vendors' format.
func Encode(pcm []int16) string {
	raw := make([]byte, 0, 2*len(pcm))
	for _, sample := range pcm {
		raw = binary.LittleEndian.AppendUint16(raw, uint16(sample))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// Decode returns the reverse of Encode.
func Decode(text string) ([]int16, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	pcm := make([]int16, len(raw)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return pcm, nil
}
