package voice

import (
	"context"
	"slices"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/tool"
)

// constantSound is a sound of one value.
type constantSound int16

func (c constantSound) Next() ([]int16, error) {
	pcm := make([]int16, dialogue.SpeakRate/50)
	for i := range pcm {
		pcm[i] = int16(c)
	}
	return pcm, nil
}

// fakeSounds has the sounds air (-1) and keys (200).
type fakeSounds struct{}

func (fakeSounds) Sound(_ context.Context, name string) (SoundSource, error) {
	if value := map[string]int16{"air": -1, "keys": 200}[name]; value != 0 {
		return constantSound(value), nil
	}
	return nil, nil
}

// sounding has the first agent play sounds at their own volume.
func sounding(ambience, thinking string, after int) func(*scenario) {
	return func(s *scenario) {
		s.options.Sounds = fakeSounds{}
		c := s.options.Plan.Agents["anna"]
		if ambience != "" {
			c.Ambience = &agent.Ambience{Sound: ambience, VolumeDB: new(float64)}
		}
		if thinking != "" {
			c.ThinkingSound = &agent.ThinkingSound{Sound: thinking, VolumeDB: new(float64), AfterMS: &after}
		}
		s.options.Plan.Agents["anna"] = c
	}
}

// between returns the values of the frames that were played in a time, since the first frame of the call.
func (s *scenario) between(begun time.Time, from, to time.Duration) (values []int16) {
	for _, f := range s.line.heard() {
		if at := f.at.Sub(begun); at >= from && at < to {
			values = append(values, f.value)
		}
	}
	return values
}

// The ambience is heard all the time, also under the agent's speech, at the pace of the line; the greeting is not later for it.
func TestAmbience(t *testing.T) {
	greeted := func(ambience string) (at time.Duration) {
		var begun time.Time
		perform(t, with(sounding(ambience, "", 0), func(*scenario) { begun = time.Now() }), func(s *scenario) {
			s.question("when do you open")
			s.wait(4 * time.Second)
		}, func(s *scenario) {
			for _, f := range s.line.heard() {
				second := int16(2) // the word of the greeting
				if ambience != "" {
					second-- // with the ambience
				}
				if f.value >= second && at == 0 {
					at = f.at.Sub(begun)
				}
			}
			if ambience == "" {
				return
			}
			for second := 2; second < 7; second++ {
				values := s.between(begun, time.Duration(second)*time.Second, time.Duration(second+1)*time.Second)
				if len(values) < 49 || len(values) > 51 {
					s.Errorf("%d frames in second %d", len(values), second)
				}
				if second > 4 && !slices.Contains(values, -1) {
					s.Errorf("the ambience is not heard in second %d", second)
				}
			}
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		})
		return at
	}
	if without, under := greeted(""), greeted("air"); without != under || without == 0 {
		t.Errorf("the greeting is heard after %v without ambience, and after %v with it", without, under)
	}
}

// Without sounds nothing is sent between answers, and a sound that is gone is reported.
func TestNoAmbience(t *testing.T) {
	var begun time.Time
	perform(t, with(sounding("gone", "", 0), func(*scenario) { begun = time.Now() }), func(s *scenario) { s.wait(5 * time.Second) }, func(s *scenario) {
		if values := s.between(begun, 2*time.Second, 5*time.Second); len(values) > 0 {
			s.Errorf("%d frames while nobody speaks", len(values))
		}
		s.wantProblems("warning workflow there is no sound gone any more: it is not played")
	})
}

// The thinking sound is heard from the given time after the turn until the answer, also while a tool works, and not while the caller speaks.
func TestThinkingSound(t *testing.T) {
	script := map[string][]step{"book": {{after: 2 * time.Second, text: "One moment."}, {call: "slow"}}, "done": says("It is booked.")}
	var asked time.Time
	perform(t, with(equip(map[string]tool.Definition{"slow": does(respond("done"))}, map[string]time.Duration{"slow": 4 * time.Second}, script), sounding("", "keys", 500)), func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("book", time.Second)
		s.wait(time.Second)
		asked = time.Now()
		s.wait(10 * time.Second)
	}, func(s *scenario) {
		keys := func(from, to time.Duration) (n int) {
			for _, v := range s.between(asked, from, to) {
				if v == 200 {
					n++
				}
			}
			return n
		}
		turn := 600 * ms // the endpointing
		if n := len(s.between(asked, 0, turn+450*ms)); n > 0 {
			s.Errorf("%d frames before the thinking sound is due", n)
		}
		if n := keys(turn+700*ms, 2*time.Second); n < 30 {
			s.Errorf("%d frames of the sound while the model thinks", n)
		}
		if n := keys(4*time.Second, 6*time.Second); n < 30 {
			s.Errorf("%d frames of the sound while the tool works", n)
		}
		if n := keys(8*time.Second, 10*time.Second); n > 0 {
			s.Errorf("%d frames of the sound after the answer", n)
		}
		s.wantLines("assistant: Hello there.", "user: book", "anna calls slow", "assistant: One moment. One moment, please. It is booked.")
	})
}

// The next agent has its own ambience, or none; on hold there is none either, and it goes on afterwards.
func TestAmbienceEnds(t *testing.T) {
	var begun, before, after time.Time
	perform(t, with(two, sounding("air", "", 0), withKeysOn, func(s *scenario) {
		begun = time.Now()
		s.model.reply = func(p dialogue.Prompt) []step {
			if lastUser(p) == "I want to buy" {
				return []step{{after: 10 * ms, text: "One moment."}, {call: "handoff_to_bert"}}
			}
			return says("Yes?")
		}
		anna := s.options.Plan.Agents["anna"]
		anna.Handoffs = []agent.Handoff{{TargetAgent: "bert"}}
		s.options.Plan.Agents["anna"] = anna
	}), func(s *scenario) {
		s.wait(4 * time.Second)
		s.hold(true)
		s.wait(2 * time.Second)
		s.hold(false)
		s.wait(2 * time.Second)
		before = time.Now()
		s.say("I want to buy", time.Second)
		s.wait(6 * time.Second)
		after = time.Now()
		s.wait(2 * time.Second)
	}, func(s *scenario) {
		for name, tc := range map[string]struct {
			from, to time.Duration
			want     bool
		}{
			"before the hold":   {2500 * ms, 3500 * ms, true},
			"on hold":           {4200 * ms, 5900 * ms, false},
			"after the hold":    {7500 * ms, 8 * time.Second, true},
			"with another one":  {after.Sub(begun), after.Sub(begun) + 2*time.Second, false},
			"until the handoff": {before.Sub(begun), before.Sub(begun) + time.Second, true},
		} {
			if values := s.between(begun, tc.from, tc.to); (len(values) > 0) != tc.want {
				s.Errorf("%s: %d frames", name, len(values))
			}
		}
	})
}
