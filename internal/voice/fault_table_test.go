package voice

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/generation"
)

// fault is what a provider does to the caller's question; prepare sets it up before the call.
type fault struct {
	kind, name string
	prepare    func(*scenario)
	act        func(*scenario) // when the caller has spoken; nil for nothing
}

// answersOnce has the model do this to the caller's first words, and answer all others.
func answersOnce(steps ...step) func(*scenario) {
	return func(s *scenario) {
		s.model.reply = func(p dialogue.Prompt) []step {
			if p.Messages[len(p.Messages)-1].Content == generation.CutOffInstruction {
				return []step{{after: 150 * ms, text: "And close at five."}}
			}
			if strings.Contains(lastUser(p), "when do you open") {
				return steps
			}
			return []step{{after: 150 * ms, text: "Yes."}}
		}
	}
}

// voiceFault sets the voice up once the greeting was spoken.
func voiceFault(set func(*fakeSynthesizer)) func(*scenario) {
	return func(s *scenario) {
		time.AfterFunc(2*time.Second, func() {
			s.synthesizer.mu.Lock()
			defer s.synthesizer.mu.Unlock()
			set(s.synthesizer)
		})
	}
}

func snaps(err error) func(*scenario) { return func(s *scenario) { s.recognizer.snap(err) } }

var (
	errReset = dialogue.NewError("connection reset")
	errBusy  = dialogue.NewError("too many requests at once")
	text     = step{after: 150 * ms, text: "We open at nine. And"}
)

// faults are what may happen to each kind of provider.
var faults = []fault{
	{"model", "none", answersOnce(step{after: 150 * ms, text: "We open at nine."}), nil},
	{"model", "refused: key or account", answersOnce(step{err: errKey}), nil},
	{"model", "refused: the request, in mid-call", with(answersOnce(step{err: dialogue.ErrRequestRefused}), proven), nil},
	{"model", "rate-limited", answersOnce(step{after: 50 * ms, err: errBusy}), nil},
	{"model", "slow: 4 s", answersOnce(step{after: 4 * time.Second, text: "We open at nine."}), nil},
	{"model", "slow: 9 s", answersOnce(step{after: 9 * time.Second, text: "We open at nine."}), nil},
	{"model", "silent", answersOnce(step{after: time.Hour}), nil},
	{"model", "stalled in mid-answer", answersOnce(text, step{after: time.Hour}), nil},
	{"model", "cut in mid-answer", answersOnce(text, step{err: errReset}), nil},
	{"model", "closed before the end", answersOnce(step{after: 150 * ms, text: "We open at nine."}, step{err: dialogue.ErrUnfinished}), nil},
	{"model", "empty", answersOnce(), nil},
	{"model", "malformed", answersOnce(step{after: 150 * ms, err: dialogue.NewError("the answer cannot be read")}), nil},
	{"model", "answer filtered", answersOnce(step{after: 150 * ms, err: errFiltered}), nil},
	{"model", "prompt filtered", answersOnce(step{after: 150 * ms, err: errRejected}), nil},
	{"voice", "refused: key or account", voiceFault(func(v *fakeSynthesizer) { v.fail, v.err = 1000, errKey }), nil},
	{"voice", "refused: one sentence", func(s *scenario) {
		s.synthesizer.refuse, s.synthesizer.err = "We open at nine.", dialogue.ErrRequestRefused
	}, nil},
	{"voice", "rate-limited", voiceFault(func(v *fakeSynthesizer) { v.fail, v.err = 1000, errBusy }), nil},
	{"voice", "rate-limited once", voiceFault(func(v *fakeSynthesizer) { v.fail, v.err = 1, errBusy }), nil},
	{"voice", "slow: 5 s", voiceFault(func(v *fakeSynthesizer) { v.delay = 5 * time.Second }), nil},
	{"voice", "silent", voiceFault(func(v *fakeSynthesizer) { v.delay = time.Hour }), nil},
	{"voice", "cut in mid-answer, once", voiceFault(func(v *fakeSynthesizer) { v.breaks, v.after = 1, 2 }), nil},
	{"voice", "empty, once", voiceFault(func(v *fakeSynthesizer) { v.empty = 1 }), nil},
	{"voice", "silent once", voiceFault(func(v *fakeSynthesizer) { v.hangs = 1 }), nil},
	{"voice", "stalled in mid-answer, once", voiceFault(func(v *fakeSynthesizer) { v.stalls, v.after = 1, 2 }), nil},
	{"voice", "wrong audio", voiceFault(func(v *fakeSynthesizer) { v.noise = true }), nil},
	{"voice", "wrong audio, once", voiceFault(func(v *fakeSynthesizer) { v.noisy = 1 }), nil},
	{"recogniser", "cut once", nil, snaps(errReset)},
	{"recogniser", "refused: key or account", nil, snaps(errKey)},
	{"recogniser", "silent, or it has heard no speech", func(s *scenario) { s.recognizer.texts = []string{"[BLANK_AUDIO]"} }, nil},
}

