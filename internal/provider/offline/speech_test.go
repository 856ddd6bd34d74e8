package offline

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/leaktest"
)

func TestMain(m *testing.M) {
	if os.Getenv(mortal) != "" {
		holdProcesses()
	}
	startTimeout, answerTimeout, closeTimeout = patience, patience, patience // on a busy machine, too
	leaktest.Main(allTests{m})
}

// allTests closes the shared recogniser when the tests are over.
type allTests struct{ *testing.M }

func (a allTests) Run() int {
	defer closeShared()
	return a.M.Run()
}

// shared is the recogniser of many tests: the start of a process with the open model costs a second of a core.
var shared *Recognizer

// sharedOpen is a process with the open model, see transcribed.
var sharedOpen *process

// sharedRecognizer is a recogniser that stays open.
func sharedRecognizer(t testing.TB) *Recognizer {
	t.Helper()
	if shared == nil {
		r, err := NewRecognizer()
		if err != nil {
			t.Fatal(err)
		}
		shared = r
	}
	return shared
}

// closeShared ends the shared processes, for tests that look at
// what processes there are.
func closeShared() {
	if shared != nil {
		shared.Close()
		shared = nil
	}
	if sharedOpen != nil {
		sharedOpen.kill()
		sharedOpen = nil
	}
}

// patience is how long a test waits for what must happen.
const patience = time.Minute

// newRecognizer and newSynthesizer make the real thing, closed after the test.
func newRecognizer(t testing.TB) *Recognizer {
	t.Helper()
	r, err := NewRecognizer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func newSynthesizer(t testing.TB) *Synthesizer {
	t.Helper()
	s, err := NewSynthesizer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// spokenBefore is what spokenBy made, by voice and text.
var spokenBefore sync.Map

// spokenBy is a text spoken, at SpeakRate. It is not to be changed: each text is
// made once.
func spokenBy(t testing.TB, s *Synthesizer, voice, text string) []int16 {
	t.Helper()
	if pcm, ok := spokenBefore.Load([2]string{voice, text}); ok {
		return pcm.([]int16)
	}
	v, err := s.Open(t.Context(), dialogue.VoiceOptions{VoiceID: voice})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	u, err := v.Speak(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u.Say(text)
	u.End()
	var pcm []int16
	for s := range u.Audio() {
		pcm = append(pcm, s.PCM...)
	}
	if err := u.Err(); err != nil {
		t.Fatal(err)
	}
	spokenBefore.Store([2]string{voice, text}, pcm)
	return pcm
}

// speech is a text as clean audio of a caller: spoken, at ListenRate, with
// silence before and after.
func speech(t testing.TB, s *Synthesizer, voice, text string) []int16 {
	t.Helper()
	down := audio.NewResampler(dialogue.SpeakRate, dialogue.ListenRate)
	pcm := down.Process(spokenBy(t, s, voice, text), silence(400*time.Millisecond))
	return append(down.Flush(pcm), silence(200*time.Millisecond)...)
}

func silence(d time.Duration) []int16 {
	return make([]int16, dialogue.ListenRate*d/time.Second)
}

// noisy adds white noise of an RMS level.
func noisy(pcm []int16, level float64) []int16 {
	random := rand.New(rand.NewPCG(1, 2))
	out := make([]int16, len(pcm))
	for i, s := range pcm {
		out[i] = int16(min(max(float64(s)+random.NormFloat64()*level, -32768), 32767))
	}
	return out
}

func recognize(t testing.TB, r *Recognizer) dialogue.Recognition {
	t.Helper()
	h, err := r.Recognize(t.Context(), dialogue.RecognizeOptions{Language: "en-US"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// write writes audio in frames without pauses: the result does not depend on their timing.
func write(h dialogue.Recognition, pcm []int16) error {
	const size = dialogue.ListenRate / 50
	for ; len(pcm) >= size; pcm = pcm[size:] {
		if err := h.Write(pcm[:size]); err != nil {
			return err
		}
	}
	return nil
}

func frames(t *testing.T, h dialogue.Recognition, pcm []int16) {
	t.Helper()
	if err := write(h, pcm); err != nil {
		t.Fatal(err)
	}
}

// next waits for the next transcript.
func next(t *testing.T, h dialogue.Recognition) dialogue.Transcript {
	t.Helper()
	select {
	case tr, ok := <-h.Transcripts():
		if !ok {
			t.Fatalf("the recognition ended: %v", h.Err())
		}
		return tr
	case <-time.After(patience):
		t.Fatal("no transcript came")
	}
	return dialogue.Transcript{}
}

// final waits for the next final transcript.
func final(h dialogue.Recognition) (dialogue.Transcript, error) {
	deadline := time.After(patience)
	for {
		select {
		case tr, ok := <-h.Transcripts():
			if !ok {
				return tr, fmt.Errorf("the recognition ended: %w", h.Err())
			}
			if tr.Final {
				return tr, nil
			}
		case <-deadline:
			return dialogue.Transcript{}, errors.New("no final transcript came")
		}
	}
}

// transcript is what a recognition makes of a recording.
func transcript(h dialogue.Recognition, pcm []int16) (dialogue.Transcript, error) {
	if err := write(h, pcm); err != nil {
		return dialogue.Transcript{}, err
	}
	if err := h.Finalize(); err != nil {
		return dialogue.Transcript{}, err
	}
	return final(h)
}

// transcribe is transcript without an error.
func transcribe(t testing.TB, h dialogue.Recognition, pcm []int16) dialogue.Transcript {
	t.Helper()
	tr, err := transcript(h, pcm)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// children lists the processes that this one has started and that still run.
func children(t *testing.T) []string {
	t.Helper()
	closeShared()
	var running []string
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		list, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		if err == nil {
			running = append(running, strings.Fields(string(list))...)
		}
	}
	return running
}

// kill ends a process that this test started.
func kill(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
}
