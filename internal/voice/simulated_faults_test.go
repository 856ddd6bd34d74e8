package voice

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/generation"
)

// simulatedFault is a fault of one provider during one turn of the caller.
type simulatedFault struct {
	name string
	// persists: it recurs until the provider is replaced; otherwise it occurs once.
	persists bool
	// fatal: without a fallback no retry helps against it.
	fatal bool
	// begin sets it up.
	begin func(*simulation)
}

// simulation is a call in which providers have faults.
type simulation struct {
	*scenario
	random *rand.Rand
	mu     sync.Mutex
	// answers are the steps of the coming requests to the model, instead of the answer.
	answers [][]step
	forever []step // instead of any answer; nil for none
	turn    int
}

func (s *simulation) some(most time.Duration) time.Duration {
	return time.Duration(s.random.Int64N(int64(most)))
}

// answer is what the model says in this turn; each sentence is said in no other.
func (s *simulation) answer() (first, second string) {
	return fmt.Sprintf("Number %d opens at nine.", s.turn), fmt.Sprintf("And number %d closes at five.", s.turn)
}

// reply is the model's reply to a prompt, or, if it is the fallback, its own.
func (s *simulation) reply(p dialogue.Prompt, fallback bool) []step {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, second := s.answer()
	healthy := []step{{after: 150 * ms, text: first + " " + second}}
	if p.Messages[len(p.Messages)-1].Content == generation.CutOffInstruction {
		healthy = []step{{after: 150 * ms, text: second}}
	}
	switch {
	case fallback:
	case s.forever != nil:
		return s.forever
	case len(s.answers) > 0:
		steps := s.answers[0]
		s.answers = s.answers[1:]
		return steps
	}
	return healthy
}

// modelFault has the model fail once, or always, at a random time with a random part of its answer given.
func modelFault(name string, fatal bool, steps func(s *simulation) []step) []simulatedFault {
	once := simulatedFault{"model: " + name + " once", false, fatal, func(s *simulation) { s.answers = [][]step{steps(s)} }}
	always := simulatedFault{"model: " + name, true, true, func(s *simulation) { s.forever = steps(s) }}
	return []simulatedFault{once, always}
}

// voiceFaults has the voice fail in its next utterances, or in all.
func voiceFaults(name string, fatal bool, set func(s *simulation, v *fakeSynthesizer, times int)) []simulatedFault {
	begin := func(times int) func(*simulation) {
		return func(s *simulation) {
			s.synthesizer.mu.Lock()
			defer s.synthesizer.mu.Unlock()
			set(s, s.synthesizer, times)
		}
	}
	return []simulatedFault{{"voice: " + name + " once", false, fatal, begin(1)}, {"voice: " + name, true, true, begin(1_000_000)}}
}

func (s *simulation) begun() step {
	first, _ := s.answer()
	return step{after: s.some(2 * time.Second), text: first + " And"}
}

// judged is a fault after which the talk goes on with a fixed text.
func judged(faults []simulatedFault) []simulatedFault {
	for i := range faults {
		faults[i].fatal = false
	}
	return faults
}

func simulatedFaults() (all []simulatedFault) {
	for _, faults := range [][]simulatedFault{
		modelFault("refused", true, func(s *simulation) []step { return []step{{after: s.some(time.Second), err: errKey}} }),
		modelFault("error", false, func(s *simulation) []step { return []step{{after: s.some(3 * time.Second), err: errBusy}} }),
		modelFault("silent", false, func(*simulation) []step { return []step{{after: time.Hour}} }),
		modelFault("stalled", false, func(s *simulation) []step { return []step{s.begun(), {after: time.Hour}} }),
		modelFault("cut", false, func(s *simulation) []step { return []step{s.begun(), {after: s.some(time.Second), err: errReset}} }),
		judged(modelFault("unfinished", false, func(s *simulation) []step { return []step{s.begun(), {err: dialogue.ErrUnfinished}} })),
		judged(modelFault("empty", false, func(s *simulation) []step { return []step{{after: s.some(2 * time.Second)}} })),
		judged(modelFault("filtered", false, func(s *simulation) []step { return []step{{after: s.some(2 * time.Second), err: errFiltered}} })),
		judged(modelFault("slow", false, func(s *simulation) []step {
			first, second := s.answer()
			return []step{{after: s.some(9 * time.Second), text: first + " "}, {after: s.some(3 * time.Second), text: second}}
		})),
		voiceFaults("refused", true, func(_ *simulation, v *fakeSynthesizer, times int) { v.fail, v.err = times, errKey }),
		voiceFaults("error", false, func(_ *simulation, v *fakeSynthesizer, times int) { v.fail, v.err = times, errBusy }),
		voiceFaults("silent", false, func(_ *simulation, v *fakeSynthesizer, times int) { v.hangs = times }),
		voiceFaults("stalled", false, func(s *simulation, v *fakeSynthesizer, times int) { v.stalls, v.after = times, 1+s.random.IntN(8) }),
		voiceFaults("cut", false, func(s *simulation, v *fakeSynthesizer, times int) {
			v.breaks, v.after, v.err = times, 1+s.random.IntN(8), errReset
		}),
		voiceFaults("empty", false, func(_ *simulation, v *fakeSynthesizer, times int) { v.empty = times }),
		voiceFaults("noise", false, func(_ *simulation, v *fakeSynthesizer, times int) { v.noisy = times }),
		{{"voice: slow", true, false, func(s *simulation) {
			s.synthesizer.mu.Lock()
			defer s.synthesizer.mu.Unlock()
			s.synthesizer.delay = s.some(4 * time.Second)
		}}},
		{{"recogniser: cut", false, false, func(s *simulation) { time.AfterFunc(s.some(900*ms), func() { s.recognizer.snap(errReset) }) }}},
	} {
		all = append(all, faults...)
	}
	return all
}

