package voice

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/agent"
	"parley/internal/answering"
	"parley/internal/dialogue"
	"parley/internal/voice/routing"
)

const (
	// machinePause is the quiet after which the agent speaks to a machine, and machineWait the longest wait for it.
	machinePause, machineWait = 700 * time.Millisecond, 10 * time.Second
	// maxIdentified is how often the agent tells who is calling.
	maxIdentified = 3
	// overMessage is the speech of the other side for which the message stops.
	overMessage = 400 * time.Millisecond
	// lateBeep is how much of a message may have been heard before a beep for which it begins again.
	lateBeep = 4 * time.Second
)

// endOfAction returns why a call ends that a class has answered.
func endOfAction(class answering.Class) End {
	switch class {
	case answering.Voicemail, answering.MailboxFull:
		return Voicemail
	case answering.Screening:
		return ScreenedOut
	case answering.Menu:
		return MenuFailed
	}
	return AgentEnded
}

// executeAnswerAction does what the agent's settings say about who has answered.
func (s *Session) executeAnswerAction(ctx context.Context, now time.Time) {
	w := &s.answered
	w.heldSince = now
	switch do := w.action.Do; {
	case s.hasReachedPerson():
		s.speakToPerson(ctx, now)
	case do == agent.AnswerEnd:
		s.endAnswered(now, endOfAction(w.class))
	case do == agent.AnswerLeaveMessage:
		s.prepareMessage(ctx, now)
	case do == agent.AnswerIdentify:
		s.prepareIdentification(ctx, now)
	case do == agent.AnswerNavigate:
		s.beginMenu(now)
	default:
		if w.class == answering.Human || w.judge == nil {
			s.speakToPerson(ctx, now)
			return
		}
		s.phase = detectingAnswer // until the machine is quiet: it would interrupt the opening
	}
}

// hasReachedPerson reports whether a person is on the line to whom the agent has identified itself, or whom it has reached through a menu.
func (s *Session) hasReachedPerson() bool {
	w := &s.answered
	if w.class != answering.Human {
		return false
	}
	return w.action.Do == agent.AnswerIdentify && w.identified > 0 || w.action.Do == agent.AnswerNavigate && s.phase == navigating
}

// endAnswered ends the call without a word.
func (s *Session) endAnswered(now time.Time, end End) {
	s.takeWords(now)
	s.stopAnswer(now)
	s.endCallAt(now, end)
}

// speakToPerson has the agent speak as to a person: its opening is released, or generated if it was not.
func (s *Session) speakToPerson(ctx context.Context, now time.Time) {
	a := s.output.current
	s.phase = conversing
	if a != nil && a == s.answered.opening && a.preemptive {
		s.releaseHeld(now)
		return
	}
	s.takeWords(now)
	s.greet(ctx, openingInstruction)
}

// renderAnswerText fills a text of an action. It reports false, and a problem, if the call lacks a value for it.
func (s *Session) renderAnswerText(field, text string) (routing.Rendered, bool) {
	if missing := s.router.MissingValues(text); len(missing) > 0 {
		s.problems.report(Problem{Service: Workflow, Agent: s.router.Agent(), At: time.Now(),
			Message: fmt.Sprintf("answer_detection.actions.%s.%s names {{%s}}, which this call does not have: it is not spoken",
				s.answered.class, field, strings.Join(missing, "}}, {{"))})
		return routing.Rendered{}, false
	}
	return s.router.RenderText(text), true
}

// speakHeld generates the speech of a text, which is held.
func (s *Session) speakHeld(ctx context.Context, text routing.Rendered, instruction string) {
	s.stopAnswer(time.Now())
	s.history.Add(dialogue.RoleSystem, instruction)
	s.speakFixedText(ctx, text)
}

