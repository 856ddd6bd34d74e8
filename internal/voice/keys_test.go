package voice

import (
	"slices"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// withKeys gives the caller a phone, and the agent settings of entries by keys.
func withKeys(c agent.DTMF) func(*scenario) {
	return func(s *scenario) {
		s.line.signals = make(chan Signal, 16)
		config := s.options.Plan.Agents["anna"]
		config.DTMF = c
		s.options.Plan.Agents["anna"] = config
	}
}

// press has the caller press keys, one every 300 ms.
func (s *scenario) press(keys string) {
	for i := range len(keys) {
		s.line.signals <- Signal{Kind: KeyPressed, Key: keys[i]}
		s.wait(300 * ms)
	}
}

// Keys become one turn of the caller: at the end key, at the number of keys, or after a time without one.
func TestKeys(t *testing.T) {
	yes, no, four, none, patient := true, false, 4, "", 0
	greeting, answer := "assistant: Hello there.", "assistant: We open at nine."
	for _, tc := range []struct {
		name    string
		options agent.DTMF
		keys    string
		want    []string // transcript
	}{
		{"end key", agent.DTMF{}, "1234#", []string{greeting, "user: 1234", answer}},
		{"time", agent.DTMF{}, "12", []string{greeting, "user: 12", answer}},
		{"number of keys", agent.DTMF{MaxDigits: &four, End: &none, TimeoutMS: &patient}, "12#4", []string{greeting, "user: 12#4", answer}},
		{"another entry before the answer", agent.DTMF{Enabled: &yes, MaxDigits: &four}, "12341", []string{greeting, "user: 1234", "user: 1", answer}},
		{"neither end nor time", agent.DTMF{End: &none, TimeoutMS: &patient}, "123", []string{greeting}},
		{"the end key alone", agent.DTMF{}, "#", []string{greeting}},
		{"off", agent.DTMF{Enabled: &no}, "1234#", []string{greeting}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			perform(t, withKeys(tc.options), func(s *scenario) {
				s.wait(2 * time.Second)
				s.press(tc.keys)
				s.wait(7 * time.Second)
			}, func(s *scenario) {
				s.wantProblems()
				s.wantLines(tc.want...)
				for _, e := range s.journal.entries {
					if e.Keys != (e.Role == dialogue.RoleUser) {
						s.Errorf("entry %+v", e)
					}
				}
				if prompts := s.model.asked(); len(tc.want) > 1 {
					if got := lastUser(prompts[0]); got != "(The caller pressed keys on the phone: "+tc.want[1][len("user: "):]+")" {
						s.Errorf("the model gets %q", got)
					}
				}
			})
		})
	}
}

// The first key stops the agent, unless keys must not interrupt it: the entry is then answered after its speech.
func TestKeysOverTheAgent(t *testing.T) {
	no := false
	for _, tc := range []struct {
		name    string
		options agent.DTMF
		want    []string
	}{
		{"interrupt", agent.DTMF{}, []string{"user: 12", "assistant: We open at nine."}},
		{"wait", agent.DTMF{Interrupts: &no}, []string{"assistant: Hello there.", "user: 12", "assistant: We open at nine."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			perform(t, withKeys(tc.options), func(s *scenario) {
				s.wait(200 * ms) // the greeting has begun
				s.press("12#")
				s.wait(5 * time.Second)
			}, func(s *scenario) {
				s.wantProblems()
				lines := s.journal.lines
				if len(lines) > 0 && tc.name == "interrupt" && lines[0] != tc.want[0] {
					lines = lines[1:] // what was played of the greeting
				}
				if !slices.Equal(lines, tc.want) {
					s.Errorf("transcript %q, want %q", lines, tc.want)
				}
			})
		})
	}
}