// heal ends the faults of a turn.
func (s *simulation) heal() {
	s.mu.Lock()
	s.answers, s.forever = nil, nil
	s.mu.Unlock()
	s.synthesizer.mu.Lock()
	defer s.synthesizer.mu.Unlock()
	v := s.synthesizer
	v.fail, v.hangs, v.stalls, v.breaks, v.empty, v.noisy, v.delay, v.err = 0, 0, 0, 0, 0, 0, 80*ms, nil
}

// turnsOfSimulation is how many turns a simulated call has, each with a fault.
const turnsOfSimulation = 2

// simulate has the caller ask twice, with faults at each turn.
func simulate(t *testing.T, seed uint64, all []simulatedFault) {
	t.Helper()
	s := &simulation{random: rand.New(rand.NewPCG(seed, 32))}
	fallback := s.random.IntN(2) == 0
	drawn := make([]simulatedFault, turnsOfSimulation)
	mayEnd := false
	for i := range drawn {
		drawn[i] = all[s.random.IntN(len(all))]
		mayEnd = mayEnd || !fallback && drawn[i].fatal
	}
	var asked []time.Time
	perform(t, func(x *scenario) {
		s.scenario = x
		x.synthesizer.timed, x.mouth2.timed = s.random.IntN(2) == 0, s.random.IntN(2) == 0
		if fallback {
			fallbacks(x)
		}
		turned(`{"budget_ms": 0, "silence_prompts": 0}`)(x)
		x.model.reply = func(p dialogue.Prompt) []step { return s.reply(p, false) }
		x.brain2.reply = func(p dialogue.Prompt) []step { return s.reply(p, true) }
		x.cacheSpeech("anna")
	}, func(x *scenario) {
		x.wait(1500 * ms)
		for turn := range turnsOfSimulation {
			s.mu.Lock()
			s.turn = turn + 1
			drawn[turn].begin(s)
			s.mu.Unlock()
			words := fmt.Sprintf("when does number %d open", turn+1)
			x.ear2.mu.Lock()
			x.ear2.texts = []string{words}
			x.ear2.mu.Unlock()
			x.say(words, 1000*ms)
			asked = append(asked, time.Now().Add(1000*ms))
			if !s.waitAnswer(len(asked)) {
				return
			}
			s.heal()
		}
	}, func(x *scenario) { s.check(seed, fallback, drawn, asked, mayEnd) })
}

// waitAnswer waits until the nth question is answered, and reports whether the call goes on.
func (s *simulation) waitAnswer(n int) bool {
	answered := false
	for range 120 {
		s.wait(500 * ms)
		select {
		case <-s.ended:
			return false
		default:
		}
		if answered {
			return true // and the call has not ended with it
		}
		s.journal.mu.Lock()
		questions := 0
		for _, line := range s.journal.lines {
			if strings.HasPrefix(line, "user: ") {
				questions++
			}
			answered = questions == n && strings.HasPrefix(line, "assistant: ")
		}
		s.journal.mu.Unlock()
	}
	return true
}

func (s *simulation) check(seed uint64, fallback bool, drawn []simulatedFault, asked []time.Time, mayEnd bool) {
	s.Helper()
	report := func(format string, arguments ...any) {
		s.Helper()
		s.Errorf("seed %d, %s, then %s, fallback %t: %s\n%s\n%v", seed, drawn[0].name, drawn[1].name, fallback, fmt.Sprintf(format, arguments...),
			strings.Join(s.journal.lines, "\n"), s.journal.problems)
	}
	if s.end != "" && (!mayEnd || s.end != ProviderError) {
		report("the call ended with %q", s.end)
	}
	for _, at := range asked {
		last := at
		for _, frame := range s.line.heard() {
			if frame.at.After(at) {
				if silence := frame.at.Sub(last); silence > 8*time.Second && last.Sub(at) < 30*time.Second {
					report("silent for %v, %v after the caller's words", silence, last.Sub(at))
					break
				}
				last = frame.at
			}
		}
		if last.Equal(at) {
			report("nothing was heard after the question at %v", at)
		}
	}
	heard := strings.Join(s.journal.lines, " ")
	for turn := range asked {
		for _, sentence := range []string{fmt.Sprintf("Number %d opens", turn+1), fmt.Sprintf("number %d closes at five.", turn+1), apology} {
			if strings.Count(heard, sentence) > 1 {
				report("%q was said twice", sentence)
			}
		}
	}
}

// simulatedFaultsByDefault is how many faults are simulated unless PARLEY_SIMULATED_FAULTS says another number.
const simulatedFaultsByDefault = 600

// Whatever goes wrong at a provider, once or until it is replaced: no silence above 8 s, no sentence twice, and no call ends that a
// fallback or a retry saves.
func TestSimulatedFaults(t *testing.T) {
	n := simulatedFaultsByDefault
	if given := os.Getenv("PARLEY_SIMULATED_FAULTS"); given != "" {
		var err error
		if n, err = strconv.Atoi(given); err != nil {
			t.Fatal(err)
		}
	}
	all := simulatedFaults()
	for seed := range uint64(n / turnsOfSimulation) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { simulate(t, seed, all) })
	}
}
