package voice

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/redact"
)

// fakeRecording records what is kept and silenced, in seconds since its beginning.
type fakeRecording struct {
	begun, from time.Time
	log         []string
}

func (r *fakeRecording) Await(from time.Time) { r.from = from }

func (r *fakeRecording) Settle(silenced ...[2]time.Time) {
	if len(silenced) == 0 {
		r.log = append(r.log, fmt.Sprintf("kept from %.0f", r.from.Sub(r.begun).Seconds()))
	}
	for _, span := range silenced {
		r.log = append(r.log, fmt.Sprintf("silent %.0f–%.0f", span[0].Sub(r.begun).Seconds(), span[1].Sub(r.begun).Seconds()))
	}
}

// The caller's utterance is silenced if a value is in its words, or in them and those before; noise and other words stay.
func TestRecordingIsSilenced(t *testing.T) {
	var r *fakeRecording
	begin := func(s *scenario) {
		r = &fakeRecording{begun: time.Now()}
		s.options.Recording = r
		c := s.options.Plan.Agents["anna"]
		c.Redaction.Recordings = true
		s.options.Plan.Agents["anna"] = c
	}
	perform(t, begin, func(s *scenario) {
		s.question("when do you open")
		s.wait(3 * time.Second)
		s.say("it is 030 1234567", 2*time.Second)
		s.wait(6 * time.Second)
		s.say("", time.Second) // noise
		s.wait(4 * time.Second)
		s.say("my card is 5555 5555", time.Second)
		s.wait(4 * time.Second)
		s.say("5555 4444", time.Second)
		s.wait(4 * time.Second)
		s.say("and the last", 2*time.Second)
		s.wait(time.Second) // hangs up
	}, func(s *scenario) {
		want := []string{"kept from 2", "silent 6–9", "kept from 12", "kept from 16", "silent 20–22", "silent 24–25"}
		if diff := cmp.Diff(want, r.log); diff != "" {
			s.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Where the recogniser has the times of its words, those of the value alone are silenced; of words that are not the turn's, the whole turn.
func TestRecordedWords(t *testing.T) {
	begun := time.Unix(0, 0)
	word := func(text string, at int) recordedWord {
		return recordedWord{text, begun.Add(time.Duration(at) * time.Second), begun.Add(time.Duration(at+1) * time.Second)}
	}
	const text = "Hello, call 030 1234567, please."
	words := []recordedWord{word("Hello,", 1), word("call", 2), word("030", 3), word("1234567,", 4), word("please.", 5)}
	for name, tc := range map[string]struct {
		turn recordedTurn
		want string
	}{
		"timed":            {recordedTurn{words: words, timed: true}, "silent 3–4 silent 4–5"},
		"not timed":        {recordedTurn{words: words}, "silent 0–9"},
		"other words":      {recordedTurn{words: append([]recordedWord{word("Yes", 0)}, words...), timed: true}, "silent 0–9"},
		"words missing":    {recordedTurn{words: words[:4], timed: true}, "silent 0–9"},
		"no words":         {recordedTurn{timed: true}, "silent 0–9"},
		"a word in pieces": {recordedTurn{words: append(words[:3:3], word("123", 4), word("4567,", 4), word("please.", 5)), timed: true}, "silent 3–4 silent 4–5 silent 4–5"},
	} {
		var got []string
		for _, span := range tc.turn.silenced(text, redact.Spans("", text), begun, begun.Add(9*time.Second)) {
			got = append(got, fmt.Sprintf("silent %.0f–%.0f", span[0].Add(recordingMargin).Sub(begun).Seconds(), span[1].Add(-recordingMargin).Sub(begun).Seconds()))
		}
		if joined := strings.Join(got, " "); joined != tc.want {
			t.Errorf("%s: %s, want %s", name, joined, tc.want)
		}
	}
}
