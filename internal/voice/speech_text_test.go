package voice

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
)

// wantVoiced compares what the voice received.
func (s *scenario) wantVoiced(want ...string) {
	s.Helper()
	s.synthesizer.mu.Lock()
	defer s.synthesizer.mu.Unlock()
	if diff := cmp.Diff(want, s.synthesizer.said); diff != "" {
		s.Errorf("the voice received (-want +got):\n%s", diff)
	}
}

// The voice receives no marks of Markdown. The transcript and the model's history keep what the model wrote.
func TestMarkdownIsNotSpoken(t *testing.T) {
	const written = "**Sure!** See [our site](https://example.com/a) 😊:\n- Apples\n- *Pears*"
	perform(t, func(s *scenario) {
		s.model.reply = func(p dialogue.Prompt) []step {
			if lastUser(p) == "thanks" {
				return []step{{after: 10 * ms, text: "Bye."}}
			}
			return writes(written, 3)
		}
	}, func(s *scenario) {
		s.question("what do you have")
		s.wait(5 * time.Second)
		s.say("thanks", 500*ms)
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		s.wantVoiced("Hello there.", "Sure!", "See our site:", "Apples.", "Pears.", "Bye.")
		s.wantLines("assistant: Hello there.", "user: what do you have",
			"assistant: **Sure!** See [our site](https://example.com/a) 😊: - Apples - *Pears*", "user: thanks", "assistant: Bye.")
	})
}

// What an interrupted caller heard is kept as the model wrote it, up to the word that was spoken last.
func TestInterruptedMarkdown(t *testing.T) {
	for _, timed := range []bool{true, false} {
		perform(t, func(s *scenario) {
			s.synthesizer.timed = timed
			s.model.reply = func(p dialogue.Prompt) []step {
				if lastUser(p) == "stop" {
					return []step{{after: 10 * ms, text: "Yes?"}}
				}
				return []step{{after: 10 * ms, text: "We [sell **fresh**](https://example.com/long/address/of/a/page) and `cheap` **apples** today. " + long}}
			}
		}, func(s *scenario) {
			s.wait(2 * time.Second)
			s.say("what do you sell", 1000*ms)
			s.wait(1000*ms + 1500*ms)
			s.say("stop", 700*ms)
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: what do you sell",
				"assistant: We [sell **fresh**](https://example.com/long/address/of/a/page) and `cheap`", "user: stop", "assistant: Yes?")
		})
	}
}

// A sentence before a function call that the model takes its time to write is spoken meanwhile.
func TestSentenceBeforeASlowCall(t *testing.T) {
	perform(t, answering(step{after: 10 * ms, text: "One moment,"}, step{after: 20 * ms, text: " please."}, step{after: 1400 * ms, text: " Here"}, step{after: 10 * ms, text: " it is."}),
		func(s *scenario) {
			s.question("when do you open")
			s.wait(900 * ms)
			s.wantVoiced("Hello there.", "One moment, please.")
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantVoiced("Hello there.", "One moment, please.", "Here it is.")
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: One moment, please. Here it is.")
		})
}

// A tool's answer and other fixed texts are spoken without marks, too.
func TestFixedTextIsSpokenWithoutMarks(t *testing.T) {
	perform(t, func(s *scenario) {
		c := config("**Welcome** to [Parley](https://example.com)! 😊")
		s.options.Plan.Agents["anna"] = c
	}, func(s *scenario) { s.wait(3 * time.Second) }, func(s *scenario) {
		s.wantVoiced("Welcome to Parley!")
		if line := strings.Join(s.journal.lines, "|"); line != "assistant: **Welcome** to [Parley](https://example.com)! 😊" {
			s.Errorf("the transcript is %q", line)
		}
	})
}