// proven has the model answer something before.
func proven(s *scenario) {
	reply := s.model.reply
	anna := s.options.Plan.Agents["anna"]
	anna.Prompt.Greeting = ""
	s.options.Plan.Agents["anna"] = anna
	s.model.reply = func(p dialogue.Prompt) []step {
		if lastUser(p) == "" {
			return []step{{after: 150 * ms, text: "Hello there."}}
		}
		return reply(p)
	}
}

// experience is what the caller of one question hears.
type experience struct {
	heard   string        // after the question
	first   time.Duration // from the caller's last sound to the agent's first; 0 for none
	silence time.Duration // the longest, from the caller's last sound to the end of the answer or of the call
	end     End
}

// experienceOf has the caller ask a question of an agent, with or without fallbacks.
func experienceOf(t *testing.T, f fault, fallback bool) (e experience) {
	prepare := func(s *scenario) {
		s.ear2.texts, s.mouth2.timed = []string{"when do you open"}, true
		if fallback {
			fallbacks(s)
		}
		anna := s.options.Plan.Agents["anna"]
		anna.Turn = []byte(`{"budget_ms": 0, "silence_prompts": 0}`)
		if f.kind == "recogniser" {
			anna.Turn = []byte(`{"budget_ms": 0, "silence_prompts": 1, "silence_prompt": "Are you still there?"}`)
		}
		s.options.Plan.Agents["anna"] = anna
		s.brain2.reply = func(p dialogue.Prompt) []step {
			if p.Messages[len(p.Messages)-1].Content == generation.CutOffInstruction {
				return []step{{after: 150 * ms, text: "And close at five."}}
			}
			return []step{{after: 150 * ms, text: "At nine, says the fallback."}}
		}
		s.cacheSpeech("anna")
		if f.prepare != nil {
			f.prepare(s)
		}
	}
	var asked, over time.Time
	perform(t, prepare, func(s *scenario) {
		s.wait(2 * time.Second)
		words := "when do you open"
		if len(s.recognizer.texts) > 0 {
			words = ""
		}
		s.say(words, 1000*ms)
		asked = time.Now().Add(1000 * ms)
		s.wait(600 * ms)
		if f.act != nil {
			f.act(s)
		}
		if f.kind == "recogniser" {
			s.wait(11500 * ms) // for a silence prompt at most
		} else {
			s.wait(40 * time.Second)
		}
		over = time.Now()
	}, func(s *scenario) {
		var heard []string
		for _, line := range s.journal.lines[1:] {
			if text, agents := strings.CutPrefix(line, "assistant: "); agents {
				heard = append(heard, text)
			}
		}
		e.heard, e.end = strings.Join(heard, " "), s.end
		last := asked
		for _, frame := range s.line.heard() {
			if !frame.at.After(asked) {
				continue
			}
			if e.first == 0 {
				e.first = frame.at.Sub(asked)
			}
			e.silence = max(e.silence, frame.at.Sub(last))
			last = frame.at
		}
		if e.first == 0 {
			e.silence = over.Sub(asked)
		}
	})
	return e
}

