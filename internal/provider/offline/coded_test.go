package offline

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// openings are what a caller may begin with: heard with no call before to
// learn the voice from.
var openings = []string{
	"what are your opening hours", "thank you very much goodbye", "i would like to book a table",
	"i want to book a table for four people", "for four people", "no thank you goodbye", "stop talking",
	"can you repeat that please", "what can you do", "hello can you hear me", "how much is a pizza",
	"where are you located", "do you have parking", "book a table for two people tomorrow evening",
	"who are you", "i would like to order a large pizza",
}

// coded is speech at SpeakRate as it comes out of a call, at ListenRate: in 20 ms
// packets of Opus, with digital silence (a muted microphone's) before and after.
func coded(t *testing.T, pcm []int16) []int16 {
	t.Helper()
	encoder, err := audio.NewEncoder(dialogue.SpeakRate)
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := audio.NewDecoder(dialogue.ListenRate)
	if err != nil {
		t.Fatal(err)
	}
	size := audio.FrameLength(dialogue.SpeakRate)
	pcm = slices.Concat(make([]int16, 75*size), pcm, make([]int16, 51*size))
	packet, frame := make([]byte, audio.MaxPacket), make([]int16, audio.FrameLength(dialogue.ListenRate))
	var heard []int16
	for ; len(pcm) >= size; pcm = pcm[size:] {
		n, err := encoder.Encode(pcm[:size], packet)
		if err != nil {
			t.Fatal(err)
		}
		if n, err = decoder.Decode(packet[:n], frame); err != nil {
			t.Fatal(err)
		}
		heard = append(heard, frame[:n]...)
	}
	return heard
}

// converse lets a recognition hear a caller's audio as package voice does:
// Finalize when the VAD hears silence. It returns the finals as one transcript
// and the longest wait for one. A caller who goes on speaks in no hurry, for
// what was said before has been answered by then.
func converse(h dialogue.Recognition, pcm []int16) (all dialogue.Transcript, longest time.Duration, err error) {
	size := audio.FrameLength(dialogue.ListenRate)
	vad := audio.NewVAD(audio.VADOptions{})
	var ends []int
	for i := 0; i+size <= len(pcm); i += size {
		if vad.Push(pcm[i:i+size]).Change == audio.Ended {
			ends = append(ends, i+size)
		}
	}
	begin, speed := 0, 200
	for _, end := range ends {
		got, wait, err := transcript(h, pcm[begin:end], speed)
		if err != nil {
			return all, longest, err
		}
		all.Text = strings.TrimSpace(all.Text + " " + got.Text)
		all.EndOfTurn, longest = got.EndOfTurn, max(longest, wait)
		begin, speed = end, 4
	}
	return all, longest, nil
}

func TestCallersAreHeardThroughOpus(t *testing.T) {
	r, s := newRecognizer(t), newSynthesizer(t)
	var mu sync.Mutex
	var waits []time.Duration
	whole := 0
	var all sync.WaitGroup
	for _, voice := range Voices {
		h := recognize(t, r)
		var pcm [][]int16
		for _, text := range phrases {
			pcm = append(pcm, coded(t, spokenBy(t, s, voice, text)))
		}
		all.Go(func() {
			defer h.Close()
			for i, text := range phrases {
				got, wait, err := converse(h, pcm[i])
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if waits = append(waits, wait); got.Text == text {
					whole++
				} else {
					t.Logf("%s said %q, heard %q", voice, text, got.Text)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	slices.Sort(waits)
	share := float64(whole) / float64(len(waits))
	t.Logf("%d of %d phrases exactly (%.1f %%); final after %v p50, %v p95", whole, len(waits), 100*share,
		waits[len(waits)/2], waits[len(waits)*95/100])
	if share < 0.98 {
		t.Errorf("only %.1f %% of the phrases are exactly right, want 98 %%", 100*share)
	}
}

func TestFirstWordsOfACallAreHeard(t *testing.T) {
	r, s := newRecognizer(t), newSynthesizer(t)
	for _, text := range openings {
		h := recognize(t, r)
		got, _, err := converse(h, coded(t, spokenBy(t, s, "slt", text)))
		if err != nil || got.Text != text || !got.EndOfTurn {
			t.Errorf("said %q, heard %+v, %v", text, got, err)
		}
		h.Close()
	}
}