// prepareMessage generates the message for a mailbox.
func (s *Session) prepareMessage(ctx context.Context, now time.Time) {
	text, ok := s.renderAnswerText("text", s.answered.action.Text)
	if !ok {
		s.endAnswered(now, Voicemail)
		return
	}
	s.phase = leavingMessage
	s.speakHeld(ctx, text, "A mailbox has answered the call. Leave this message on it.")
}

// keepMessage leaves the message when it is its turn. It stops for a person, and begins again after a late beep.
func (s *Session) keepMessage(ctx context.Context, now time.Time) {
	w := &s.answered
	a := s.output.current
	switch {
	case a == nil:
	case a.preemptive && s.messageDue(now):
		w.judge.ExpectPerson(now)
		w.heldSince = now
		s.releaseHeld(now)
	case a.preemptive:
	case w.judge.BeepEnded().After(w.heldSince) && s.output.queue.PlayedTime() < lateBeep:
		s.stopAnswer(now)
		w.judge.ExpectPerson(now)
		w.heldSince = now
		s.speakFixedText(ctx, a.fixedText)
		s.releaseHeld(now)
	case w.judge.Speaking(now) >= overMessage && !w.judge.HasPhrase():
		s.output.queue.Pause()
	case s.output.queue.Paused() && w.judge.Quiet(now) >= answering.MessagePause:
		s.output.queue.Resume() // it was no person
	}
}

// messageDue reports whether a mailbox waits for the message.
func (s *Session) messageDue(now time.Time) bool {
	w := &s.answered
	if now.Sub(w.heldSince) >= w.action.MaxWait() {
		return true
	}
	return w.judge.MayLeaveMessage(w.action.After != agent.AfterSilence, now)
}

// endAfterMessage ends the call when the message was left.
func (s *Session) endAfterMessage(_ context.Context, _ *answer, now time.Time) {
	s.endCallAt(now.Add(farewellTail), VoicemailLeft)
}

// prepareIdentification generates what the agent tells an assistant.
func (s *Session) prepareIdentification(ctx context.Context, now time.Time) {
	w := &s.answered
	name, hasName := s.renderAnswerText("name", w.action.Name)
	purpose, hasPurpose := s.renderAnswerText("purpose", w.action.Purpose)
	if !hasName || !hasPurpose || w.identified >= maxIdentified {
		s.endAnswered(now, endOfAction(w.class))
		return
	}
	text := s.fixedText(identifyText)
	text.Text = strings.NewReplacer("{name}", name.Text, "{purpose}", purpose.Text).Replace(text.Text)
	text.Fixed = text.Fixed && name.Fixed && purpose.Fixed
	w.identified++
	s.phase = detectingAnswer
	s.speakHeld(ctx, text, "An assistant has answered the call, and asks who is calling.")
}

// speakWhenQuiet speaks to a machine once it is quiet: the opening, or who is calling.
func (s *Session) speakWhenQuiet(ctx context.Context, now time.Time) {
	w := &s.answered
	if w.heldSince.IsZero() || w.judge.Quiet(now) < machinePause && now.Sub(w.heldSince) < machineWait {
		return
	}
	switch {
	case w.action.Do == agent.AnswerContinue:
		s.speakToPerson(ctx, now)
	case w.action.Do == agent.AnswerIdentify && s.output.current != nil && s.output.current.preemptive:
		w.heldSince = time.Time{}
		s.phase = identifying
		s.releaseHeld(now)
	}
}

// listenAfterIdentifying generates the opening for a person who takes the call, and holds it.
func (s *Session) listenAfterIdentifying(ctx context.Context, _ *answer, now time.Time) {
	s.phase = detectingAnswer
	if s.answered.judge != nil {
		s.answered.judge.ExpectPerson(now)
	}
	s.holdOpening(ctx)
}

// holdOpening generates the opening, which is not audible until it is known who listens.
func (s *Session) holdOpening(ctx context.Context) {
	s.greet(ctx, openingInstruction)
	s.answered.opening = s.output.current
}
