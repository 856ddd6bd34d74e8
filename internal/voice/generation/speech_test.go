package generation

import (
	"testing"

	"parley/internal/dialogue"
	"parley/internal/voice/speechtext"
)

// The transcript has what was written of the text that a voice begins, also behind one that it left out, and behind one that it changed.
func TestTextThatBegins(t *testing.T) {
	s := &synthesis{texts: []speechtext.Text{speechtext.Whole("**One.**"), speechtext.Plain("…"), speechtext.Whole("*Three.*"), speechtext.Plain("Four.")}}
	for _, c := range []struct {
		voiced  string
		written string // "" where the voice's own text counts
		started int
	}{
		{"One.", "**One.**", 1},
		{"", "", 1},
		{"Three.", "*Three.*", 3},
		{"4", "", 4},
		{"Five.", "", 4},
	} {
		e := s.audioReceivedOf(dialogue.Speech{Text: c.voiced})
		if e.Text.Written() != c.written || (e.Speech.Text != "") != (c.written == "" && c.voiced != "") || s.textsStarted != c.started {
			t.Errorf("%q begins %q with %q, %d started", c.voiced, e.Text.Written(), e.Speech.Text, s.textsStarted)
		}
	}
}
