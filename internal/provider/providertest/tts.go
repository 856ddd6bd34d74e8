package providertest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/internal/dialogue"
	"parley/internal/leaktest"
	"parley/internal/provider/emulator"
)

// TextToSpeech is a vendor of speech synthesis.
type TextToSpeech struct {
	Serve   func(emulator.Reporter, emulator.Options) *emulator.Server
	Connect func(key, baseURL string) dialogue.Synthesizer
	// Requests: each text is a request, and no connection belongs to a voice.
	Requests bool
}

// Synthesizer runs the suite.
func Synthesizer(t *testing.T, v TextToSpeech) {
	t.Run("speaks as every voice does", v.speaks)
	t.Run("speaks several utterances over one connection", v.turns)
	t.Run("does not wait for the sound", v.slow)
	t.Run("goes on after a pause between texts", v.pauses)
	t.Run("sends no text without letters", v.punctuation)
	t.Run("cancels at the vendor", v.cancelled)
	t.Run("does not block on a reader that does not read", v.unread)
	if !v.Requests {
		t.Run("replaces an idle connection that was closed", v.idle)
	}
	t.Run("reports a dropped connection", v.drops)
	t.Run("reports garbage", func(t *testing.T) { v.temporary(t, emulator.Garbage) })
	t.Run("treats a rate limit as temporary", func(t *testing.T) { v.temporary(t, emulator.RateLimit) })
	t.Run("treats a server error as temporary", func(t *testing.T) { v.temporary(t, emulator.Broken) })
	t.Run("treats a rate limit at opening as temporary", func(t *testing.T) { v.failsToOpen(t, emulator.RateLimit) })
	t.Run("treats a server error at opening as temporary", func(t *testing.T) { v.failsToOpen(t, emulator.Broken) })
	t.Run("reports a refused key", func(t *testing.T) { v.refused(t, "the-wrong-key", ada) })
	t.Run("reports a refused voice", func(t *testing.T) { v.refused(t, key, emulator.UnknownVoice) })
	t.Run("refuses to have no voice", func(t *testing.T) { v.refused(t, key, "") })
	t.Run("reports a server that is not there", v.unreachable)
	t.Run("ends with the context though the vendor stalls", v.stalls)
}

// ada is a voice of the vendor's.
const ada = "ada"

// serve starts the vendor's emulator. After the test no goroutine may be left.
func (v TextToSpeech) serve(t *testing.T, o emulator.Options) *emulator.Server {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { leaktest.None(t, before) })
	o.Key = key
	server := v.Serve(t, o)
	t.Cleanup(server.Close)
	return server
}

// open opens a voice at the emulator.
func (v TextToSpeech) open(t *testing.T, server *emulator.Server) dialogue.Voice {
	t.Helper()
	return openVoice(t, v.Connect(key, server.URL), dialogue.VoiceOptions{VoiceID: ada, Language: "en-GB"})
}

func openVoice(t *testing.T, s dialogue.Synthesizer, o dialogue.VoiceOptions) dialogue.Voice {
	t.Helper()
	voice, err := s.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { voice.Close() })
	return voice
}

// spoken is what came of an utterance.
type spoken struct {
	pcm   []int16
	texts []string
	marks []int // sample at which each text begins
	words []dialogue.Word
	err   error
}

// add adds a piece.
func (s *spoken) add(piece dialogue.Speech) {
	if piece.Text != "" {
		s.texts = append(s.texts, piece.Text)
		s.marks = append(s.marks, len(s.pcm))
	}
	s.pcm = append(s.pcm, piece.PCM...)
	s.words = append(s.words, piece.Words...)
}

// collect reads an utterance to its end.
func collect(t *testing.T, u dialogue.Utterance) *spoken {
	t.Helper()
	s := &spoken{}
	s.listen(t, u)
	return s
}

// listen reads the rest of an utterance.
func (s *spoken) listen(t *testing.T, u dialogue.Utterance) {
	t.Helper()
	timeout := time.After(conditionTimeout)
	for {
		select {
		case piece, more := <-u.Audio():
			if !more {
				s.err = u.Err()
				return
			}
			s.add(piece)
		case <-timeout:
			t.Fatal("the utterance does not end")
		}
	}
}

