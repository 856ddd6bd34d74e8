package voice

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/audio"
	"parley/internal/dialogue"
)

// fakeListener classifies all sound as the test says.
type fakeListener struct {
	vad    *audio.VAD
	as     atomic.Value // of type string: echo, noise, sound or speech
	played int          // frames of the agent's audio
}

// hearing gives a conversation a fakeListener.
func hearing(l *fakeListener) func(*scenario) {
	l.vad = audio.NewVAD(audio.VADOptions{})
	l.as.Store("speech")
	return func(s *scenario) { s.options.Listener = l }
}

func (l *fakeListener) Configure(agent.Audio)     {}
func (l *fakeListener) Played([]int16, time.Time) { l.played++ }

func (l *fakeListener) Push(mic []int16, _ time.Time) ([]int16, Classification) {
	as := l.as.Load().(string)
	e := Classification{Activity: l.vad.Push(mic), Echo: as == "echo", Noise: as == "noise"}
	e.SureSpeech = e.Speaking && as == "speech"
	return mic, e
}

// gaps are the breaks in the agent's audio after so many frames.
func (s *scenario) gaps(after int) (gaps []time.Duration) {
	played := s.line.heard()[after:]
	for i := 1; i < len(played); i++ {
		if gap := played[i].at.Sub(played[i-1].at); gap != 20*ms {
			gaps = append(gaps, gap)
		}
	}
	return gaps
}

func (s *scenario) wantOverlaps(want ...string) {
	s.Helper()
	if diff := cmp.Diff(want, s.journal.overlaps); diff != "" {
		s.Errorf("overlaps (-want +got):\n%s", diff)
	}
}

