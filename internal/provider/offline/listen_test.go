package offline

import (
	"strings"
	"testing"
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

func TestRecognizerHearsTheDemoInNoise(t *testing.T) {
	const noise = 100 // RMS; speech has about 2,000
	r, s := sharedRecognizer(t), newSynthesizer(t)
	h := recognize(t, r)
	words, wrong := 0, 0
	for i := 0; i < len(phrases); i += 3 {
		said := phrases[i]
		got := transcribe(t, h, noisy(speech(t, s, "slt", said), noise))
		words += len(strings.Fields(said))
		wrong += wordErrors(said, got.Text)
		if got.Text != said {
			t.Logf("said %q, heard %q", said, got.Text)
		}
	}
	accuracy := 1 - float64(wrong)/float64(words)
	t.Logf("%.1f %% of %d words", 100*accuracy, words)
	if accuracy < 0.9 {
		t.Errorf("only %.1f %% of the words are right, want 90 %%", 100*accuracy)
	}
}
