package offline

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/internal/dialogue"
)

// offGrammar are sentences that the grammar lacks.
var offGrammar = []string{
	"what is the capital of france", "can you tell me about insurance", "my name is peter",
	"the quick brown fox jumps over the lazy dog", "please send an email to my brother",
	"i would like to return my new shoes", "he lives in a small town near the river",
}

func TestOpenModelHearsWhatTheGrammarLacks(t *testing.T) {
	r, s := sharedRecognizer(t), newSynthesizer(t)
	voices := []string{"slt", "rms"}
	calls := []dialogue.Recognition{recognize(t, r), recognize(t, r)}
	words, wrong := 0, 0
	for i, said := range offGrammar {
		voice := i % len(voices)
		got := transcribe(t, calls[voice], speech(t, s, voices[voice], said))
		words += len(strings.Fields(said))
		wrong += wordErrors(said, got.Text)
		t.Logf("%s said %q, heard %q", voices[voice], said, got.Text)
		if got.EndOfTurn {
			t.Errorf("%q counts as a whole sentence of the grammar", got.Text)
		}
	}
	accuracy := 1 - float64(wrong)/float64(words)
	t.Logf("%.1f %% of %d words", 100*accuracy, words)
	if accuracy < 0.75 {
		t.Errorf("only %.1f %% of the words are right", 100*accuracy)
	}
}

// A slow process, here one that is stopped while the caller speaks, loses no audio from before it detects speech.
func TestSlowProcessLosesNoAudio(t *testing.T) {
	r, s := sharedRecognizer(t), newSynthesizer(t)
	const said = "what is the capital of france"
	pcm := speech(t, s, "slt", said)
	h := recognize(t, r)
	resume := pause(t, r.closed)
	frames(t, h, pcm)
	if err := h.Finalize(); err != nil {
		t.Fatal(err)
	}
	resume()
	if got, err := final(h); err != nil || got.Text != said {
		t.Errorf("said %q, heard %q, %v", said, got.Text, err)
	}
}

// A process that reads nothing, here one that is stopped, does not delay the end of a call.
func TestCloseDoesNotWaitForTheProcess(t *testing.T) {
	r := newRecognizer(t)
	h := recognize(t, r)
	pause(t, r.closed)
	frames(t, h, silence(20*time.Second)) // more than a pipe takes
	time.Sleep(200 * time.Millisecond)    // the recognition writes
	began := time.Now()
	h.Close()
	if took := time.Since(began); took > answerTimeout/2 {
		t.Errorf("Close takes %v", took)
	}
}

// The same holds for the process of the open model, which is asked about a segment that nobody needs any more.
func TestOpenModelIsAbandoned(t *testing.T) {
	r := newRecognizer(t)
	ctx, abandon := context.WithCancel(t.Context())
	f, over := newFeed(), make(chan error, 1)
	f.append(silence(20 * time.Second))
	f.end()
	go func() {
		_, err := consult(ctx, r.open, f)
		over <- err
	}()
	pause(t, r.open)
	abandon()
	select {
	case err := <-over:
		if err == nil {
			t.Error("a stopped process has answered")
		}
	case <-time.After(answerTimeout / 2):
		t.Error("it is waited for")
	}
}