// fixedTexts replaces fixed texts by their slugs.
var fixedTexts = strings.NewReplacer(
	"One moment, please.", "`wait`",
	"I am sorry, this takes a little longer.", "`wait_longer`",
	"I am sorry, could you say that again?", "`pardon`",
	"I am sorry, I cannot answer that. Can I help you with something else?", "`declined`",
	"I am sorry, I have a technical problem. Please call again later.", "`error`",
)

// cells are what is heard, the times, and whether the call goes on.
func (e experience) cells() string {
	heard := fixedTexts.Replace(cmp.Or(e.heard, "nothing"))
	when := "–"
	if e.first > 0 {
		when = seconds(e.first)
	}
	end := "goes on"
	if e.end != "" {
		end = "ends: `" + string(e.end) + "`"
	}
	return fmt.Sprintf("%s | %s | %s | %s", heard, when, seconds(e.silence), end)
}

func seconds(d time.Duration) string {
	return fmt.Sprintf("%.1f s", d.Round(100*time.Millisecond).Seconds())
}

// The table of faults in the documents is what happens.
func TestFaultTable(t *testing.T) {
	var rows []string
	for _, f := range faults {
		without, with := experienceOf(t, f, false), experienceOf(t, f, true)
		if with.end != "" {
			t.Errorf("%s, %s: the call ends with a fallback: %s", f.kind, f.name, with.end)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |", f.kind, f.name, without.cells(), strings.TrimSuffix(with.cells(), " | goes on")))
	}
	page, err := os.ReadFile("../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	var published []string
	for line := range strings.SplitSeq(string(page), "\n") {
		if strings.HasPrefix(line, "| model |") || strings.HasPrefix(line, "| voice |") || strings.HasPrefix(line, "| recogniser |") {
			published = append(published, line)
		}
	}
	if !slices.EqualFunc(rows, published, sameRow) {
		t.Errorf("the rows of docs/faults.md are not what happens, which is:\n%s", strings.Join(rows, "\n"))
	}
}

// sameRow compares rows. A question ends within a frame or two of its last sound: times may differ by two tenths of a second.
func sameRow(a, b string) bool {
	return slices.EqualFunc(strings.Split(a, " | "), strings.Split(b, " | "), func(a, b string) bool {
		var x, y float64
		if _, err := fmt.Sscanf(a+" "+b, "%f s %f s", &x, &y); err == nil {
			return math.Abs(x-y) < 0.25
		}
		return a == b
	})
}

// With fallbacks, whatever goes wrong: the call goes on, something is heard within 8 s, and no sentence is said twice.
func TestFaultsWithFallbacks(t *testing.T) {
	random := rand.New(rand.NewPCG(32, 1))
	for range 300 {
		f := faults[random.IntN(len(faults)-1)]                     // but the last: nobody knows that there is a question
		late := time.Duration(random.IntN(3000)) * time.Millisecond // of the voice, besides
		delayed := f
		delayed.prepare = func(s *scenario) {
			s.mouth2.delay, s.brain2.reply = late, slowly(late, s.brain2.reply)
			if f.prepare != nil {
				f.prepare(s)
			}
		}
		e := experienceOf(t, delayed, true)
		sentences := strings.Split(e.heard+" ", ". ")
		slices.Sort(sentences)
		twice := len(slices.Compact(sentences)) < strings.Count(e.heard+" ", ". ")+1
		if e.end != "" || e.first == 0 || e.silence > 8*time.Second || twice {
			t.Errorf("%s, %s, and a fallback that takes %v: %+v", f.kind, f.name, late, e)
		}
	}
}

// slowly has a model take longer for each answer.
func slowly(late time.Duration, reply func(dialogue.Prompt) []step) func(dialogue.Prompt) []step {
	return func(p dialogue.Prompt) []step { return append([]step{{after: late}}, reply(p)...) }
}
