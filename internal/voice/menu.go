package voice

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/answering"
	"parley/internal/dialogue"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
)

const (
	// menuPause is the quiet after which a menu waits for a choice, and menuNudge the one after which the agent is asked again
	// although nothing was said.
	menuPause, menuNudge = 1200 * time.Millisecond, 8 * time.Second
	// sameMenu is the share of words that two announcements have in common, if one repeats the other, and maxRepeats how often
	// one may be repeated before the agent gives up.
	sameMenu, maxRepeats = 0.85, 3
)

// menuWalk is the way of the agent through a menu.
type menuWalk struct {
	goal    string
	since   time.Time
	presses int
	said    string   // since the last question
	heard   []string // the announcements so far
	steps   []string // what was heard and done, for the model
	askedAt time.Time
}

// beginMenu begins to find a person through a menu.
func (s *Session) beginMenu(now time.Time) {
	goal, ok := s.renderAnswerText("goal", s.answered.action.Goal)
	if !ok || !s.hasModel() || s.options.Phone == nil {
		if ok {
			s.problems.report(Problem{Service: Workflow, Agent: s.router.Agent(), At: now,
				Message: "a menu has answered, and the agent has no language model that could find its way"})
		}
		s.endAnswered(now, MenuFailed)
		return
	}
	s.stopAnswer(now)
	s.phase = navigating
	s.answered.menu = menuWalk{goal: goal.Text, since: now, askedAt: now, said: s.answered.menu.said}
}

// walkMenu asks the language model what to do when the menu has spoken.
func (s *Session) walkMenu(ctx context.Context, now time.Time) {
	w := &s.answered
	m := &w.menu
	quiet := w.judge.Quiet(now)
	switch {
	case now.Sub(m.since) >= w.action.MenuTime():
		s.endAnswered(now, MenuFailed)
		return
	case w.asking, s.output.current != nil, quiet < menuPause:
		return
	}
	if m.said == "" && s.detector.Text() == "" && now.Sub(m.askedAt) < menuNudge {
		return
	}
	s.takeWords(now)
	s.detector.AgentStopped(now)
	said := m.said
	m.said = ""
	if m.repeats(said) >= maxRepeats {
		s.endAnswered(now, MenuFailed)
		return
	}
	m.askedAt = now
	m.note(said)
	s.askModel(ctx, m.question(w.action.MostPresses()-m.presses))
}

// repeats returns how often the same announcement was heard, with this time.
func (m *menuWalk) repeats(said string) (times int) {
	if said == "" {
		return 0
	}
	m.heard = append(m.heard, said)
	for _, before := range m.heard {
		if similar(before, said) {
			times++
		}
	}
	return times
}

// similar reports whether two announcements have nearly all words in common.
func similar(a, b string) bool {
	words, others := turn.Words(a), turn.Words(b)
	common := 0
	for _, word := range words {
		if at := slices.Index(others, word); at >= 0 {
			others = slices.Delete(slices.Clone(others), at, at+1)
			common++
		}
	}
	return float64(common) >= sameMenu*float64(max(len(words), common+len(others)))
}

// note adds what was heard to the steps.
func (m *menuWalk) note(said string) {
	if said == "" {
		said = "(silence)"
	}
	m.steps = append(m.steps, "Heard: "+said)
}

// question asks what to do next.
func (m *menuWalk) question(pressesLeft int) dialogue.Prompt {
	const most = 40
	if len(m.steps) > most {
		m.steps = m.steps[len(m.steps)-most:]
	}
	system := fmt.Sprintf(`You have called a phone number, and a menu has answered. Your goal: %s.
You get what was heard and done so far. Reply with one line:
PRESS and keys, such as PRESS 2 or PRESS 104# (keys that are left: %d)
SAY and a few words, where the menu takes words
WAIT, to listen on
PERSON, when a person speaks
MAILBOX, when a mailbox takes a message
GIVE UP, when the goal cannot be reached`, m.goal, pressesLeft)
	return dialogue.Prompt{System: system, Messages: []dialogue.Message{{Role: dialogue.RoleUser, Content: strings.Join(m.steps, "\n")}}}
}

// followMenuReply does what the language model has chosen.
func (s *Session) followMenuReply(ctx context.Context, r modelReply, now time.Time) {
	w := &s.answered
	line, _, _ := strings.Cut(r.text, "\n")
	verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.Trim(rest, " \"'.")
	w.menu.steps = append(w.menu.steps, "You: "+line)
	switch strings.ToUpper(strings.Trim(verb, ".:")) {
	case "PRESS":
		s.pressKeys(ctx, s.hidden.values.Restore(rest), now)
	case "SAY":
		s.speakFixedText(ctx, routing.Rendered{Text: rest})
	case "PERSON":
		s.concludeMenu(ctx, answering.Human, now)
	case "MAILBOX":
		s.concludeMenu(ctx, answering.Voicemail, now)
	case "GIVE":
		s.endAnswered(now, MenuFailed)
	case "WAIT":
	default:
		s.problems.report(Problem{Service: LLM, Agent: s.router.Agent(), Provider: s.providers.LLM(), At: now,
			Message: "the language model did not say what to do in the menu: the agent listens on"})
	}
}

// pressKeys presses the keys of a reply. One beyond the limit ends the call.
func (s *Session) pressKeys(ctx context.Context, keys string, now time.Time) {
	m := &s.answered.menu
	keys = strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789*#", r) {
			return r
		}
		return -1
	}, keys)
	if m.presses += len(keys); keys == "" || m.presses > s.answered.action.MostPresses() {
		s.endAnswered(now, MenuFailed)
		return
	}
	s.options.Journal.EntryAdded(Entry{Role: dialogue.RoleAssistant, Keys: true, Text: keys, At: now, Agent: s.router.Agent()})
	phone, log := s.options.Phone, s.options.Log
	s.work.Go(func() {
		if err := phone.SendDTMF(ctx, keys); err != nil {
			log.WarnContext(ctx, "failed to press keys in a menu", "error", dialogue.Summary(err))
		}
	})
}

// concludeMenu handles that somebody else is on the line.
func (s *Session) concludeMenu(ctx context.Context, class answering.Class, now time.Time) {
	if class == answering.Human {
		s.answered.judge.ExpectPerson(now)
	}
	s.answered.judge.ModelAnswered(class, now)
	if v := s.answered.judge.Verdict(); v != nil {
		s.handleVerdict(ctx, *v, now)
	}
}
