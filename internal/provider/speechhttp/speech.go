package speechhttp

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

// maxWaiting limits the speech that waits for its reader, in samples: two minutes.
const maxWaiting = 2 * 60 * dialogue.SpeakRate

var (
	errSpeechEnded = dialogue.NewError("the utterance has ended")
	errNoAudio     = dialogue.NewError("no audio was received for the text")
	errOverflow    = dialogue.NewError("audio is read more slowly than it is synthesized")
)

// speech is a dialogue.Utterance. Its texts are requested one after the other, ahead of the reader.
type speech struct {
	voice  *voice
	caller context.Context
	ctx    context.Context // the caller's, until the synthesizer is closed or the speech fails
	cancel context.CancelFunc

	audio   chan dialogue.Speech
	done    chan struct{}
	changed chan struct{}

	mu       sync.Mutex
	texts    []string // to be spoken
	unspoken string   // text without letters or digits, part of the next text's transcript
	ended    bool
	queue    []dialogue.Speech
	waiting  int // samples in the queue
	made     bool
	samples  int // of the utterance so far
	err      error
}

// Say implements dialogue.Utterance.
func (u *speech) Say(text string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.stopped(); err != nil {
		return err
	}
	if u.ended {
		return errSpeechEnded
	}
	if text = strings.TrimSpace(text); text != "" {
		u.texts = append(u.texts, text)
	}
	u.signal()
	return nil
}

// End implements dialogue.Utterance.
func (u *speech) End() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		return nil
	}
	if err := u.stopped(); err != nil {
		return err
	}
	u.ended = true
	u.signal()
	return nil
}

// Audio implements dialogue.Utterance.
func (u *speech) Audio() <-chan dialogue.Speech { return u.audio }

// Err implements dialogue.Utterance.
func (u *speech) Err() error {
	<-u.done
	return u.err
}

// stopped returns why the utterance goes no further, nil if it does. The lock is held.
func (u *speech) stopped() error {
	switch {
	case u.err != nil:
		return u.err
	case u.caller.Err() != nil:
		return u.caller.Err()
	case u.voice.ctx.Err() != nil:
		return errVoiceClosed
	}
	return nil
}

func (u *speech) signal() {
	select {
	case u.changed <- struct{}{}:
	default:
	}
}

// run makes the speech and delivers it.
func (u *speech) run() {
	defer close(u.done)
	defer close(u.audio)
	defer u.cancel()
	said := make(chan struct{}, 1)
	var making sync.WaitGroup
	making.Go(func() { u.make(said) })
	defer making.Wait()
	defer u.cancel()
	for {
		u.mu.Lock()
		queue, over := u.queue, u.made
		u.queue, u.waiting = nil, 0
		u.mu.Unlock()
		for _, piece := range queue {
			select {
			case u.audio <- piece:
			case <-u.ctx.Done():
				u.finish(nil)
				return
			}
		}
		if len(queue) > 0 {
			continue
		}
		if over {
			return
		}
		select {
		case <-said:
		case <-u.ctx.Done():
			u.finish(nil)
			return
		}
	}
}

// finish records the error with which the utterance ends; without one, why it was stopped.
func (u *speech) finish(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if stopped := u.stopped(); stopped != nil {
		err = stopped
	}
	u.err = err
}

// make requests the texts and queues their speech, until all are spoken or one fails.
func (u *speech) make(said chan<- struct{}) {
	notify := func() {
		select {
		case said <- struct{}{}:
		default:
		}
	}
	defer func() {
		u.mu.Lock()
		u.made = true
		u.mu.Unlock()
		notify()
	}()
	for {
		text, spoken, more := u.next()
		if !more {
			return
		}
		if !spoken {
			u.push(dialogue.Speech{Text: text})
			notify()
			continue
		}
		if err := u.speak(text, notify); err != nil {
			u.finish(err)
			return
		}
	}
}

// next waits for the next text. spoken is false for the rest of the transcript that has nothing to speak.
func (u *speech) next() (text string, spoken, more bool) {
	for {
		u.mu.Lock()
		for len(u.texts) > 0 {
			said := u.texts[0]
			u.texts = u.texts[1:]
			u.unspoken = strings.TrimSpace(u.unspoken + " " + said)
			if strings.ContainsFunc(said, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				text, u.unspoken = u.unspoken, ""
				u.mu.Unlock()
				return text, true, true
			}
		}
		if u.ended {
			text, u.unspoken = u.unspoken, ""
			u.mu.Unlock()
			return text, false, text != ""
		}
		u.mu.Unlock()
		select {
		case <-u.changed:
		case <-u.ctx.Done():
			return "", false, false
		}
	}
}

// speak requests the speech of a text and queues it.
func (u *speech) speak(text string, notify func()) error {
	v := u.voice.Vendor
	body, err := v.Body(text)
	if err != nil {
		return err
	}
	response, err := llm.Post(u.ctx, v.Account, v.URL, v.Header, "application/json", body)
	if err == nil || u.ctx.Err() != nil { // the vendor bills what it speaks, whether or not it is played
		v.Used.Report(dialogue.SpeechUsage{Characters: utf8.RuneCountInString(text)})
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	sound, err := v.newSound(response)
	if err != nil {
		return err
	}
	defer sound.close()
	first := u.samples
	for {
		pcm, err := sound.Next()
		if len(pcm) > 0 {
			piece := dialogue.Speech{PCM: pcm}
			if u.samples == first {
				piece.Text = text
			}
			u.samples += len(pcm)
			if !u.push(piece) {
				return errOverflow
			}
			notify()
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return soundError(err)
		}
	}
	if u.samples == first {
		return errNoAudio
	}
	u.push(dialogue.Speech{Words: estimate(text, first, u.samples)})
	notify()
	return nil
}

// push adds to the queue and reports whether there was room.
func (u *speech) push(piece dialogue.Speech) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.queue = append(u.queue, piece)
	u.waiting += len(piece.PCM)
	return u.waiting <= maxWaiting
}

// estimate spreads the words of a text over its samples by their letters.
func estimate(text string, first, end int) []dialogue.Word {
	letters := len([]rune(text))
	at := func(letter int) int { return first + (end-first)*letter/letters }
	var words []dialogue.Word
	begin := -1
	for i, r := range append([]rune(text), ' ') {
		switch {
		case !unicode.IsSpace(r) && begin < 0:
			begin = i
		case unicode.IsSpace(r) && begin >= 0:
			words = append(words, dialogue.Word{
				Text: string([]rune(text)[begin:i]), Start: audio.Duration(at(begin), dialogue.SpeakRate), End: audio.Duration(at(i), dialogue.SpeakRate),
			})
			begin = -1
		}
	}
	return words
}
