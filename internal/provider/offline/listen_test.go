package offline

import (
	"slices"
	"strings"
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
	for _, level := range []float64{0, 60} {
		words, wrong, whole := 0, 0, 0
		var waits []time.Duration
		for _, voice := range Voices {
			h := recognize(t, r)
			for _, said := range phrases {
				got, wait := hear(t, h, noisy(speech(t, s, voice, said), level), 100)
				waits = append(waits, wait)
				words += len(strings.Fields(said))
				wrong += wordErrors(said, got.Text)
				if got.Text == said {
					whole++
				} else {
					t.Logf("%s at noise %.0f said %q, heard %q", voice, level, said, got.Text)
				}
			}
			h.Close()
		}
		slices.Sort(waits)
		accuracy := 1 - float64(wrong)/float64(words)
		t.Logf("noise %.0f: %.1f %% of %d words right, %d of %d phrases whole; final after %v p50, %v p95", level,
			100*accuracy, words, whole, len(phrases)*len(Voices), waits[len(waits)/2], waits[len(waits)*95/100])
		if accuracy < 0.95 {
			t.Errorf("only %.1f %% of the words are right", 100*accuracy)
		}
	}
}
