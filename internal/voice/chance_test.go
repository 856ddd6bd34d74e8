package voice

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/playout"
)

// Calls in which callers and providers do as chance has it. Whatever happens,
// nobody is left in silence after having spoken, nothing is said that was not
// made, the frames keep their pace, and nothing is left behind (perform sees to
// that).
func TestCallsOfChance(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			chance := rand.New(rand.NewPCG(seed, 1))
			var mu sync.Mutex // the models' goroutines draw as well
			some := func(most time.Duration) time.Duration {
				mu.Lock()
				defer mu.Unlock()
				return time.Duration(chance.Int64N(int64(most)))
			}
			draw := func(from int) int { mu.Lock(); defer mu.Unlock(); return chance.IntN(from) }
			one := func(in int) bool { return draw(in) == 0 }
			var said atomic.Int64
			perform(t, func(s *scenario) {
				if one(2) {
					fallbacks(s)
				}
				turned(`{"silence_prompts": 0}`)(s) // they would break every silence
				s.options.SilenceTimeout = 5 * time.Minute
				s.synthesizer.timed, s.mouth2.timed = one(2), one(2)
				s.recognizer.endOfTurn = one(2)
				reply := func(p dialogue.Prompt) []step {
					words := fmt.Sprintf("Answer %d begins here. It goes on for a while, and then. It ends.", said.Add(1))
					switch draw(14) {
					case 0:
						return []step{{after: some(time.Second), err: dialogue.NewError("overloaded")}}
					case 1:
						return []step{{after: some(time.Second), text: words}, {after: some(time.Second), err: dialogue.NewError("reset")}}
					case 2:
						return nil
					case 3:
						return []step{{after: some(20 * time.Second), text: words}}
					case 4:
						return []step{{text: words, call: "nonsense"}}
					case 5:
						return []step{{after: some(100 * ms), text: "Yes."}}
					}
					return []step{{after: some(time.Second), text: words[:20]}, {after: some(500 * ms), text: words[20:]}}
				}
				s.model.reply, s.brain2.reply = reply, reply
			}, func(s *scenario) {
				for n := range 12 {
					s.wait(some(4 * time.Second))
					switch draw(8) {
					case 0:
						s.say("", some(time.Second)) // a cough
					case 1:
						s.say("mm-hm", some(400*ms))
					default:
						s.say(fmt.Sprintf("question %d please", n), 200*ms+some(2*time.Second))
					}
					if one(6) {
						s.wait(some(time.Second))
						for _, recognizer := range []*fakeRecognizer{s.recognizer, s.ear2} {
							recognizer.mu.Lock()
							open := recognizer.recognition
							recognizer.mu.Unlock()
							if open != nil {
								open.end(dialogue.NewError("connection reset"))
							}
						}
					}
					if one(8) {
						s.synthesizer.mu.Lock()
						s.synthesizer.breaks, s.synthesizer.after = draw(4), draw(6)
						s.synthesizer.mu.Unlock()
					}
				}
				s.wait(2 * time.Minute)
			}, func(s *scenario) {
				lines := s.journal.lines
				if s.end == "" && len(lines) > 0 && strings.HasPrefix(lines[len(lines)-1], "user:") {
					s.Errorf("the caller got no answer: %q", lines)
				}
				if s.end != "" && s.end != ProviderError {
					s.Errorf("ended with %q", s.end)
				}
				played := s.line.heard()
				const window = 50
				for i := window; i < len(played); i++ { // late frames catch up, no more
					if took := played[i].at.Sub(played[i-window].at); took < window*20*ms-playout.MaxLateness {
						s.Errorf("%d frames, up to number %d, took %v", window, i, took)
						break
					}
				}
				for i, line := range lines {
					if fields := strings.Fields(line); i > 0 && len(fields) > 4 && strings.HasPrefix(line, "assistant: Answer") {
						// Each attempt at an answer has a number of its own: none is said twice.
						if strings.Count(line, "Answer "+fields[2]+" ") > 1 {
							s.Errorf("line %d: %q", i, line)
						}
					}
				}
			})
		})
	}
}