// pause waits for processes of a pool and stops them until the function that it
// returns.
func pause(t *testing.T, p *pool) (resume func()) {
	t.Helper()
	var stopped []*process
	for deadline := time.Now().Add(patience); len(stopped) == 0; time.Sleep(5 * time.Millisecond) {
		p.mu.Lock()
		for process := range p.live {
			if err := process.self.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			stopped = append(stopped, process)
		}
		p.mu.Unlock()
		if time.Now().After(deadline) {
			t.Fatal("no process starts")
		}
	}
	return func() {
		for _, process := range stopped {
			if err := process.self.Signal(syscall.SIGCONT); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestNoiseAndSilenceAreNoWords(t *testing.T) {
	r := newRecognizer(t)
	for _, level := range []float64{0, 20, 100, 500, 3000} {
		h := recognize(t, r)
		if got := transcribe(t, h, noisy(silence(2*time.Second), level)); got.Text != "" || !got.Final || got.EndOfTurn {
			t.Errorf("noise of level %v: %+v", level, got)
		}
		if got := transcribe(t, h, nil); got.Text != "" {
			t.Errorf("nothing at all, after noise of level %v: %+v", level, got)
		}
	}
}

func TestPartialTranscriptsGrow(t *testing.T) {
	r, s := sharedRecognizer(t), newSynthesizer(t)
	h := recognize(t, r)
	const said = "i would like to book a table for two"
	pcm := speech(t, s, "slt", said)
	var partial []string
	for _, part := range [][]int16{pcm[:len(pcm)/2], pcm[len(pcm)/2 : len(pcm)*3/4], pcm[len(pcm)*3/4:]} {
		frames(t, h, part)
		tr := next(t, h)
		if tr.Final || !strings.HasPrefix(said, strings.Join(strings.Fields(tr.Text)[:1], "")) {
			t.Errorf("after %q: transcript %+v", partial, tr)
		}
		partial = append(partial, tr.Text)
	}
	t.Logf("%q", partial)
	if err := h.Finalize(); err != nil {
		t.Fatal(err)
	}
	if last, err := final(h); err != nil || !last.EndOfTurn || last.Text != said {
		t.Errorf("partial transcripts %q, final %+v, %v", partial, last, err)
	}
}

func TestNumbersMayGoOn(t *testing.T) {
	r, s := sharedRecognizer(t), newSynthesizer(t)
	h := recognize(t, r)
	for said, end := range map[string]bool{
		"my phone number is five five five one": false,
		"i would like to book a table for two":  true,
	} {
		if got := transcribe(t, h, speech(t, s, "slt", said)); got.Text != said || got.EndOfTurn != end {
			t.Errorf("said %q, got %+v", said, got)
		}
	}
}

func TestStretchesStayInOrder(t *testing.T) {
	r, s := sharedRecognizer(t), newSynthesizer(t)
	h := recognize(t, r)
	said := []string{"what is the capital of france", "hello", "my name is peter", "yes that is correct"}
	for _, text := range said {
		frames(t, h, speech(t, s, "rms", text))
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
	r, s := sharedRecognizer(t), newSynthesizer(t)
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
				if got, err := transcript(h, pcm[i]); err != nil || got.Text != text {
					t.Errorf("%s said %q, heard %q, %v", voice, text, got.Text, err)
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
		frames(t, h, pcm[:len(pcm)/2])
		if got := next(t, h); got.Final {
			t.Errorf("in the middle of round %d: %+v", round, got)
		}
		for _, pid := range children(t) {
			kill(t, pid)
		}
		if got := transcribe(t, h, pcm[len(pcm)/2:]); got.Text != said {
			t.Errorf("killed in the middle of round %d: heard %q", round, got.Text)
		}
	}
	frames(t, h, pcm)
	for _, pid := range children(t) {
		kill(t, pid)
	}
	h.Finalize()
	if got, err := final(h); err != nil || got.Text != said {
		t.Errorf("killed before Finalize: heard %q, %v", got.Text, err)
	}
}

func TestOpenModelOutlivesItsProcess(t *testing.T) {
	r, s := sharedRecognizer(t), newSynthesizer(t)
	const said = "my name is peter"
	pcm := speech(t, s, "slt", said)
	h := recognize(t, r)
	if got := transcribe(t, h, pcm); got.Text != said {
		t.Errorf("said %q, heard %q", said, got.Text)
	}
	for p := range r.open.live {
		p.self.Kill()
		<-p.ended
	}
	if got := transcribe(t, h, pcm); got.Text != said {
		t.Errorf("after a death: said %q, heard %q", said, got.Text)
	}
}

func TestEndlessSpeechIsCut(t *testing.T) {
	r, s := sharedRecognizer(t), newSynthesizer(t)
	h := recognize(t, r)
	pcm := speech(t, s, "slt", strings.Repeat("yes that is correct. ", 20))
	for len(pcm) < longestStretch+dialogue.ListenRate {
		pcm = append(pcm, pcm...)
	}
	frames(t, h, pcm[:longestStretch+dialogue.ListenRate])
	if got, err := final(h); err != nil || !strings.Contains(got.Text, "yes") {
		t.Errorf("heard %q, %v", got.Text, err)
	}
	h.Close()
}

func TestEndlessNoiseIsNoNews(t *testing.T) {
	r, s := sharedRecognizer(t), newSynthesizer(t)
	h := recognize(t, r)
	noise := noisy(silence(2*time.Second), 1000)
	for range longestStretch * 3 / 2 / len(noise) {
		frames(t, h, noise)
	}
	if err := h.Finalize(); err != nil {
		t.Fatal(err)
	}
	if got, err := final(h); err != nil || got.Text != "" {
		t.Errorf("heard %+v, %v", got, err)
	}
	if got := transcribe(t, h, speech(t, s, "slt", "hello")); got.Text != "hello" {
		t.Errorf("after the one transcript of the noise: %+v", got)
	}
}

func TestClosedRecognitionLeavesNothing(t *testing.T) {
	r := newRecognizer(t)
	h := recognize(t, r)
	frames(t, h, silence(100*time.Millisecond))
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
