// Package speechhttp synthesises speech with an HTTP request for each text, whose audio is streamed. The times of words are
// estimated from their letters.
package speechhttp

import (
	"context"
	"io"
	"net/http"
	"sync"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

// Vendor is where and how speech is requested.
type Vendor struct {
	Account llm.Account
	URL     string
	Header  http.Header
	// Body returns the body of the request for a text, in JSON. The answer is audio that audio.NewSource reads.
	Body func(text string) ([]byte, error)
	// Audio returns the PCM in an answer; nil where the answer is the audio.
	Audio func(*http.Response) (io.ReadCloser, error)
	// Used receives the characters of each request; nil for vendors that bill something else.
	Used dialogue.UsageFunc
}

// voice is a dialogue.Voice without a connection of its own.
type voice struct {
	Vendor
	ctx    context.Context // until Close
	cancel context.CancelFunc

	mu   sync.Mutex
	work sync.WaitGroup
}

var errVoiceClosed = dialogue.NewError("the synthesizer is closed")

// NewVoice returns a voice for one call. It makes no request.
func NewVoice(ctx context.Context, vendor Vendor) dialogue.Voice {
	v := &voice{Vendor: vendor}
	v.ctx, v.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return v
}

// Speak implements dialogue.Voice.
func (v *voice) Speak(ctx context.Context) (dialogue.Utterance, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ctx.Err() != nil {
		return nil, errVoiceClosed
	}
	u := &speech{voice: v, caller: ctx, audio: make(chan dialogue.Speech), done: make(chan struct{}), changed: make(chan struct{}, 1)}
	u.ctx, u.cancel = context.WithCancel(ctx)
	stop := context.AfterFunc(v.ctx, u.cancel)
	v.work.Go(func() {
		defer stop()
		u.run()
	})
	return u, nil
}

// Close implements dialogue.Voice.
func (v *voice) Close() error {
	v.mu.Lock()
	v.cancel()
	v.mu.Unlock()
	v.work.Wait()
	return nil
}