// firstAudio waits for the first piece with sound.
func firstAudio(t *testing.T, u dialogue.Utterance) *spoken {
	t.Helper()
	s := &spoken{}
	timeout := time.After(conditionTimeout)
	for len(s.pcm) == 0 {
		select {
		case piece, more := <-u.Audio():
			if !more {
				t.Fatalf("no sound, but the end: %v", u.Err())
			}
			s.add(piece)
		case <-timeout:
			t.Fatal("no sound comes")
		}
	}
	return s
}

// begin has texts spoken, and more may follow.
func begin(ctx context.Context, t *testing.T, v dialogue.Voice, texts ...string) dialogue.Utterance {
	t.Helper()
	u, err := v.Speak(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if err := u.Say(text); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

// speak has texts spoken to the end.
func speak(ctx context.Context, t *testing.T, v dialogue.Voice, texts ...string) dialogue.Utterance {
	t.Helper()
	u := begin(ctx, t, v, texts...)
	_ = u.End() // fails if the utterance has failed already, with the error that collect returns
	return u
}

// whole checks that an utterance spoke the texts, that each has sound, and
// that the words of each lie where it does: a transcript is cut by them.
func (s *spoken) whole(t *testing.T, texts ...string) {
	t.Helper()
	if s.err != nil {
		t.Fatal(s.err)
	}
	if diff := cmp.Diff(texts, s.texts); diff != "" {
		t.Fatalf("texts (-said +marked):\n%s", diff)
	}
	for i, text := range texts {
		end := len(s.pcm)
		if i+1 < len(texts) {
			end = s.marks[i+1]
		}
		if s.marks[i] >= end {
			t.Errorf("%q has no sound", text)
		}
		var words []string
		for _, w := range s.words {
			if w.Start >= duration(s.marks[i]) && w.Start < duration(end) {
				words = append(words, strings.Trim(w.Text, ".,?")) // some give the punctuation too
			}
			if w.End < w.Start || w.End > duration(len(s.pcm))+10*time.Millisecond {
				t.Errorf("%q ends at %v, begins at %v, of %v", w.Text, w.End, w.Start, duration(len(s.pcm)))
			}
		}
		if diff := cmp.Diff(strings.Fields(strings.NewReplacer(".", "", ",", "", "?", "").Replace(text)), words); diff != "" {
			t.Errorf("words of %q (-said +timed):\n%s", text, diff)
		}
	}
	if !slices.IsSortedFunc(s.words, func(a, b dialogue.Word) int { return int(a.Start - b.Start) }) {
		t.Errorf("words are not in order: %v", s.words)
	}
}

// asLongAs checks that a text was spoken as it was before: with nothing of
// another's in it, for a piece of sound is longer than the 20 ms that a
// synthesiser's own chance may make.
func (s *spoken) asLongAs(t *testing.T, before *spoken) {
	t.Helper()
	if more := len(s.pcm) - len(before.pcm); max(more, -more) > dialogue.SpeakRate/50 {
		t.Errorf("%v of sound, and %v before", duration(len(s.pcm)), duration(len(before.pcm)))
	}
}

func duration(samples int) time.Duration {
	return time.Duration(samples) * time.Second / dialogue.SpeakRate
}

// Voice proves what every synthesiser keeps, whoever makes the sound.
func Voice(t *testing.T, s dialogue.Synthesizer, o dialogue.VoiceOptions) {
	for _, c := range []struct {
		name string
		test func(*testing.T, dialogue.Voice)
	}{
		{"sounds before the text has ended", soundsEarly},
		{"mixes no two utterances", mixesNothing},
		{"is silenced at once, and leaves nothing", isSilenced},
		{"has nothing to say", saysNothing},
		{"closes twice, and ends utterances", closes},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, openVoice(t, s, o)) })
	}
}

