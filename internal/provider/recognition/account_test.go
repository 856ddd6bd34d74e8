package recognition

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
)

// TestAccount compares the transcripts that the conversation receives with the vendor's messages and the requests.
func TestAccount(t *testing.T) {
	type (
		step  = func(*account) (dialogue.Transcript, bool)
		words = dialogue.Transcript
	)
	receive := func(h Message) step {
		return func(a *account) (dialogue.Transcript, bool) { return a.handleMessage(h, time.Time{}) }
	}
	partial := func(text string) step { return receive(Message{Results: true, Text: text}) }
	final := func(text string) step { return receive(Message{Results: true, Text: text, Final: true}) }
	ends := func(text string) step {
		return receive(Message{Results: true, Text: text, Final: true, EndOfTurn: true})
	}
	answer := func(text string) step { return receive(Message{Results: true, Text: text, Final: true, Answer: true}) }
	speech := receive(Message{Speech: true})
	ask := func(a *account) (dialogue.Transcript, bool) { a.recordFinalize(); return words{}, false }
	due := func(a *account) (dialogue.Transcript, bool) { return a.answerOverdue() }
	empty, begins := words{Final: true}, words{SpeechStarted: true}

	for _, test := range []struct {
		name  string
		steps []step
		want  []words
	}{
		{"an utterance", []step{partial("one"), partial("one two"), ask, answer("One, two.")},
			[]words{{Text: "one"}, {Text: "one two"}, {Text: "One, two.", Final: true}}},
		{"the same interim text again is no news", []step{partial("one"), partial(" one "), partial("one")},
			[]words{{Text: "one"}}},
		{"stretches follow one another", []step{partial("one"), final("one"), partial("two"), ask, answer("two")},
			[]words{{Text: "one"}, {Text: "one", Final: true}, {Text: "two"}, {Text: "two", Final: true}}},
		{"silence is no news", []step{partial(""), final(""), final(""), ends("")}, nil},
		{"the end of the turn comes after the text", []step{ask, answer("one"), ends(""), ends("")},
			[]words{{Text: "one", Final: true}, {Final: true, EndOfTurn: true}}},
		{"the end of the turn comes with the text", []step{ends("one"), ends("")},
			[]words{{Text: "one", Final: true, EndOfTurn: true}}},
		{"an interim text is taken back", []step{partial("one"), final("")},
			[]words{{Text: "one"}, {}}},
		{"and by the answer", []step{partial("one"), ask, answer("")},
			[]words{{Text: "one"}, empty}},
		{"nothing heard", []step{ask, due, due}, []words{empty}},
		{"nothing heard, as the vendor says", []step{ask, answer(""), due}, []words{empty}},
		{"words after nothing heard", []step{ask, due, answer("one")},
			[]words{empty, {Text: "one", Final: true}}},
		{"nothing heard twice over", []step{ask, due, answer("")}, []words{empty}},
		{"the answer is waited for while interim text stands", []step{partial("one"), ask, due, answer("one")},
			[]words{{Text: "one"}, {Text: "one", Final: true}}},
		{"and while somebody speaks, by the vendor", []step{speech, ask, due, answer("")}, []words{begins, empty}},
		{"words that were final before: the rest is nothing", []step{speech, partial("one"), final("one"), ask, due},
			[]words{begins, {Text: "one"}, {Text: "one", Final: true}, empty}},
		{"the beginning of speech is reported once", []step{speech, speech, partial("one"), speech, answer("one"), speech},
			[]words{begins, {Text: "one"}, {Text: "one", Final: true}, begins}},
		{"a final text that is no answer leaves the question open", []step{ask, final("one"), answer("")},
			[]words{{Text: "one", Final: true}, empty}},
		{"an answer that nobody asked for", []step{answer("")}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var a account
			var got []words
			for _, step := range test.steps {
				if heard, is := step(&a); is {
					got = append(got, heard)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAccountStuck: silence is no sign of it, unanswered questions alone are
// none either, and any message lifts it.
func TestAccountStuck(t *testing.T) {
	began := time.Unix(0, 0)
	a := account{lastHeard: began}
	if a.stuck(began.Add(time.Hour)) {
		t.Error("stuck though nobody asked anything")
	}
	for range silentAsks {
		a.recordFinalize()
		a.answerOverdue()
	}
	if a.stuck(began.Add(silentFor - 1)) {
		t.Errorf("stuck before %v", silentFor)
	}
	if !a.stuck(began.Add(silentFor)) {
		t.Error("not stuck")
	}
	a.handleMessage(Message{}, began.Add(silentFor))
	if a.stuck(began.Add(3 * silentFor)) {
		t.Error("stuck though the vendor speaks")
	}
}
