package recognition

import "testing"

func TestIsComplete(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "when do you open": false, "I would like to go to.": false, "I think...": false, "at five;": false,
		"When do you open?": true, "Stop! ": true, "«Où est-il ?»": true, "你们几点开门？": true, "متى تفتحون؟": true,
	} {
		if got := IsComplete(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
