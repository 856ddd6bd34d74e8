package offline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

const (
	// preroll is the audio kept before speech, in samples: pocketsphinx finds
	// speech some 250 ms after it began.
	preroll = dialogue.ListenRate * 6 / 10
	// longestStretch limits a segment without Finalize.
	longestStretch = dialogue.ListenRate * 30
	// longestBacklog is the backlog above which a recognition counts as stuck.
	longestBacklog = dialogue.ListenRate * 60
	// tries is how many processes may crash on one segment before it is skipped, and in a row before the
	// recognition fails.
	tries = 3
)

// recognition is the recognition of one call. A single goroutine owns the unmarked fields. Processes are
// replaceable: the audio of every segment without a result is kept and replayed to the next process.
type recognition struct {
	recognizer *Recognizer
	ctx        context.Context
	cancel     context.CancelFunc
	used       dialogue.UsageFunc
	inbox      *feed // from any goroutine

	segments []*segment // oldest first; the last one is being spoken
	opinions chan opinion
	outbox   []dialogue.Transcript

	transcripts chan dialogue.Transcript
	done        chan struct{}
	byClose     atomic.Bool
	err         error // read after done
	workers     sync.WaitGroup
}

// segment is the speech between two calls of Finalize.
type segment struct {
	audio     []int16
	spoken    bool // pocketsphinx found speech in it
	ended     bool // by Finalize, or because it was too long
	cut       bool // too long
	asked     bool // the current process was asked to finish it
	tries     int
	closed    hypothesis
	evaluated bool // closed is its result
	verdict   *dialogue.Transcript

	heard     int      // samples written to it
	start     int      // samples that the current process was not sent: silence
	before    *segment // an incomplete sentence that this one may continue
	delivered string   // transcript of that sentence, if continued
	whole     string   // complete text; the verdict omits delivered

	// The open model's result, once requested.
	second       *feed
	cancelSecond context.CancelFunc
	early        *opinion // it arrived before the grammar's result
}

type opinion struct {
	of  *segment
	got hypothesis
	err error
}

type event struct {
	frame frame
	err   error
}

func (r *recognition) Write(pcm []int16) error {
	select {
	case <-r.done:
		return r.over()
	default:
	}
	if r.inbox.append(pcm) > longestBacklog {
		return dialogue.NewError("offline recogniser: a minute of audio waits to be heard")
	}
	r.used.Report(dialogue.SpeechUsage{Audio: audio.Duration(len(pcm), dialogue.ListenRate)})
	return nil
}

func (r *recognition) Finalize() error {
	select {
	case <-r.done:
		return r.over()
	default:
	}
	r.inbox.end()
	return nil
}

func (r *recognition) over() error {
	if r.err != nil {
		return r.err
	}
	return errClosed
}

func (r *recognition) Transcripts() <-chan dialogue.Transcript { return r.transcripts }

func (r *recognition) Err() error {
	<-r.done
	return r.err
}

func (r *recognition) Close() error {
	r.byClose.Store(true)
	r.cancel()
	<-r.done
	return nil
}

// run recognises with one process after the other until the stream ends.
func (r *recognition) run() {
	defer close(r.done)
	defer close(r.transcripts)
	defer r.workers.Wait()
	defer r.cancel()
	for failed := 0; ; {
		began := time.Now()
		heard, err := r.useProcess()
		switch {
		case r.byClose.Load():
			return
		case r.ctx.Err() != nil:
			r.err = r.ctx.Err()
			return
		case heard || time.Since(began) > answerTimeout:
			failed = 0
		}
		if failed++; failed >= tries || errors.Is(err, errClosed) {
			r.err = fmt.Errorf("offline recogniser: %w", err)
			return
		}
	}
}

