package offline

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
	"unicode/utf8"

	"parley/internal/dialogue"
)

var errEnded = errors.New("the utterance has ended")

// utterance is the speech of one answer. One goroutine synthesises it at full speed, so that the process is free
// for others; another delivers it at the reader's pace.
type utterance struct {
	voice  *voice
	ctx    context.Context // the speaker's, ended by the voice's Close too
	caller context.Context
	cancel context.CancelFunc
	audio  chan dialogue.Speech
	done   chan struct{}
	length time.Duration // of all speech so far; used by make only

	mu     sync.Mutex
	texts  []string
	ended  bool // no more texts
	speech []dialogue.Speech
	made   bool // no more speech
	err    error
	more   chan struct{} // texts or ended changed
	ready  chan struct{} // speech or made changed
}

func newUtterance(ctx context.Context, v *voice) *utterance {
	u := &utterance{
		voice: v, caller: ctx,
		audio: make(chan dialogue.Speech),
		done:  make(chan struct{}),
		more:  make(chan struct{}, 1),
		ready: make(chan struct{}, 1),
	}
	inner, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(v.ctx, cancel)
	u.ctx, u.cancel = inner, func() { unhook(); cancel() }
	return u
}

func (u *utterance) Say(text string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended || u.ctx.Err() != nil {
		return errEnded
	}
	u.texts = append(u.texts, text)
	u.voice.used.Report(dialogue.SpeechUsage{Characters: utf8.RuneCountInString(text)})
	signal(u.more)
	return nil
}

func (u *utterance) End() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = true
	signal(u.more)
	return nil
}

func (u *utterance) Audio() <-chan dialogue.Speech { return u.audio }

func (u *utterance) Err() error {
	<-u.done
	return u.err
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// deliver delivers speech until all is delivered, or the context ends.
func (u *utterance) deliver() {
	defer close(u.done)
	defer close(u.audio)
	defer u.cancel()
	for {
		u.mu.Lock()
		speech, made, err := u.speech, u.made, u.err
		u.speech = nil
		u.mu.Unlock()
		for _, s := range speech {
			if u.ctx.Err() != nil {
				break // select chooses at random
			}
			select {
			case u.audio <- s:
			case <-u.ctx.Done():
			}
		}
		if u.ctx.Err() != nil {
			u.fail(u.stopped())
			return
		}
		if made && (len(speech) == 0 || err != nil) {
			return
		}
		if len(speech) == 0 {
			select {
			case <-u.ready:
			case <-u.ctx.Done():
			}
		}
	}
}

// stopped returns why the context ended.
func (u *utterance) stopped() error {
	if err := u.caller.Err(); err != nil {
		return err
	}
	return errClosed
}

func (u *utterance) fail(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err == nil {
		u.err = err
	}
}

// make synthesises text until there is no more.
func (u *utterance) make() {
	first := true
	for {
		text, ok := u.nextText()
		if !ok {
			break
		}
		if err := u.sayOne(text, first); err != nil {
			if u.ctx.Err() == nil {
				u.fail(fmt.Errorf("offline synthesiser: %w", err))
			}
			break
		}
		first = false
	}
	u.mu.Lock()
	u.made = true
	u.mu.Unlock()
	signal(u.ready)
}

func (u *utterance) nextText() (string, bool) {
	for {
		u.mu.Lock()
		if len(u.texts) > 0 {
			text := u.texts[0]
			u.texts = u.texts[1:]
			u.mu.Unlock()
			return text, true
		}
		ended := u.ended
		u.mu.Unlock()
		if ended {
			return "", false
		}
		select {
		case <-u.more:
		case <-u.ctx.Done():
			return "", false
		}
	}
}

// sayOne synthesises one text. If its process exits before any audio, as an idle one may, another is used.
func (u *utterance) sayOne(text string, first bool) error {
	piece := &pieces{u: u, text: text, trim: first, before: u.length}
	for _, clause := range clauses(text) {
		for attempt := 1; ; attempt++ {
			heard := piece.count
			err := u.synthesize(clause, piece)
			if err == nil {
				break
			}
			if u.ctx.Err() != nil || attempt == tries || piece.count > heard || errors.Is(err, errClosed) {
				return err
			}
		}
	}
	piece.flush()
	u.length = piece.before + piece.length()
	return nil
}

// synthesize synthesises one clause with a process of the pool.
func (u *utterance) synthesize(clause string, out *pieces) error {
	p, err := u.voice.pool.get(u.ctx)
	if err != nil {
		return err
	}
	request := binary.LittleEndian.AppendUint32(nil, math.Float32bits(u.voice.stretch))
	if err := p.send('S', append(request, clause...)); err != nil {
		u.voice.pool.discard(p)
		return err
	}
	rate := int(binary.LittleEndian.Uint32(p.ready))
	p.out.SetReadDeadline(time.Now().Add(answerTimeout))
	unhook := context.AfterFunc(u.ctx, p.kill) // the fastest way to stop it
	for {
		f, err := p.receive()
		if err != nil {
			unhook()
			u.voice.pool.discard(p)
			return err
		}
		if f.kind == 'D' {
			break
		}
		switch f.kind {
		case 'W':
			out.expect(rate, parseWords(f.payload))
		case 'A':
			out.add(rate, pcmSamples(f.payload))
		}
		p.out.SetReadDeadline(time.Now().Add(answerTimeout))
	}
	if !unhook() {
		u.voice.pool.discard(p)
		return u.ctx.Err()
	}
	p.out.SetReadDeadline(time.Time{})
	u.voice.pool.release(p)
	return nil
}
