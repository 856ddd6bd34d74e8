package offline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

func openVoice(t *testing.T, s *Synthesizer, o dialogue.VoiceOptions) dialogue.Voice {
	t.Helper()
	v, err := s.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// spoken is what an utterance gave.
type spoken struct {
	pcm   []int16
	texts []string
	words []dialogue.Word
	err   error
}

func listenTo(u dialogue.Utterance) spoken {
	var s spoken
	for piece := range u.Audio() {
		s.pcm = append(s.pcm, piece.PCM...)
		s.words = append(s.words, piece.Words...)
		if piece.Text != "" {
			s.texts = append(s.texts, piece.Text)
		}
	}
	s.err = u.Err()
	return s
}

func speak(ctx context.Context, t *testing.T, v dialogue.Voice, texts ...string) dialogue.Utterance {
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
	if err := u.End(); err != nil {
		t.Fatal(err)
	}
	return u
}

// withSilence is speech at ListenRate with silence before and after.
func withSilence(pcm []int16) []int16 {
	down := audio.NewResampler(dialogue.SpeakRate, dialogue.ListenRate)
	pcm = append(silence(300*time.Millisecond), down.Flush(down.Process(pcm, nil))...)
	return append(pcm, silence(300*time.Millisecond)...)
}

// transcribed recognises a recording with the open model.
func transcribed(t *testing.T, pcm []int16) string {
	t.Helper()
	if sharedOpen == nil {
		model, err := recognizerModel()
		if err != nil {
			t.Fatal(err)
		}
		if sharedOpen, err = startOpen(model); err != nil {
			t.Fatal(err)
		}
	}
	if err := sendAudio(sharedOpen, withSilence(pcm)); err != nil {
		t.Fatal(err)
	}
	h, err := finish(sharedOpen)
	if err != nil {
		t.Fatal(err)
	}
	return h.text
}

func TestVoicesAreUnderstood(t *testing.T) {
	s := newSynthesizer(t)
	const said = "we are open from nine to five on monday"
	for _, name := range Voices {
		v := openVoice(t, s, dialogue.VoiceOptions{VoiceID: name})
		got := listenTo(speak(t.Context(), t, v, said+"."))
		if got.err != nil {
			t.Fatal(got.err)
		}
		heard := transcribed(t, got.pcm)
		t.Logf("%s: heard %q", name, heard)
		if wrong := wordErrors(said, heard); wrong > 2 {
			t.Errorf("%s said %q and was heard as %q", name, said, heard)
		}
		if lead := leadingSilence(got.pcm); lead > 30*time.Millisecond {
			t.Errorf("%s begins with %v of silence", name, lead)
		}
	}
}

func leadingSilence(pcm []int16) time.Duration {
	i := slices.IndexFunc(pcm, func(s int16) bool { return s > onset || s < -onset })
	return time.Duration(i) * time.Second / dialogue.SpeakRate
}

func TestSpeechTellsItsTexts(t *testing.T) {
	v := openVoice(t, newSynthesizer(t), dialogue.VoiceOptions{})
	texts := []string{"First sentence.", "…", "Naïve “quotes” and 20 € – all of it.", strings.Repeat("A long text goes on. ", 60)}
	got := listenTo(speak(t.Context(), t, v, texts...))
	if got.err != nil || !slices.Equal(got.texts, texts) {
		t.Errorf("heard texts %q, error %v", got.texts, got.err)
	}
	if min := 60 * dialogue.SpeakRate; len(got.pcm) < min {
		t.Errorf("%d samples are too few for all of it", len(got.pcm))
	}
	if got := listenTo(speak(t.Context(), t, v)); got.err != nil || len(got.pcm) > 0 {
		t.Errorf("an utterance without text gave %d samples, error %v", len(got.pcm), got.err)
	}
}

func TestWordTimesFitTheSpeech(t *testing.T) {
	s := newSynthesizer(t)
	for _, name := range Voices {
		v := openVoice(t, s, dialogue.VoiceOptions{VoiceID: name, Speed: 0.8})
		got := listenTo(speak(t.Context(), t, v, "Hello there, my friend. You owe me $20!", "Goodbye."))
		var said []string
		var last time.Duration
		for _, w := range got.words {
			said = append(said, w.Text)
			if w.Start < last || w.End <= w.Start {
				t.Errorf("%s: %q from %v to %v, the word before until %v", name, w.Text, w.Start, w.End, last)
			}
			last = w.End
		}
		if want := "Hello there my friend You owe me $20 Goodbye"; strings.Join(said, " ") != want {
			t.Errorf("%s: words %q", name, said)
		}
		// Some silence follows the last word.
		length := time.Duration(len(got.pcm)) * time.Second / dialogue.SpeakRate
		if last > length || last < length-600*time.Millisecond {
			t.Errorf("%s: the last word ends at %v of %v", name, last, length)
		}
		end := func(w int) []int16 { return got.pcm[:int(got.words[w].End.Seconds()*dialogue.SpeakRate)] }
		if name != "slt" && name != "kal" { // two suffice: the times are made alike
			continue
		}
		if heard := transcribed(t, end(3)); !strings.HasSuffix(heard, "friend") {
			t.Errorf("%s: up to the word friend one hears %q", name, heard)
		}
	}
}

func TestSpeedStretchesSpeech(t *testing.T) {
	s := newSynthesizer(t)
	length := map[float64]int{}
	for _, speed := range []float64{0, 0.5, 2} {
		v := openVoice(t, s, dialogue.VoiceOptions{VoiceID: "slt", Speed: speed})
		length[speed] = len(listenTo(speak(t.Context(), t, v, "I would like to book a table for two.")).pcm)
	}
	for speed, want := range map[float64]float64{0.5: 2, 2: 0.5} {
		if got := float64(length[speed]) / float64(length[0]); got < 0.8*want || got > 1.2*want {
			t.Errorf("at speed %v speech is %.2f times as long, want about %v", speed, got, want)
		}
	}
}

func TestUnknownVoiceIsRefused(t *testing.T) {
	s := newSynthesizer(t)
	for _, o := range []dialogue.VoiceOptions{{VoiceID: "../rms"}, {Language: "de-DE"}} {
		if _, err := s.Open(t.Context(), o); err == nil {
			t.Errorf("%+v was opened", o)
		}
	}
}

func TestCancelSilencesAtOnce(t *testing.T) {
	v := openVoice(t, newSynthesizer(t), dialogue.VoiceOptions{VoiceID: "slt"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	u := speak(ctx, t, v, strings.Repeat("This goes on and on and on. ", 200))
	<-u.Audio()
	cancel()
	pieces := 0
	for range u.Audio() {
		pieces++
	}
	if pieces > 1 { // one may have been offered already
		t.Errorf("%d pieces of speech come after it was cancelled", pieces)
	}
	if err := u.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("Err() = %v", err)
	}
	if u.Say("more") == nil {
		t.Error("a cancelled utterance takes more text")
	}
	if got := listenTo(speak(t.Context(), t, v, "And again.")); got.err != nil || len(got.pcm) == 0 {
		t.Errorf("the next utterance: %d samples, error %v", len(got.pcm), got.err)
	}
}

func TestCallsSpeakSideBySide(t *testing.T) {
	s := newSynthesizer(t)
	var all sync.WaitGroup
	for range 12 {
		v := openVoice(t, s, dialogue.VoiceOptions{VoiceID: "slt"})
		all.Go(func() {
			for range 3 {
				u, err := v.Speak(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				u.Say("All calls speak at the same time.")
				u.End()
				if got := listenTo(u); got.err != nil || len(got.pcm) < dialogue.SpeakRate {
					t.Errorf("%d samples, error %v", len(got.pcm), got.err)
				}
			}
		})
	}
	all.Wait()
	// One more may have been started to be ready.
	if n := len(children(t)); n > cap(s.pools["slt"].slots)+1 {
		t.Errorf("%d processes for 12 calls", n)
	}
}

func TestVoiceOutlivesItsProcess(t *testing.T) {
	s := newSynthesizer(t)
	v := openVoice(t, s, dialogue.VoiceOptions{VoiceID: "slt"})
	listenTo(speak(t.Context(), t, v, "One."))
	for _, pid := range children(t) {
		kill(t, pid) // idle
		for !gone(pid) {
			time.Sleep(time.Millisecond)
		}
	}
	if got := listenTo(speak(t.Context(), t, v, "Two.")); got.err != nil || len(got.pcm) == 0 {
		t.Fatalf("after the death of an idle process: %d samples, error %v", len(got.pcm), got.err)
	}
	u := speak(t.Context(), t, v, strings.Repeat("This goes on and on, and it will not come to its end. ", 300))
	<-u.Audio()
	for _, pid := range children(t) {
		kill(t, pid)
	}
	if got := listenTo(u); got.err == nil {
		t.Error("an utterance whose process was killed ended without an error")
	}
	if got := listenTo(speak(t.Context(), t, v, "Three.")); got.err != nil || len(got.pcm) == 0 {
		t.Errorf("after the death of a busy process: %d samples, error %v", len(got.pcm), got.err)
	}
}

func TestClosedSynthesizerLeavesNothing(t *testing.T) {
	s := newSynthesizer(t)
	v := openVoice(t, s, dialogue.VoiceOptions{})
	u := speak(t.Context(), t, v, strings.Repeat("This goes on. ", 100))
	<-u.Audio()
	for range 2 {
		v.Close()
		s.Close()
	}
	if got := listenTo(u); got.err == nil {
		t.Error("an utterance outlived its voice without an error")
	}
	if _, err := v.Speak(t.Context()); err == nil {
		t.Error("a closed voice speaks")
	}
	if c := children(t); len(c) > 0 {
		t.Errorf("processes are left: %v", c)
	}
}