// useProcess recognises with one process until it fails, and reports whether it produced anything.
func (r *recognition) useProcess() (heard bool, err error) {
	pool := r.recognizer.closed
	p, err := pool.get(r.ctx)
	if err != nil {
		return false, err
	}
	pool.warm()
	events, stop := make(chan event, 16), make(chan struct{})
	defer pool.discard(p)
	defer close(stop)
	ignore := context.AfterFunc(r.ctx, p.kill) // it may be decoding, and then reads nothing more
	defer ignore()
	r.workers.Go(func() {
		for {
			f, err := p.receive()
			select {
			case events <- event{f, err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	})
	if err := r.replay(p); err != nil {
		return false, err
	}
	for {
		var out chan<- dialogue.Transcript
		var next dialogue.Transcript
		if len(r.outbox) > 0 {
			out, next = r.transcripts, r.outbox[0]
		}
		select {
		case <-r.ctx.Done():
			return heard, r.ctx.Err()
		case out <- next:
			r.outbox = r.outbox[1:]
		case <-r.inbox.wake:
			items := r.inbox.drain()
			for i, item := range items {
				if err := r.sendItem(p, item); err != nil {
					r.inbox.putBack(items[i+1:])
					return heard, err
				}
			}
		case o := <-r.opinions:
			r.handleOpinion(o)
		case e := <-events:
			if e.err == nil {
				e.err = r.handleFrame(p, e.frame)
			}
			if e.err != nil {
				return heard, e.err
			}
			heard = true
		}
	}
}

// replay sends a new process the segments without results.
func (r *recognition) replay(p *process) error {
	for _, s := range r.segments {
		if s.evaluated {
			continue
		}
		if s.tries++; s.tries > tries {
			s.audio = nil // it crashes every process
		}
		s.asked = false
		s.start = s.heard - len(s.audio)
		if err := sendAudio(p, s.audio); err != nil {
			return err
		}
		if s.ended {
			if err := r.requestResult(p, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *recognition) current() *segment { return r.segments[len(r.segments)-1] }

// sendItem sends audio, or the end of a segment, to the process, after storing it for replay.
func (r *recognition) sendItem(p *process, item feedItem) error {
	s := r.current()
	if item.pcm == nil {
		s.ended = true
		r.segments = append(r.segments, &segment{})
		if s.second != nil {
			s.second.end()
		}
		return r.requestResult(p, s)
	}
	s.heard += len(item.pcm)
	s.audio = append(s.audio, item.pcm...)
	if s.second != nil {
		s.second.append(item.pcm)
	}
	if err := sendAudio(p, item.pcm); err != nil {
		return err
	}
	if len(s.audio) >= longestStretch {
		s.cut = true
		return r.sendItem(p, feedItem{})
	}
	return nil
}

// requestResult asks the process for a segment's result, with a deadline.
func (r *recognition) requestResult(p *process, s *segment) error {
	s.asked = true
	p.out.SetReadDeadline(time.Now().Add(answerTimeout))
	return p.send('F', nil)
}

// handleFrame handles a frame of the process. Frames refer to the oldest segment without a result.
func (r *recognition) handleFrame(p *process, f frame) error {
	i := slices.IndexFunc(r.segments, func(s *segment) bool { return !s.evaluated })
	s := r.segments[i]
	switch f.kind {
	case 'S', 'V':
		position, err := parsePosition(f.payload)
		if err != nil {
			return err
		}
		if f.kind == 'V' {
			s.spoken = true
			return r.continueSegment(p, s, s.start+position)
		}
		if !s.spoken {
			s.dropSilence(s.start + position)
		}
	case 'P':
		h, err := parseHypothesis(f.payload)
		if err != nil {
			return err
		}
		if h.doubtful() {
			r.startOpenModel(s)
		}
		if text := s.news(h.text); text != "" && h.score > scoreCertain && s == r.current() && len(r.segments) == 1 {
			r.outbox = append(dropPartial(r.outbox), dialogue.Transcript{Text: text})
		}
	case 'T':
		h, err := parseHypothesis(f.payload)
		if err != nil {
			return err
		}
		s.closed, s.evaluated = h, true
		if next := r.segments[i+1]; !next.asked {
			p.out.SetReadDeadline(time.Time{})
			if h.fragment() && !s.cut {
				next.before = s
			}
		}
		r.evaluate(s)
	}
	return nil
}

// dropSilence drops audio without speech: the first samples of the segment, except preroll.
func (s *segment) dropSilence(silent int) {
	first := s.heard - len(s.audio) // position of the audio's start within the segment
	if n := silent - preroll - first; n > preroll {
		s.audio = append(s.audio[:0], s.audio[n:]...)
	}
}

// evaluate decides a segment by the grammar's result, or requests the open model's.
func (r *recognition) evaluate(s *segment) {
	switch {
	case s.closed.certain():
		r.settle(s, s.closed.text, true)
	case s.closed.frames == 0:
		r.settle(s, "", false)
	case s.early != nil:
		r.handleOpinion(*s.early)
	default:
		r.startOpenModel(s)
	}
}

// startOpenModel starts the open model on a segment, from its start.
func (r *recognition) startOpenModel(s *segment) {
	if s.second != nil {
		return
	}
	ctx, cancel := context.WithCancel(r.ctx)
	f := newFeed()
	s.second, s.cancelSecond = f, cancel
	f.append(s.audio)
	if s.ended {
		f.end()
	}
	r.workers.Go(func() {
		h, err := consult(ctx, r.recognizer.open, f)
		select {
		case r.opinions <- opinion{s, h, err}:
		case <-ctx.Done():
		}
	})
}

// weight handles the open model's result. After a crash it is requested again.
func (r *recognition) handleOpinion(o opinion) {
	s := o.of
	s.cancelSecond()
	if s.verdict != nil {
		return // it was settled meanwhile
	}
	if !s.evaluated {
		s.early = &o
		return
	}
	if o.err != nil {
		if s.tries++; s.tries < tries {
			s.second = nil
			r.startOpenModel(s)
			return
		}
		// The grammar's result is better than none when it is a near one.
		if s.closed.complete && s.closed.score > scoreDoubt {
			r.settle(s, s.closed.text, true)
		} else {
			r.settle(s, "", false)
		}
		return
	}
	text, sentence := settle(s.closed, o.got)
	r.settle(s, text, sentence)
}

// settle sets a segment's final transcript; transcripts are delivered in order.
func (r *recognition) settle(s *segment, text string, sentence bool) {
	if s.second != nil {
		s.cancelSecond()
	}
	if !s.closed.fragment() {
		s.audio = nil
	}
	s.whole = text
	s.verdict = &dialogue.Transcript{Text: s.news(text), Final: true, EndOfTurn: sentence && !countingOn(text)}
	for len(r.segments) > 1 && r.segments[0].verdict != nil {
		// A truncated segment was not requested: noise in it is not reported.
		if oldest := r.segments[0]; !oldest.cut || oldest.verdict.Text != "" {
			r.outbox = append(dropPartial(r.outbox), *oldest.verdict)
		}
		r.segments = r.segments[1:]
	}
}

// dropPartial removes an unread partial transcript.
func dropPartial(outbox []dialogue.Transcript) []dialogue.Transcript {
	if n := len(outbox); n > 0 && !outbox[n-1].Final {
		return outbox[:n-1]
	}
	return outbox
}

// countingOn reports whether a sentence may continue with further digits, as a number that is being read out.
func countingOn(text string) bool {
	words := strings.Fields(text)
	return len(words) > 2 && slices.Contains(digits, words[len(words)-1]) && slices.Contains(digits, words[len(words)-2]) ||
		strings.Contains(text, "number is")
}

var digits = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