func soundsEarly(t *testing.T, v dialogue.Voice) {
	texts := []string{"Good morning, this is Parley.", "How can I help?", "Take your time."}
	u := begin(t.Context(), t, v, texts[0])
	all := firstAudio(t, u)
	for _, text := range texts[1:] {
		if err := u.Say(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := u.End(); err != nil {
		t.Fatal(err)
	}
	all.listen(t, u)
	all.whole(t, texts...)
}

func mixesNothing(t *testing.T, v dialogue.Voice) {
	const long = "The first one is a long sentence with many words."
	alone := collect(t, speak(t.Context(), t, v, long))
	first, second := speak(t.Context(), t, v, long), speak(t.Context(), t, v, "Short.")
	collect(t, second).whole(t, "Short.")
	both := collect(t, first)
	both.whole(t, long)
	both.asLongAs(t, alone)
}

func isSilenced(t *testing.T, v dialogue.Voice) {
	before := collect(t, speak(t.Context(), t, v, "And now?"))
	ctx, cancel := context.WithCancel(t.Context())
	u := begin(ctx, t, v, "This is a very long sentence that nobody wants to hear to its end, so it is interrupted.")
	firstAudio(t, u)
	cancel()
	if s := collect(t, u); !errors.Is(s.err, context.Canceled) {
		t.Errorf("error %v, want the context's", s.err)
	}
	if err := u.Say("More."); err == nil {
		t.Error("a cancelled utterance accepts text")
	}
	after := collect(t, speak(t.Context(), t, v, "And now?"))
	after.whole(t, "And now?")
	after.asLongAs(t, before)
}

func saysNothing(t *testing.T, v dialogue.Voice) {
	if s := collect(t, speak(t.Context(), t, v)); s.err != nil || len(s.pcm) > 0 {
		t.Errorf("%d samples, error %v", len(s.pcm), s.err)
	}
}

func closes(t *testing.T, v dialogue.Voice) {
	u := begin(t.Context(), t, v, "This sentence is not heard to its end.")
	firstAudio(t, u)
	for range 2 {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
	if s := collect(t, u); s.err == nil {
		t.Error("an utterance of a closed voice ends without an error")
	}
	if _, err := v.Speak(t.Context()); err == nil {
		t.Error("a closed voice speaks")
	}
}

func (v TextToSpeech) speaks(t *testing.T) {
	server := v.serve(t, emulator.Options{Delay: 20 * time.Millisecond})
	Voice(t, v.Connect(key, server.URL), dialogue.VoiceOptions{VoiceID: ada, Language: "en"})
}

func (v TextToSpeech) turns(t *testing.T) {
	server := v.serve(t, emulator.Options{})
	voice := v.open(t, server)
	for _, text := range []string{"One.", "Two.", "Three."} {
		collect(t, speak(t.Context(), t, voice, text)).whole(t, text)
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func (v TextToSpeech) slow(t *testing.T) {
	const delay = 300 * time.Millisecond
	voice := v.open(t, v.serve(t, emulator.Options{Delay: delay}))
	began := time.Now()
	u := speak(t.Context(), t, voice, "A slow one.", "And another.")
	all := firstAudio(t, u)
	if took := time.Since(began); took < delay {
		t.Errorf("sound after %v: before the vendor made it", took)
	}
	all.listen(t, u)
	all.whole(t, "A slow one.", "And another.")
}

// pauses for longer than Cartesia keeps a context.
func (v TextToSpeech) pauses(t *testing.T) {
	u := begin(t.Context(), t, v.open(t, v.serve(t, emulator.Options{})), "One moment.")
	all := firstAudio(t, u)
	over := time.After(1500 * time.Millisecond)
	for paused := false; !paused; {
		select {
		case piece := <-u.Audio():
			all.add(piece)
		case <-over:
			paused = true
		}
	}
	if err := u.Say("Here it is."); err != nil {
		t.Fatal(err)
	}
	if err := u.End(); err != nil {
		t.Fatal(err)
	}
	all.listen(t, u)
	all.whole(t, "One moment.", "Here it is.")
}

func (v TextToSpeech) punctuation(t *testing.T) {
	s := collect(t, speak(t.Context(), t, v.open(t, v.serve(t, emulator.Options{})), "…", "So.", "!"))
	if diff := cmp.Diff([]string{"… So.", "!"}, s.texts); diff != "" || s.err != nil {
		t.Errorf("%v\n%s", s.err, diff)
	}
}

// cancelled interrupts more often than a connection may hold contexts that are
// not given up.
func (v TextToSpeech) cancelled(t *testing.T) {
	server := v.serve(t, emulator.Options{})
	voice := v.open(t, server)
	for range 8 {
		released := server.Released()
		ctx, cancel := context.WithCancel(t.Context())
		firstAudio(t, begin(ctx, t, voice, "This is a sentence that somebody interrupts."))
		cancel()
		eventually(t, "a message that gives the context up", func() bool { return server.Released() > released })
	}
	collect(t, speak(t.Context(), t, voice, "At last.")).whole(t, "At last.")
}

func (v TextToSpeech) unread(t *testing.T) {
	voice := v.open(t, v.serve(t, emulator.Options{}))
	unread := speak(t.Context(), t, voice, "Nobody listens to this sentence for now.")
	collect(t, speak(t.Context(), t, voice, "But to this one.")).whole(t, "But to this one.")
	collect(t, unread).whole(t, "Nobody listens to this sentence for now.")
}

func (v TextToSpeech) idle(t *testing.T) {
	server := v.serve(t, emulator.Options{})
	voice := v.open(t, server)
	collect(t, speak(t.Context(), t, voice, "Hello.")).whole(t, "Hello.")
	server.Idle()
	eventually(t, "a new connection", func() bool { return server.Connections() == 2 })
	collect(t, speak(t.Context(), t, voice, "Still there.")).whole(t, "Still there.")
	if n := server.Connections(); n != 2 {
		t.Errorf("%d connections", n)
	}
}

func (v TextToSpeech) drops(t *testing.T) {
	server := v.serve(t, emulator.Options{})
	voice := v.open(t, server)
	server.Fail(emulator.Drop)
	s := collect(t, speak(t.Context(), t, voice, "This sentence is cut off in the middle."))
	readable(t, s.err, key)
	if errors.Is(s.err, dialogue.ErrRefused) {
		t.Errorf("counts as refused: %v", s.err)
	}
	if len(s.pcm) == 0 {
		t.Error("what came before is lost")
	}
	server.Fail(emulator.None)
	collect(t, speak(t.Context(), t, voice, "Again.")).whole(t, "Again.")
}

// passing checks a fault that fails one utterance and not the next.
func (v TextToSpeech) temporary(t *testing.T, fault emulator.Fault) {
	server := v.serve(t, emulator.Options{})
	voice := v.open(t, server)
	server.Fail(fault)
	s := collect(t, speak(t.Context(), t, voice, "This fails."))
	readable(t, s.err, key)
	if errors.Is(s.err, dialogue.ErrRefused) {
		t.Errorf("counts as refused: %v", s.err)
	}
	server.Fail(emulator.None)
	collect(t, speak(t.Context(), t, voice, "Again.")).whole(t, "Again.")
}

func (v TextToSpeech) failsToOpen(t *testing.T, fault emulator.Fault) {
	server := v.serve(t, emulator.Options{})
	server.Fail(fault)
	_, err := v.Connect(key, server.URL).Open(t.Context(), dialogue.VoiceOptions{VoiceID: ada})
	readable(t, err, key)
	if errors.Is(err, dialogue.ErrRefused) {
		t.Errorf("counts as refused: %v", err)
	}
}

// refused by the handshake or by the first answer: the vendors differ.
func (v TextToSpeech) refused(t *testing.T, key, voiceID string) {
	server := v.serve(t, emulator.Options{})
	voice, err := v.Connect(key, server.URL).Open(t.Context(), dialogue.VoiceOptions{VoiceID: voiceID})
	if err == nil {
		defer voice.Close()
		err = collect(t, speak(t.Context(), t, voice, "Hello.")).err
	}
	readable(t, err, key)
	if !errors.Is(err, dialogue.ErrRefused) {
		t.Errorf("error %v, want one that is dialogue.ErrRefused", err)
	}
}

func (v TextToSpeech) unreachable(t *testing.T) {
	server := v.serve(t, emulator.Options{})
	server.Close()
	_, err := v.Connect(key, server.URL).Open(t.Context(), dialogue.VoiceOptions{VoiceID: ada})
	readable(t, err, key)
}

func (v TextToSpeech) stalls(t *testing.T) {
	server := v.serve(t, emulator.Options{})
	voice := v.open(t, server)
	server.Fail(emulator.Stall)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if s := collect(t, speak(ctx, t, voice, "Nothing comes.")); !errors.Is(s.err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", s.err)
	}
	server.Fail(emulator.None)
	collect(t, speak(t.Context(), t, voice, "Again.")).whole(t, "Again.")
}

// readable checks that an error is one for a tenant.
func readable(t *testing.T, err error, key string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if text := err.Error(); len(text) > 300 || strings.Contains(text, key) || strings.ContainsAny(text, "\n{<") {
		t.Errorf("not a line for a tenant: %s", text)
	}
}

// eventually waits for what happens beside the test.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(conditionTimeout); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("there is not %s", what)
		}
	}
}
