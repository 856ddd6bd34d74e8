package offline

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

func TestMain(m *testing.M) {
	if os.Getenv(mortal) != "" {
		holdProcesses()
	}
	goleak.VerifyTestMain(m)
}

// newRecognizer and newSynthesizer make the real thing, closed after the test.
func newRecognizer(t *testing.T) *Recognizer {
	t.Helper()
	r, err := NewRecognizer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func newSynthesizer(t *testing.T) *Synthesizer {
	t.Helper()
	s, err := NewSynthesizer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// spokenBy is a text spoken, at SpeakRate.
func spokenBy(t *testing.T, s *Synthesizer, voice, text string) []int16 {
	t.Helper()
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
	return pcm
}

// speech is a text as clean audio of a caller: spoken, at ListenRate, with
// silence before and after.
func speech(t *testing.T, s *Synthesizer, voice, text string) []int16 {
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

func recognize(t *testing.T, r *Recognizer) dialogue.Recognition {
	t.Helper()
	h, err := r.Recognize(t.Context(), dialogue.RecognizeOptions{Language: "en-US"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// write gives audio in frames, at a multiple of the speed of real life.
func write(h dialogue.Recognition, pcm []int16, speed int) error {
	const size = dialogue.ListenRate / 50
	for ; len(pcm) >= size; pcm = pcm[size:] {
		if err := h.Write(pcm[:size]); err != nil {
			return err
		}
		time.Sleep(dialogue.FrameDuration / time.Duration(speed))
	}
	return nil
}

func frames(t *testing.T, h dialogue.Recognition, pcm []int16, speed int) {
	t.Helper()
	if err := write(h, pcm, speed); err != nil {
		t.Fatal(err)
	}
}

// final waits for the next final transcript.
func final(h dialogue.Recognition) (dialogue.Transcript, error) {
	deadline := time.After(20 * time.Second)
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

// transcript lets a recognition hear a recording; it returns what that made of
// it, and how long after Finalize.
func transcript(h dialogue.Recognition, pcm []int16, speed int) (dialogue.Transcript, time.Duration, error) {
	if err := write(h, pcm, speed); err != nil {
		return dialogue.Transcript{}, 0, err
	}
	began := time.Now()
	if err := h.Finalize(); err != nil {
		return dialogue.Transcript{}, 0, err
	}
	tr, err := final(h)
	return tr, time.Since(began), err
}

// hear is transcript without an error.
func hear(t *testing.T, h dialogue.Recognition, pcm []int16, speed int) (dialogue.Transcript, time.Duration) {
	t.Helper()
	tr, wait, err := transcript(h, pcm, speed)
	if err != nil {
		t.Fatal(err)
	}
	return tr, wait
}

// children lists the processes that this one has started and that still run.
func children(t *testing.T) []string {
	t.Helper()
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
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
