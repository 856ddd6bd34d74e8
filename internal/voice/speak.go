package voice

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/voice/playout"
)

var (
	errCutShort = errors.New("the audio ended before the text")
	errNoSound  = errors.New("no audio came of the text")
)

// maxAhead is the audio from which a voice is given no more text: a long answer
// would fill the memory, and be paid for, long before it is heard, if ever.
const maxAhead = 15 * time.Second

// speaker is a voice, and what an agent chose to have it.
type speaker struct {
	dialogue.Voice
	agent.TTS
	spare bool // another one stands by
}

// muting is the news that a voice failed and another one is wanted.
type muting struct {
	seat seat
	err  error
}

// speak has the voice speak the pieces of an answer, and reports the audio. A
// voice that fails is tried again, and then another one, if the session has it:
// what was made goes on to be heard, and the new one speaks the rest. Of a
// draft only the first piece is spoken: most of what follows would be thrown
// away if the caller goes on.
func (a *answer) speak(b brief, pieces <-chan piece, parts chan<- part) {
	u := &utterance{answer: a, speaker: b.speaker, pieces: pieces, parts: parts}
	var err error
	for {
		err = retry(a.ctx, u.speaker.spare, func() error { return guard(u.attempt) })
		if err == nil && u.next() {
			continue
		}
		if err == nil || a.ctx.Err() != nil {
			break
		}
		a.tell(parts, part{mute: &muting{ttsSeat(u.speaker.TTS), err}})
		next, relieved := u.relieved()
		if !relieved {
			break
		}
		u.speaker = next
	}
	a.tell(parts, part{spokenAll: true})
	if err != nil {
		a.cancel() // no use in more words
	}
}

// relieved waits for another voice. There may be none.
func (u *utterance) relieved() (next speaker, relieved bool) {
	select {
	case next, relieved = <-u.relief:
	case <-u.ctx.Done():
	}
	return next, relieved
}

// utterance is an answer being spoken, over all attempts at it.
type utterance struct {
	*answer
	speaker speaker
	pieces  <-chan piece // nil when no more comes
	parts   chan<- part
	breath  bool     // what was taken is to be spoken to its end before more is
	spoke   bool     // a piece was taken
	texts   []string // taken from pieces so far and not known to be spoken
	begun   int      // of them, those whose audio began to come
	made    bool     // audio has come, in this attempt
}

// next begins another utterance with the piece that follows a breath. It
// reports false when there is none.
func (u *utterance) next() bool {
	if !u.breath {
		return false
	}
	u.tell(u.parts, part{breath: true})
	u.texts, u.begun, u.breath = nil, 0, false
	for {
		select {
		case p, more := <-u.pieces:
			if !more {
				return false
			}
			if p.text != "" {
				u.texts = []string{p.text}
				return true
			}
		case <-u.ctx.Done():
			return false
		}
	}
}

// resume prepares another attempt: only what was not spoken is to be.
func (u *utterance) resume() error {
	if u.begun > 0 {
		rest := make(chan []string, 1)
		u.tell(u.parts, part{rewind: rest})
		select {
		case unspoken := <-rest:
			u.texts = append(unspoken, u.texts[u.begun:]...)
		case <-u.ctx.Done():
			return u.ctx.Err()
		}
	}
	u.begun, u.made = 0, false
	return nil
}

func (u *utterance) attempt() error {
	ctx, cancel := context.WithCancel(u.ctx)
	defer cancel()
	if err := u.resume(); err != nil {
		return err
	}
	if u.pieces == nil && len(u.texts) == 0 && u.spoke {
		return nil
	}
	spoken, err := u.speaker.Speak(ctx)
	if err != nil {
		return err
	}
	for _, text := range u.texts {
		if err := spoken.Say(text); err != nil {
			return err
		}
	}
	if u.pieces == nil || u.breath {
		if err := spoken.End(); err != nil {
			return err
		}
	}
	limit := patience(u.speaker.spare)
	stall := time.NewTimer(limit)
	defer stall.Stop()
	for {
		pieces, committed := u.pieces, u.committed
		if !u.spoke {
			committed = nil // the first piece is spoken, draft or not
		} else if u.draftStill() {
			pieces = nil
		} else {
			committed = nil
		}
		if u.breath {
			pieces = nil
		}
		var room <-chan time.Time
		if ahead := u.ahead(); pieces != nil && ahead > maxAhead {
			pieces, room = nil, time.After(ahead-maxAhead)
		}
		select {
		case <-room:
		case p, more := <-pieces:
			if err := u.pass(spoken, p, more); err != nil {
				return err
			}
		case <-committed:
		case speech, more := <-spoken.Audio():
			if !more {
				return u.over(spoken)
			}
			u.made = u.made || len(speech.PCM) > 0
			if speech.Text != "" && u.begun < len(u.texts) {
				u.begun++
			}
			u.tell(u.parts, part{speech: &speech})
		case <-stall.C:
			if u.waits() {
				return stalled(limit)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		stall.Reset(limit)
	}
}

// pass hands a piece to the voice, or tells it that no more comes.
func (u *utterance) pass(spoken dialogue.Utterance, p piece, more bool) error {
	switch {
	case !more:
		u.pieces = nil
		return spoken.End()
	case p.text == "":
		u.breath = true
		return spoken.End()
	}
	if !u.spoke {
		u.tell(u.parts, part{text: true})
	}
	u.spoke = true
	u.texts = append(u.texts, p.text)
	return spoken.Say(p.text)
}

// over tells how an utterance ended whose audio did.
func (u *utterance) over(spoken dialogue.Utterance) error {
	if err := spoken.Err(); err != nil {
		return err
	}
	switch {
	case u.pieces != nil && !u.breath:
		return errCutShort
	case !u.made && slices.ContainsFunc(u.texts, func(text string) bool { return isSpeakable(text) }):
		return errNoSound
	}
	return nil
}

// ahead is how much audio was made and waits to be heard, and about how much is
// being made.
func (u *utterance) ahead() time.Duration {
	bytes := 0
	for _, text := range u.texts[u.begun:] {
		bytes += len(text)
	}
	return time.Duration(u.unheard.Load()) + playout.EstimateDuration(bytes)
}

// waits reports whether it is the voice's turn to do something.
func (u *utterance) waits() bool { return u.pieces == nil || u.breath || len(u.texts) > 0 && !u.made }

func (a *answer) draftStill() bool {
	select {
	case <-a.committed:
		return false
	default:
		return true
	}
}

// isSpeakable reports whether a text has a letter or digit to be spoken.
func isSpeakable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '\''
	})
}
