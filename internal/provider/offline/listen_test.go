package offline

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// phrases are what the demo's callers say.
var phrases = []string{
	"hello", "hello can you hear me", "good morning", "good evening", "how are you today",
	"goodbye", "thank you", "thank you very much goodbye", "no thank you", "that is all thank you",
	"what time is it", "what is the weather like today", "what is your name", "who are you",
	"what are your opening hours", "when do you open", "are you open on sunday", "what is your address",
	"how much does it cost", "how much is a pizza", "do you have vegetarian food", "tell me a joke",
	"can you repeat that please", "what can you do",
	"i would like to book a table for two", "book a table for four people tomorrow evening",
	"i want to order a large pizza", "i would like to cancel my appointment", "i want to check my order",
	"please transfer me to a human", "can i speak to someone", "where is my order", "i need help with my order",
	"my order number is four two seven one", "for six people on friday", "tomorrow evening at seven o'clock",
	"my phone number is five five five one two three four", "yes", "yes that is correct", "no", "no that is wrong",
	"please speak more slowly", "please hold on", "stop", "start over from the beginning",
}

// wordErrors counts the words that must change to make one text the other.
func wordErrors(said, heard string) int {
	return distance(strings.Fields(said), strings.Fields(heard))
}

func TestRecognizerHearsTheDemo(t *testing.T) {
	r, s := newRecognizer(t), newSynthesizer(t)
	for _, c := range []struct {
		noise  float64 // RMS; speech has about 2,000
		voices []string
		floor  float64
	}{{0, Voices, 0.98}, {100, []string{"slt"}, 0.9}} {
		var mu sync.Mutex
		var words, wrong, whole int
		var waits []time.Duration
		var all sync.WaitGroup
		for _, voice := range c.voices {
			h := recognize(t, r)
			var pcm [][]int16
			for _, said := range phrases {
				pcm = append(pcm, noisy(speech(t, s, voice, said), c.noise))
			}
			all.Go(func() {
				defer h.Close()
				for i, said := range phrases {
					got, wait, err := transcript(h, pcm[i], 200)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					waits = append(waits, wait)
					words += len(strings.Fields(said))
					wrong += wordErrors(said, got.Text)
					if got.Text == said {
						whole++
					} else {
						t.Logf("%s at noise %v said %q, heard %q", voice, c.noise, said, got.Text)
					}
					mu.Unlock()
				}
			})
		}
		all.Wait()
		slices.Sort(waits)
		accuracy := 1 - float64(wrong)/float64(words)
		t.Logf("noise %v: %.1f %% of %d words, %d of %d phrases whole; final after %v p50, %v p95", c.noise,
			100*accuracy, words, whole, len(waits), waits[len(waits)/2], waits[len(waits)*95/100])
		if accuracy < c.floor {
			t.Errorf("only %.1f %% of the words are right, want %.0f %%", 100*accuracy, 100*c.floor)
		}
	}
}