// What sounds over an answer, and what becomes of the answer.
func TestSoundOverTheAgent(t *testing.T) {
	greeting := 2 * 10 // frames
	for _, tc := range []struct {
		name, as string
		sound    time.Duration
		paused   time.Duration // at most
		overlaps []string
	}{
		{"a short cough", "sound", 250 * ms, 0, []string{"agent_resumed noise"}},
		{"a cough of half a second", "sound", 600 * ms, 700 * ms, []string{"agent_resumed noise"}},
		{"sound that goes on", "sound", 4 * time.Second, 1000 * ms, []string{"agent_resumed noise", "overlap_ignored noise"}},
		{"music", "noise", 4 * time.Second, 0, []string{"overlap_ignored noise"}},
		{"echo", "echo", 4 * time.Second, 0, []string{"overlap_ignored echo"}},
		{"speech without a recognised word", "speech", 800 * ms, 1200 * ms, []string{"agent_interrupted sure", "agent_resumed noise"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := &fakeListener{}
			var before time.Duration
			perform(t, with(hearing(l), replying(step{after: 10 * ms, text: long})), func(s *scenario) {
				s.question("count")
				s.wait(1500 * ms)
				l.as.Store(tc.as)
				before = s.recognizer.voice()
				s.say("", tc.sound)
				s.wait(9 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: count", "assistant: "+long)
				if n := len(s.model.asked()); n != 1 {
					s.Errorf("asked the model %d times, want once", n)
				}
				gaps := s.gaps(greeting)
				if len(gaps) > 1 || len(gaps) == 1 && gaps[0] > tc.paused+20*ms {
					s.Errorf("the answer was paused for %v, want at most %v", gaps, tc.paused)
				}
				if got := s.recognizer.voice(); tc.as == "echo" && got != before {
					s.Errorf("the recogniser was given %v of echo", got-before)
				}
				if len(s.journal.turns) != 1 || s.journal.turns[0].Interrupted {
					s.Errorf("turns are %+v", s.journal.turns)
				}
				if l.played != len(s.line.heard()) {
					s.Errorf("the listener knows %d frames of the agent's, of %d", l.played, len(s.line.heard()))
				}
				s.wantOverlaps(tc.overlaps...)
			})
		})
	}
}

// Coughs in a row pause the agent once: it does not stutter.
func TestCoughsInARow(t *testing.T) {
	l := &fakeListener{}
	perform(t, with(hearing(l), replying(step{after: 10 * ms, text: long + " " + long + " " + long})), func(s *scenario) {
		s.question("count")
		s.wait(1500 * ms)
		l.as.Store("sound")
		for range 4 {
			s.say("", 500*ms)
			s.wait(1300 * ms)
		}
		s.wait(9 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: count", "assistant: "+long+" "+long+" "+long)
		if gaps := s.gaps(20); len(gaps) > 1 {
			s.Errorf("the answer was paused for %v, want one pause at most", gaps)
		}
		s.wantOverlaps("agent_resumed noise", "overlap_ignored noise")
	})
}

// Words interrupt at once, however the sound is classified; so does speech beyond
// doubt, without a word.
func TestWordsOverTheAgent(t *testing.T) {
	for _, as := range []string{"sound", "noise", "speech"} {
		t.Run("within "+as, func(t *testing.T) {
			l := &fakeListener{}
			var begun time.Time
			words := "stop"
			if as == "noise" {
				words = "stop it" // one short word may be a cough
			}
			perform(t, with(hearing(l), func(s *scenario) {
				s.model.reply = func(p dialogue.Prompt) []step {
					if lastUser(p) == words {
						return []step{{after: 10 * ms, text: "Yes?"}}
					}
					return []step{{after: 10 * ms, text: long}}
				}
			}), func(s *scenario) {
				s.question("count")
				s.wait(1500 * ms)
				l.as.Store(as)
				begun = time.Now()
				s.say("", 700*ms)
				s.wait(200 * ms)
				s.recognizer.hear(dialogue.Transcript{Text: words})
				s.wait(600 * ms)
				s.recognizer.hear(dialogue.Transcript{Text: words, Final: true})
				s.wait(8 * time.Second)
			}, func(s *scenario) {
				heard := "assistant: One two three four five"
				if as != "speech" {
					heard += " six" // until the word comes
				}
				s.wantLines("assistant: Hello there.", "user: count", heard, "user: "+words, "assistant: Yes?")
				i := slices.IndexFunc(s.line.heard(), func(f playedFrame) bool { return f.at.After(begun.Add(220*ms)) && f.at.Before(begun.Add(700*ms)) })
				if i >= 0 {
					s.Errorf("the agent still speaks %v after the word began", s.line.heard()[i].at.Sub(begun))
				}
				if last := len(s.journal.overlaps) - 1; last < 0 || s.journal.overlaps[last] != "agent_interrupted word" {
					s.Errorf("overlaps are %q", s.journal.overlaps)
				}
			})
		})
	}
}

// A caller in a place that is never quiet is answered.
func TestNoiseDoesNotEnd(t *testing.T) {
	for as, most := range map[string]time.Duration{"noise": 2 * time.Second, "sound": 4 * time.Second} {
		t.Run(as, func(t *testing.T) {
			l := &fakeListener{}
			perform(t, hearing(l), func(s *scenario) {
				s.wait(2 * time.Second)
				s.say("when do you open", time.Hour)
				s.wait(800 * ms)
				s.recognizer.hear(dialogue.Transcript{Text: "when do you open"})
				l.as.Store(as)
				s.wait(7 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
				if len(s.journal.turns) != 1 || s.journal.turns[0].VoiceToVoice > most {
					s.Errorf("turns are %+v, want an answer after %v at most", s.journal.turns, most)
				}
			})
		})
	}
}

// A transcript of the agent's own words counts as echo where the listener found echo, and as the caller's words
// elsewhere.
func TestAgentsWordsInATranscript(t *testing.T) {
	const offer = "Would you like some tea or would you like a cup of coffee with a piece of cake from our kitchen"
	for _, tc := range []struct {
		name  string
		as    []string // of the sound, 200 ms each
		text  string
		heard bool
	}{
		{"echo that is identified late", []string{"sound", "echo"}, "tea or would", false},
		{"echo that is identified", []string{"echo"}, "Tea, or would you", false},
		{"echo with the caller's words", []string{"sound", "echo"}, "tea or coffee please", true},
		{"the caller's words in another order", []string{"sound", "echo"}, "would or tea", true},
		{"no echo", []string{"sound", "sound"}, "tea", true},
		{"the caller speaks at the same time", []string{"echo", "speech", "echo"}, "tea", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := &fakeListener{}
			perform(t, with(hearing(l), func(s *scenario) {
				s.model.reply = func(p dialogue.Prompt) []step {
					if lastUser(p) == tc.text {
						return []step{{after: 10 * ms, text: "Yes."}}
					}
					return []step{{after: 10 * ms, text: offer}}
				}
			}), func(s *scenario) {
				s.question("I am hungry")
				s.wait(1500 * ms)
				s.say("", time.Duration(len(tc.as))*200*ms)
				for _, as := range tc.as {
					l.as.Store(as)
					s.wait(200 * ms)
				}
				s.recognizer.hear(dialogue.Transcript{Text: tc.text})
				s.wait(300 * ms)
				s.recognizer.hear(dialogue.Transcript{Text: tc.text, Final: true, EndOfTurn: true})
				s.wait(8 * time.Second)
			}, func(s *scenario) {
				if tc.heard {
					if last := s.journal.lines[len(s.journal.lines)-2:]; last[0] != "user: "+tc.text || last[1] != "assistant: Yes." {
						s.Errorf("the transcript ends with %q", last)
					}
					return
				}
				s.wantLines("assistant: Hello there.", "user: I am hungry", "assistant: "+offer)
				if !slices.Contains(s.journal.overlaps, "overlap_ignored echo") || slices.Contains(s.journal.overlaps, "agent_interrupted word") {
					s.Errorf("overlaps are %q", s.journal.overlaps)
				}
				if len(s.journal.turns) != 1 || s.journal.turns[0].Interrupted {
					s.Errorf("turns are %+v", s.journal.turns)
				}
			})
		})
	}
}

// The final transcript of an echo may come after the agent's last frame. A caller who answers then with one of the
// agent's words is recognised.
func TestAgentsWordsAfterItsEnd(t *testing.T) {
	const offer = "Would you like tea or coffee?" // 1.2 s
	for _, tc := range []struct {
		name  string
		as    string
		sound time.Duration // from the beginning of the answer
		text  string
		heard bool
	}{
		{"the echo of the last words", "echo", 800 * ms, "or coffee", false},
		{"the caller without echo", "sound", 1000 * ms, "coffee", true},
		{"the caller, after an answer with echo", "echo, then the caller", 1500 * ms, "coffee", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := &fakeListener{}
			perform(t, with(hearing(l), func(s *scenario) {
				s.model.reply = func(p dialogue.Prompt) []step {
					if lastUser(p) == "coffee" {
						return []step{{after: 10 * ms, text: "With milk?"}}
					}
					return []step{{after: 10 * ms, text: offer}}
				}
			}), func(s *scenario) {
				s.question("I am thirsty")
				for len(s.line.heard()) <= 2*10 {
					s.wait(20 * ms)
				}
				if tc.as == "echo, then the caller" {
					l.as.Store("echo")
					s.say("", 600*ms)
					s.wait(tc.sound)
					l.as.Store("sound")
				} else {
					l.as.Store(tc.as)
					s.wait(tc.sound)
				}
				s.say("", 400*ms)
				s.wait(700 * ms)
				s.recognizer.hear(dialogue.Transcript{Text: tc.text, Final: true, EndOfTurn: true})
				s.wait(5 * time.Second)
			}, func(s *scenario) {
				want := []string{"assistant: Hello there.", "user: I am thirsty", "assistant: " + offer}
				if tc.heard {
					want = append(want, "user: "+tc.text, "assistant: With milk?")
				}
				s.wantLines(want...)
				if !tc.heard {
					s.wantOverlaps("overlap_ignored echo")
				}
			})
		})
	}
}

// A cough that the recogniser transcribes as a word pauses the agent once. A second word, or speech beyond doubt, interrupts;
// so does one word in a sound like speech.
func TestOneWordOverTheAgent(t *testing.T) {
	answer := long + " " + long
	for _, tc := range []struct {
		name, as, then string
		texts          []string // interim transcripts, 300 ms apart; the last is also the final one
		interrupted    bool
	}{
		{"a cough", "noise", "noise", []string{"what"}, false},
		{"a cough that may be speech at its end", "noise", "sound", []string{"what"}, false},
		{"a word", "sound", "sound", []string{"stop"}, true},
		{"a word of speech", "speech", "speech", []string{"no"}, true},
		{"a second word in noise", "noise", "noise", []string{"wait", "wait please"}, true},
		{"a long word in noise", "noise", "noise", []string{"operator"}, true},
		{"speech after the word", "noise", "speech", []string{"wait"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := &fakeListener{}
			final := tc.texts[len(tc.texts)-1]
			perform(t, with(hearing(l), func(s *scenario) {
				s.model.reply = func(p dialogue.Prompt) []step {
					if lastUser(p) == final {
						return []step{{after: 10 * ms, text: "Yes?"}}
					}
					return []step{{after: 10 * ms, text: answer}}
				}
			}), func(s *scenario) {
				s.question("count")
				s.wait(1500 * ms)
				l.as.Store(tc.as)
				s.say("", 400*ms)
				s.wait(300 * ms)
				l.as.Store(tc.then)
				if tc.then == "speech" && tc.as == "noise" {
					s.say("", 900*ms)
				}
				for _, text := range tc.texts {
					s.recognizer.hear(dialogue.Transcript{Text: text})
					s.wait(300 * ms)
				}
				s.wait(700 * ms)
				s.recognizer.hear(dialogue.Transcript{Text: final, Final: true})
				s.wait(12 * time.Second)
			}, func(s *scenario) {
				last := s.journal.lines[len(s.journal.lines)-1]
				if tc.interrupted {
					if last != "assistant: Yes?" || !slices.Contains(s.journal.overlaps, "agent_interrupted word") {
						s.Errorf("the transcript is %q, the overlaps are %q", s.journal.lines, s.journal.overlaps)
					}
					return
				}
				s.wantLines("assistant: Hello there.", "user: count", "assistant: "+answer, "user: "+final)
				if gaps := s.gaps(20); len(gaps) != 1 || gaps[0] > 600*ms {
					s.Errorf("the answer was paused for %v, want one pause of 600 ms at most", gaps)
				}
				if i := slices.IndexFunc(s.journal.overlaps, func(o string) bool { return !strings.HasSuffix(o, " noise") }); i >= 0 || len(s.journal.overlaps) == 0 {
					s.Errorf("overlaps are %q, want noise alone", s.journal.overlaps)
				}
				if len(s.model.asked()) != 1 {
					s.Errorf("asked the model %d times, want once", len(s.model.asked()))
				}
			})
		})
	}
}
