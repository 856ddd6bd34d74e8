package offline

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// openings are first utterances of callers: the recogniser has not adapted to the voice.
var openings = []string{
	"what are your opening hours", "thank you very much goodbye", "i would like to book a table",
	"i want to book a table for four people", "for four people", "no thank you goodbye", "stop talking",
	"can you repeat that please", "what can you do", "hello can you hear me", "how much is a pizza",
	"where are you located", "do you have parking", "book a table for two people tomorrow evening",
	"who are you", "i would like to order a large pizza",
}

// coded is speech at SpeakRate as a call transmits it, at ListenRate: in 20 ms
// packets of Opus, with digital silence (a muted microphone's) before and after.
func coded(t testing.TB, pcm []int16) []int16 {
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
	pcm = slices.Concat(make([]int16, 25*size), pcm, make([]int16, 26*size))
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

// converse writes a caller's audio to a recognition as package voice does, with Finalize when the VAD detects silence. It
// returns the final transcripts as one.
func converse(h dialogue.Recognition, pcm []int16) (all dialogue.Transcript, err error) {
	size := audio.FrameLength(dialogue.ListenRate)
	vad := audio.NewVAD(audio.VADOptions{})
	var ends []int
	for i := 0; i+size <= len(pcm); i += size {
		if vad.Push(pcm[i:i+size]).Change == audio.Ended {
			ends = append(ends, i+size)
		}
	}
	begin := 0
	for _, end := range ends {
		got, err := transcript(h, pcm[begin:end])
		if err != nil {
			return all, err
		}
		all.Text = strings.TrimSpace(all.Text + " " + got.Text)
		all.EndOfTurn = got.EndOfTurn
		begin = end
	}
	return all, nil
}

// callers has each voice speak its phrases in a separate call, all calls at
// once, and returns how many were said, and understood to the word.
func callers(t testing.TB, says func(voice, phrase int) bool) (said, whole int) {
	r, s := sharedRecognizer(t), newSynthesizer(t)
	var mu sync.Mutex
	var all sync.WaitGroup
	for i, voice := range Voices {
		h := recognize(t, r)
		var texts []string
		var pcm [][]int16
		for j, text := range phrases {
			if says(i, j) {
				texts, pcm = append(texts, text), append(pcm, coded(t, spokenBy(t, s, voice, text)))
			}
		}
		all.Go(func() {
			defer h.Close()
			for i, text := range texts {
				got, err := converse(h, pcm[i])
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if said++; got.Text == text {
					whole++
				} else {
					t.Logf("%s said %q, heard %q", voice, text, got.Text)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return said, whole
}

// Every other phrase is said by one of the voices; BenchmarkCallers has all
// voices say all phrases.
func TestCallersAreHeardThroughOpus(t *testing.T) {
	said, whole := callers(t, func(voice, phrase int) bool { return phrase%2 == 0 && phrase/2%len(Voices) == voice })
	if said < len(phrases)/2 || whole < said-1 {
		t.Errorf("%d of %d phrases are exactly right", whole, said)
	}
}

// firstWords has each opening spoken in a separate call.
func firstWords(t testing.TB, openings []string) (whole int) {
	r, s := sharedRecognizer(t), newSynthesizer(t)
	for _, text := range openings {
		h := recognize(t, r)
		got, err := converse(h, coded(t, spokenBy(t, s, "slt", text)))
		if err != nil || got.Text != text || !got.EndOfTurn {
			t.Errorf("said %q, heard %+v, %v", text, got, err)
		} else {
			whole++
		}
		h.Close()
	}
	return whole
}

func TestFirstWordsOfACallAreHeard(t *testing.T) { firstWords(t, openings[:len(openings)/2]) }
