package offline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/dialogue"
)

func TestOpenModelHearsWhatTheGrammarLacks(t *testing.T) {
	r, s := newRecognizer(t), newSynthesizer(t)
	words, wrong := 0, 0
	var waits []time.Duration
	for _, voice := range []string{"slt", "rms"} {
		h := recognize(t, r)
		for _, said := range []string{
			"what is the capital of france", "can you tell me about insurance", "my name is peter",
			"the quick brown fox jumps over the lazy dog", "please send an email to my brother",
			"i would like to return my new shoes", "he lives in a small town near the river",
		} {
			got, wait := hear(t, h, speech(t, s, voice, said), 5)
			waits = append(waits, wait)
			words += len(strings.Fields(said))
			wrong += wordErrors(said, got.Text)
			t.Logf("%s said %q, heard %q after %v", voice, said, got.Text, wait.Round(time.Millisecond))
			if got.EndOfTurn {
				t.Errorf("%q counts as a whole sentence of the grammar", got.Text)
			}
		}
		h.Close()
	}
	slices.Sort(waits)
	accuracy := 1 - float64(wrong)/float64(words)
	t.Logf("%.1f %% of %d words; final after %v p50, %v at most", 100*accuracy, words, waits[len(waits)/2], waits[len(waits)-1])
	if accuracy < 0.75 {
		t.Errorf("only %.1f %% of the words are right", 100*accuracy)
	}
}

func TestNoiseAndSilenceAreNoWords(t *testing.T) {
	r := newRecognizer(t)
	for _, level := range []float64{0, 20, 100, 500, 3000} {
		h := recognize(t, r)
		if got, _ := hear(t, h, noisy(silence(2*time.Second), level), 50); got.Text != "" || !got.Final || got.EndOfTurn {
			t.Errorf("noise of level %v: %+v", level, got)
		}
		if got, _ := hear(t, h, nil, 1); got.Text != "" {
			t.Errorf("nothing at all, after noise of level %v: %+v", level, got)
		}
	}
}

func TestPartialTranscriptsGrow(t *testing.T) {
	r, s := newRecognizer(t), newSynthesizer(t)
	h := recognize(t, r)
	const said = "i would like to book a table for two"
	pcm := speech(t, s, "slt", said)
	go func() {
		if write(h, pcm, 1) == nil {
			h.Finalize()
		}
	}()
	var partial []string
	var last dialogue.Transcript
	for last = range h.Transcripts() {
		if last.Final {
			break
		}
		partial = append(partial, last.Text)
	}
	t.Logf("%q", partial)
	if len(partial) < 3 || !last.EndOfTurn || last.Text != said {
		t.Errorf("partial transcripts %q, final %+v", partial, last)
	}
	for _, p := range partial {
		if !strings.HasPrefix(said, strings.Join(strings.Fields(p)[:1], "")) {
			t.Errorf("partial transcript %q", p)
		}
	}
}

func TestNumbersMayGoOn(t *testing.T) {
	r, s := newRecognizer(t), newSynthesizer(t)
	h := recognize(t, r)
	for said, end := range map[string]bool{
		"my phone number is five five five one": false,
		"i would like to book a table for two":  true,
	} {
		if got, _ := hear(t, h, speech(t, s, "slt", said), 50); got.Text != said || got.EndOfTurn != end {
			t.Errorf("said %q, got %+v", said, got)
		}
	}
}

