package voice

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/voice/playout"
	"parley/internal/voice/speechtext"
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
	perform(t, replying(step{after: 10 * ms, text: "One moment,"}, step{after: 20 * ms, text: " please."}, step{after: 1400 * ms, text: " Here"}, step{after: 10 * ms, text: " it is."}),
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

// Numbers are spoken in the words of the agent's language, and words as they are pronounced; the transcript keeps both, up to what the
// caller heard.
func TestNumbersAndPronunciations(t *testing.T) {
	const written = "Am 3. Mai um 15:30 Uhr bei Dr. Nguyen in der SQL-Gruppe."
	for _, c := range []struct {
		setting, voiced string
	}{
		{agent.NormalizationOn, "Am dritten Mai um fünfzehn Uhr dreißig bei Dr. Winn in der Sequel-Gruppe."},
		{"", "Am 3. Mai um 15:30 Uhr bei Dr. Winn in der Sequel-Gruppe."},
	} {
		perform(t, func(s *scenario) {
			a := config("Hallo nguyen.")
			a.DefaultLanguage, a.TTS.TextNormalization = "de", c.setting
			a.TTS.Pronunciations = map[string]string{"nguyen": "Winn", "SQL": "Sequel"}
			s.options.Plan.Agents["anna"] = a
			replying(step{after: 10 * ms, text: written})(s)
		}, func(s *scenario) {
			s.question("wann")
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantVoiced("Hallo Winn.", c.voiced)
			s.wantLines("assistant: Hallo nguyen.", "user: wann", "assistant: "+written)
		})
	}
}

// A number counts as heard once all its words were spoken.
func TestInterruptedNumber(t *testing.T) {
	perform(t, func(s *scenario) {
		a := config("Hello there.")
		a.DefaultLanguage, a.TTS.TextNormalization = "en", agent.NormalizationOn
		s.options.Plan.Agents["anna"] = a
		s.synthesizer.timed = true
		s.model.reply = func(p dialogue.Prompt) []step {
			if lastUser(p) == "stop" {
				return []step{{after: 10 * ms, text: "Yes?"}}
			}
			return []step{{after: 10 * ms, text: "Pay 4,321,987 dollars and more. " + long}} // "four million three hundred twenty-one thousand nine …"
		}
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("how much", 1000*ms)
		s.wait(1000*ms + 1550*ms)
		s.say("stop", 700*ms)
		s.wait(6 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: how much", "assistant: Pay", "user: stop", "assistant: Yes?")
	})
}

// The agent's voice is recognised as an echo by the words that it spoke, not by those that were written.
func TestEchoOfSpokenWords(t *testing.T) {
	q := playout.NewQueue(func([]int16) error { return nil })
	text := speechtext.NewNormalizer("en").Apply(speechtext.Plain("Pay $3.50 today."))
	q.StartText(text)
	q.Append(dialogue.Speech{PCM: make([]int16, dialogue.SpeakRate)})
	q.End()
	for now := time.Now(); !q.Finished(); now = now.Add(20 * ms) {
		if err := q.PlayDue(now); err != nil {
			t.Fatal(err)
		}
	}
	if !new(echoGuard).matches("three dollars and fifty cents", q) {
		t.Errorf("the echo of %q is not recognised", q.VoicedText())
	}
	if q.SpokenText() != "Pay $3.50 today." {
		t.Errorf("the transcript is %q", q.SpokenText())
	}
}
