package voice

import (
	"testing"
	"time"

	"parley/internal/dialogue"
)

// A caller whose provider is dead is answered by its fallback within 700 ms of when the provider itself would have answered.
func TestDeadProviderIsReplacedWithin700Milliseconds(t *testing.T) {
	const longest = 700 * time.Millisecond
	fail := func(f *fakeSynthesizer) { f.mu.Lock(); f.fail = 1000; f.mu.Unlock() }
	latency := func(t *testing.T, want ProviderNames, prepare, meanwhile func(*scenario)) (v time.Duration) {
		perform(t, with(fallbacks, prepare), func(s *scenario) {
			if meanwhile != nil {
				s.wait(2 * time.Second)
				meanwhile(s)
			}
			s.question("when do you open")
			s.wait(8 * time.Second)
		}, func(s *scenario) {
			if len(s.journal.turns) != 1 {
				s.Fatalf("turns are %+v", s.journal.turns)
			}
			if got := s.journal.turns[0].Providers; got != want {
				s.Errorf("the turn was of %+v, want %+v", got, want)
			}
			v = s.journal.turns[0].VoiceToVoice
		})
		return v
	}
	alive := latency(t, ProviderNames{"recognizer", "model", "synthesizer"}, replying(step{after: 10 * ms, text: "We open at nine."}), nil)
	for name, dead := range map[string]func() time.Duration{
		"model": func() time.Duration {
			return latency(t, ProviderNames{"recognizer", "brain2", "synthesizer"}, replying(step{err: dialogue.NewError("connection refused")}), nil)
		},
		"voice": func() time.Duration {
			return latency(t, ProviderNames{"recognizer", "model", "mouth2"}, func(*scenario) {}, func(s *scenario) { fail(s.synthesizer) })
		},
		"recogniser": func() time.Duration {
			return latency(t, ProviderNames{"ear2", "model", "synthesizer"}, func(s *scenario) { s.ear2.texts = []string{"when do you open"} }, func(s *scenario) {
				s.recognizer.mu.Lock()
				s.recognizer.fail = 1000
				s.recognizer.mu.Unlock()
				s.recognizer.snap(dialogue.NewError("connection reset"))
			})
		},
	} {
		if v := dead(); v == 0 || v > alive+longest {
			t.Errorf("a dead %s: the answer comes after %v, %v later than of one alive", name, v, v-alive)
		}
	}
}

// A provider that accepts a request and says nothing is given up for its fallback: a stream that is opened after 2 s, a voice without audio
// after 3 s, a model without words after 5 s.
func TestSilentProviderIsReplaced(t *testing.T) {
	for name, test := range map[string]struct {
		silence func(*scenario)
		problem string
		turn    ProviderNames
	}{
		"recogniser": {func(s *scenario) {
			s.recognizer.mu.Lock()
			s.recognizer.fail, s.recognizer.hang = 1000, true
			s.recognizer.mu.Unlock()
			s.ear2.texts = []string{"when do you open"}
			s.recognizer.snap(dialogue.NewError("connection reset"))
		}, "stt provider recognizer: no answer for 2s; the fallback takes its place", ProviderNames{"ear2", "model", "synthesizer"}},
		"voice": {func(s *scenario) {
			s.synthesizer.mu.Lock()
			s.synthesizer.delay = time.Hour
			s.synthesizer.mu.Unlock()
		}, "tts provider synthesizer: no answer for 3s; the fallback takes its place", ProviderNames{"recognizer", "model", "mouth2"}},
		"model": {func(s *scenario) {
			s.model.mu.Lock()
			s.model.reply = func(dialogue.Prompt) []step { return []step{{after: time.Hour}} }
			s.model.mu.Unlock()
		}, "llm provider model: no answer for 5s; the fallback takes its place", ProviderNames{"recognizer", "brain2", "synthesizer"}},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, fallbacks, func(s *scenario) {
				s.wait(2 * time.Second)
				test.silence(s)
				s.question("when do you open")
				s.wait(10 * time.Second)
			}, func(s *scenario) {
				if problems := s.journal.problems; len(problems) == 0 || problems[len(problems)-1].Message != test.problem {
					s.Errorf("problems %+v, want %q last", problems, test.problem)
				}
				if turns := s.journal.turns; len(turns) != 1 || turns[0].Providers != test.turn {
					s.Errorf("turns are %+v", turns)
				}
			})
		})
	}
}