func TestStretchesStayInOrder(t *testing.T) {
	r, s := newRecognizer(t), newSynthesizer(t)
	h := recognize(t, r)
	said := []string{"what is the capital of france", "hello", "my name is peter", "yes that is correct"}
	for _, text := range said {
		frames(t, h, speech(t, s, "rms", text), 100)
		if err := h.Finalize(); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range said {
		if got, err := final(h); err != nil || wordErrors(text, got.Text) > len(strings.Fields(text))/2 {
			t.Errorf("said %q, got %q, %v", text, got.Text, err)
		}
	}
}

func TestFourCallsAtOnce(t *testing.T) {
	r, s := newRecognizer(t), newSynthesizer(t)
	var all sync.WaitGroup
	for _, voice := range Voices {
		h := recognize(t, r)
		var pcm [][]int16
		said := []string{"what are your opening hours", "yes that is correct"}
		for _, text := range said {
			pcm = append(pcm, speech(t, s, voice, text))
		}
		all.Go(func() {
			for i, text := range said {
				if got, wait, err := transcript(h, pcm[i], 1); err != nil || got.Text != text {
					t.Errorf("%s said %q, heard %q, %v", voice, text, got.Text, err)
				} else if wait > 500*time.Millisecond {
					t.Errorf("%s waited %v", voice, wait)
				}
			}
		})
	}
	all.Wait()
}

func TestRecognitionOutlivesItsProcess(t *testing.T) {
	r, s := newRecognizer(t), newSynthesizer(t)
	const said = "i would like to book a table for two"
	pcm := speech(t, s, "slt", said)
	s.Close()
	h := recognize(t, r)
	for round := range 4 {
		frames(t, h, pcm[:len(pcm)/2], 20)
		victims := children(t)
		if len(victims) == 0 {
			t.Fatal("no process to kill")
		}
		for _, pid := range victims {
			kill(t, pid)
		}
		got, wait := hear(t, h, pcm[len(pcm)/2:], 20)
		t.Logf("round %d: final %v after the end", round, wait.Round(time.Millisecond))
		if got.Text != said {
			t.Errorf("killed in the middle of round %d: heard %q", round, got.Text)
		}
	}
	frames(t, h, pcm, 50)
	for _, pid := range children(t) {
		kill(t, pid)
	}
	h.Finalize()
	if got, err := final(h); err != nil || got.Text != said {
		t.Errorf("killed before Finalize: heard %q, %v", got.Text, err)
	}
}

func TestOpenModelOutlivesItsProcess(t *testing.T) {
	r, s := newRecognizer(t), newSynthesizer(t)
	const said = "my name is peter"
	pcm := speech(t, s, "slt", said)
	h := recognize(t, r)
	if got, _ := hear(t, h, pcm, 20); got.Text != said {
		t.Errorf("said %q, heard %q", said, got.Text)
	}
	for p := range r.open.live {
		p.self.Kill()
		<-p.ended
	}
	if got, _ := hear(t, h, pcm, 20); got.Text != said {
		t.Errorf("after a death: said %q, heard %q", said, got.Text)
	}
}

func TestEndlessSpeechIsCut(t *testing.T) {
	r, s := newRecognizer(t), newSynthesizer(t)
	h := recognize(t, r)
	pcm := speech(t, s, "slt", strings.Repeat("yes that is correct. ", 20))
	for len(pcm) < longestStretch+dialogue.ListenRate {
		pcm = append(pcm, pcm...)
	}
	go write(h, pcm[:longestStretch+dialogue.ListenRate], 200)
	if got, err := final(h); err != nil || !strings.Contains(got.Text, "yes") {
		t.Errorf("heard %q, %v", got.Text, err)
	}
	h.Close()
}

func TestEndlessNoiseIsNoNews(t *testing.T) {
	h := recognize(t, newRecognizer(t))
	noise := noisy(silence(2*time.Second), 1000)
	for range 2 * longestStretch / len(noise) {
		frames(t, h, noise, 1000)
	}
	if err := h.Finalize(); err != nil {
		t.Fatal(err)
	}
	if got, err := final(h); err != nil || got.Text != "" {
		t.Errorf("heard %+v, %v", got, err)
	}
	select {
	case got := <-h.Transcripts():
		t.Errorf("one Finalize, and a second transcript %+v", got)
	case <-time.After(200 * time.Millisecond):
	}
}

func TestClosedRecognitionLeavesNothing(t *testing.T) {
	r := newRecognizer(t)
	h := recognize(t, r)
	frames(t, h, silence(100*time.Millisecond), 10)
	for range 2 {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := h.Err(); err != nil {
		t.Errorf("Err() = %v after Close", err)
	}
	if h.Write(silence(20*time.Millisecond)) == nil || h.Finalize() == nil {
		t.Error("a closed recognition takes audio")
	}
	if _, open := <-h.Transcripts(); open {
		t.Error("a closed recognition yields transcripts")
	}
	ctx, cancel := context.WithCancel(t.Context())
	other, err := r.Recognize(ctx, dialogue.RecognizeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := other.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("Err() = %v after the context's end", err)
	}
	third := recognize(t, r)
	for range 2 {
		r.Close()
	}
	if err := third.Err(); !errors.Is(err, errClosed) {
		t.Errorf("Err() = %v after the recogniser's Close", err)
	}
	if c := children(t); len(c) > 0 {
		t.Errorf("processes are left: %v", c)
	}
	if _, err := r.Recognize(t.Context(), dialogue.RecognizeOptions{Language: "de"}); err == nil {
		t.Error("German is recognised")
	}
}
