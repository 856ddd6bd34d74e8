package voice

import (
	"context"
	"time"

	"parley/internal/control"
	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/voice/routing"
)

// Control is a request of the tenant to the conversation.
type Control struct {
	ID string // for Journal.ControlEnded
	control.Request
}

// Why a Control is refused.
const (
	refusedEnding     = "the call is ending"
	refusedTransfer   = "the caller is being transferred"
	refusedUnanswered = "it is not known yet who has answered the phone"
	refusedNoPhone    = "mode refer needs a phone call: use bridge, announce or consult"
	refusedNoDialling = "nobody can be dialled from here"
	refusedNoRoom     = "nobody can join the call here"
	refusedOperated   = "a person has taken the call over"
	refusedReplaced   = "another person takes the call over, or the call has ended"
)

// mutedNote is an instruction to the model that has not answered the caller's last words.
const mutedNote = "You were muted for a while, and are not any more. What the caller said meanwhile is above; a person may have answered it."

// handleControl executes a control, or has it wait until neither side speaks.
func (s *Session) handleControl(ctx context.Context, c Control, now time.Time) {
	if refusal := s.refusalOf(c); refusal != "" {
		s.options.Journal.ControlEnded(c.ID, refusal)
		return
	}
	s.silence.recordActivity(now)
	switch {
	case c.Kind == control.Context:
		s.changeContext(c)
	case c.Kind == control.Mute:
		s.setMuted(c.Muted, now)
		s.options.Journal.ControlEnded(c.ID, "")
	case c.Kind == control.Message && !c.Respond:
		s.addFact(c.Text)
		s.options.Journal.ControlEnded(c.ID, "")
	case c.Kind == control.TakeOver:
		s.admitOperator(ctx, c)
	case s.isIdle() && len(s.controls) == 0, c.Interrupt && s.phase == conversing:
		s.executeControl(ctx, c, now)
	default:
		s.controls = append(s.controls, c)
	}
}

// refusalOf returns why a control is refused; "" if it is not.
func (s *Session) refusalOf(c Control) string {
	switch {
	case s.phase.ends():
		return refusedEnding
	case c.Kind == control.Context, c.Kind == control.Message && !c.Respond:
		return ""
	case s.phase.detectsAnswer():
		return refusedUnanswered
	case c.Kind == control.Mute:
		return ""
	case s.phase == transferring || s.transfer != nil:
		return refusedTransfer
	case s.phase == operated || s.operator != nil && s.operator.joined:
		return refusedOperated
	case c.Kind == control.TakeOver && s.options.Persons == nil:
		return refusedNoRoom
	case c.Kind != control.Transfer:
		return ""
	case c.Next.Transfer == nil && s.options.Phone == nil:
		return refusedNoPhone
	case c.Next.Transfer != nil && s.options.Persons == nil:
		return refusedNoDialling
	}
	return ""
}

// executeWaitingControl executes the oldest control that waits.
func (s *Session) executeWaitingControl(ctx context.Context, now time.Time) {
	c := s.controls[0]
	s.controls = s.controls[1:]
	if refusal := s.refusalOf(c); refusal != "" {
		s.options.Journal.ControlEnded(c.ID, refusal)
		return
	}
	s.executeControl(ctx, c, now)
}

// executeControl executes a control by which the agent speaks, or hands the caller over.
func (s *Session) executeControl(ctx context.Context, c Control, now time.Time) {
	refusal := ""
	switch c.Kind {
	case control.Say:
		s.sayText(ctx, c.Text, c.Uninterruptible)
	case control.Message:
		s.addFact(c.Text)
		if s.muted {
			break
		}
		s.generateAnswer(ctx, "", false)
		s.agentState.set(Thinking)
	case control.Transfer:
		refusal = s.transferOnRequest(ctx, *c.Next, now)
	}
	s.options.Journal.ControlEnded(c.ID, refusal)
}

// sayText has the agent say a text in place of what it says now.
func (s *Session) sayText(ctx context.Context, text string, uninterruptible bool) {
	s.speakFixedText(ctx, routing.Rendered{Text: text})
	s.output.current.requested, s.output.current.uninterruptible = true, uninterruptible
}

// transferOnRequest hands the caller over, after a message if there is one. It returns why that is refused; "" if it is not.
func (s *Session) transferOnRequest(ctx context.Context, next tool.Next, now time.Time) string {
	f, err := s.tools.planFollowUp(&next)
	if err != nil {
		return err.Error()
	}
	s.tools.transfers++
	if f.message == "" {
		s.stopSuspended(now)
		s.stopAnswer(now)
		s.executeToolFollowUp(ctx, f, now)
		return ""
	}
	s.sayText(ctx, f.message, true)
	s.output.current.followUp = f
	return ""
}

// addFact adds a fact for the model.
func (s *Session) addFact(text string) {
	s.history.Add(dialogue.RoleSystem, text)
	if s.providers.UsesRealtime() {
		s.feed.sendInstructions()
	}
}

// setMuted has the agent say nothing by itself, or answer again. Speech that a control has requested, and speech to a person to whom the
// caller is transferred, is not stopped.
func (s *Session) setMuted(muted bool, now time.Time) {
	if s.muted == muted {
		return
	}
	s.muted = muted
	switch a := s.output.current; {
	case !muted:
		s.addFact(mutedNote)
	case s.phase.takesTurns() && (a == nil || !a.requested):
		s.stopSuspended(now)
		s.stopAnswer(now)
		s.agentState.set(Listening)
	}
	s.saveSnapshot()
}

// changeContext merges values into the user's context.
func (s *Session) changeContext(c Control) {
	if err := s.router.MergeUser(c.UserContext); err != nil {
		s.options.Journal.ControlEnded(c.ID, err.Error())
		return
	}
	s.contextChanged()
	s.saveSnapshot()
	s.reportRouting()
	s.options.Journal.ControlEnded(c.ID, "")
}

// contextChanged masks the user's context from now on, and has snapshots contain it.
func (s *Session) contextChanged() {
	s.changedUser = s.router.User()
	s.maskContext()
}

// maskContext masks the user's context in what is stored of the call.
func (s *Session) maskContext() {
	*s.problems.mask = tool.NewMask(map[string]any{"user": s.router.User(), "call": s.options.Call.Personal()})
}
