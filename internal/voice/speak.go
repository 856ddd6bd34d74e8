package voice

import (
	"context"
	"errors"
	"time"

	"parley/internal/dialogue"
)

var errCutShort = errors.New("the audio ended before the text")

// speak has the voice speak the pieces of an answer, and reports the audio. A
// voice that fails before anything of it was made is tried again. Of a draft
// only the first piece is spoken: most of what follows would be thrown away if
// the caller goes on.
func (a *answer) speak(b brief, pieces <-chan string, parts chan<- part) {
	u := &utterance{answer: a, voice: b.voice, pieces: pieces, parts: parts}
	err := retry(a.ctx, func(error) bool { return u.made }, func() error { return guard(u.attempt) })
	if err != nil && a.ctx.Err() == nil {
		a.tell(parts, part{failure: b.problem(TTS, err)})
	}
	a.tell(parts, part{spokenAll: true})
	if err != nil {
		a.cancel() // no use in more words
	}
}

// utterance is an answer being spoken, over all attempts at it.
type utterance struct {
	*answer
	voice  dialogue.Voice
	pieces <-chan string // nil when no more comes
	parts  chan<- part
	texts  []string // taken from pieces so far
	made   bool     // audio has come
}

func (u *utterance) attempt() error {
	ctx, cancel := context.WithCancel(u.ctx)
	defer cancel()
	spoken, err := u.voice.Speak(ctx)
	if err != nil {
		return err
	}
	for _, text := range u.texts {
		if err := spoken.Say(text); err != nil {
			return err
		}
	}
	if u.pieces == nil {
		if err := spoken.End(); err != nil {
			return err
		}
	}
	stall := time.NewTimer(patience)
	defer stall.Stop()
	for {
		pieces, committed := u.pieces, u.committed
		if len(u.texts) == 0 {
			committed = nil // the first piece is spoken, draft or not
		} else if u.draftStill() {
			pieces = nil
		} else {
			committed = nil
		}
		select {
		case text, more := <-pieces:
			if err := u.pass(spoken, text, more); err != nil {
				return err
			}
		case <-committed:
		case speech, more := <-spoken.Audio():
			if !more {
				return u.over(spoken)
			}
			u.made = u.made || len(speech.PCM) > 0
			u.tell(u.parts, part{speech: &speech})
		case <-stall.C:
			if u.waits() {
				return errStalled
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		stall.Reset(patience)
	}
}

// pass hands a piece to the voice, or tells it that no more comes.
func (u *utterance) pass(spoken dialogue.Utterance, text string, more bool) error {
	if !more {
		u.pieces = nil
		return spoken.End()
	}
	if len(u.texts) == 0 {
		u.tell(u.parts, part{text: true})
	}
	u.texts = append(u.texts, text)
	return spoken.Say(text)
}

// over tells how an utterance ended whose audio did.
func (u *utterance) over(spoken dialogue.Utterance) error {
	if err := spoken.Err(); err != nil {
		return err
	}
	if u.pieces != nil {
		return errCutShort
	}
	return nil
}

// waits reports whether it is the voice's turn to do something.
func (u *utterance) waits() bool { return u.pieces == nil || len(u.texts) > 0 && !u.made }

func (a *answer) draftStill() bool {
	select {
	case <-a.committed:
		return false
	default:
		return true
	}
}
