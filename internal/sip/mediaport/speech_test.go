package mediaport

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/offline"
)

// say returns flite's voice at 16 kHz with pauses before and after.
func say(t testing.TB, text string) []int16 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "say.wav")
	if out, err := exec.CommandContext(t.Context(), "flite", "-voice", "slt", "-t", text, "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("flite: %v %s", err, out)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pcm, err := audio.ReadWAV(f, 16000)
	if err != nil {
		t.Fatal(err)
	}
	pause := make([]int16, 6400)
	return append(append(pause, pcm...), pause...)
}

// recognize returns the words of audio.
func recognize(t testing.TB, h dialogue.Recognition, pcm []int16) string {
	t.Helper()
	for size := audio.FrameLength(16000); len(pcm) >= size; pcm = pcm[size:] {
		if err := h.Write(pcm[:size]); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Finalize(); err != nil {
		t.Fatal(err)
	}
	for limit := time.After(testLimit); ; {
		select {
		case transcript, ok := <-h.Transcripts():
			if !ok {
				t.Fatal("the recognizer ended")
			}
			if transcript.Final {
				return transcript.Text
			}
		case <-limit:
			t.Fatal("no transcript comes")
		}
	}
}

// Speech is understood over a network that loses 10 % of the packets, delays each by up to 60 ms, and brings them twice.
func TestSpeechIsUnderstoodOverABadNetwork(t *testing.T) {
	r, err := offline.NewRecognizer()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	h, err := r.Recognize(t.Context(), dialogue.RecognizeOptions{Language: "en-US"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	phrases := []string{"what are your opening hours", "i would like to book a table for two", "please transfer me to a human"}
	var words, wrong int
	for _, codec := range codecs {
		for i, phrase := range phrases {
			p := newPhone(codec, frameTime)
			packets := p.packets(t, say(t, phrase))
			if i == 0 { // the recognizer adapts to the sound of a line
				recognize(t, h, newTestReceiver(16000, p.stream).receive(slices.Clone(packets)))
			}
			packets = double(jitter(loss(packets, 0.1), 60*time.Millisecond))
			got := recognize(t, h, newTestReceiver(16000, p.stream).receive(packets))
			words += len(strings.Fields(phrase))
			if n := wrongWords(phrase, got); n > 0 {
				wrong += n
				t.Logf("%s: said %q, understood %q", codec, phrase, got)
			}
		}
	}
	t.Logf("%d of %d words are wrong", wrong, words)
	if wrong > words/5 {
		t.Errorf("%d of %d words are wrong", wrong, words)
	}
}

// wrongWords counts the words that were said and are missing.
func wrongWords(said, got string) (wrong int) {
	words := strings.Fields(got)
	for word := range strings.FieldsSeq(said) {
		if i := indexOf(words, word); i >= 0 {
			words = words[i+1:]
		} else {
			wrong++
		}
	}
	return wrong
}

func indexOf(words []string, word string) int {
	for i, w := range words {
		if w == word {
			return i
		}
	}
	return -1
}
