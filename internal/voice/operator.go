package voice

import (
	"context"
	"time"

	"parley/internal/netguard"
	"parley/internal/voice/providers"
)

// operatorWait is how long a person who takes the call over may take to join, with their microphone.
const operatorWait = 30 * time.Second

// Operator is a person of the tenant who takes the call over with a microphone, in place of the agent.
type Operator interface {
	Person
	// Joined is closed when the operator's microphone is heard.
	Joined() <-chan struct{}
}

// takeOver is an operator who has been admitted, and takes the call over when they have joined.
type takeOver struct {
	id       string // of the control
	admitted chan admission
	cancel   context.CancelFunc
	operator Operator  // nil until they may join
	joinBy   time.Time // when they must have joined
	joined   bool
}

// admission is the outcome of Persons.Admit.
type admission struct {
	operator Operator
	err      error
}

func (t *takeOver) outcomes() <-chan admission {
	if t == nil {
		return nil
	}
	return t.admitted
}

func (t *takeOver) joining() <-chan struct{} {
	if t == nil || t.operator == nil || t.joined {
		return nil
	}
	return t.operator.Joined()
}

func (t *takeOver) left() <-chan struct{} {
	if t == nil || t.operator == nil {
		return nil
	}
	return t.operator.Left()
}

// admitOperator begins to admit an operator, in place of one who has not joined.
func (s *Session) admitOperator(ctx context.Context, c Control) {
	s.closeOperator()
	t := &takeOver{id: c.ID, admitted: make(chan admission)}
	s.operator = t
	ctx, t.cancel = context.WithCancel(ctx)
	s.work.Go(func() {
		var a admission
		a.err = providers.CatchPanic(func() (err error) {
			a.operator, err = s.options.Persons.Admit(ctx, c.ID)
			return err
		})
		select {
		case t.admitted <- a:
		case <-ctx.Done():
			if a.operator != nil {
				a.operator.HangUp()
			}
		}
	})
}

// handleAdmission handles the outcome of an admission.
func (s *Session) handleAdmission(a admission, now time.Time) {
	t := s.operator
	if a.err != nil {
		s.operator = nil
		t.cancel()
		s.options.Journal.ControlEnded(t.id, netguard.Text(a.err))
		return
	}
	t.operator, t.joinBy = a.operator, now.Add(operatorWait)
	s.options.Journal.ControlEnded(t.id, "")
}

// operatorDueAt returns when an operator who has not joined is not waited for any more; zero for never.
func (s *Session) operatorDueAt() time.Time {
	if t := s.operator; t != nil && !t.joined {
		return t.joinBy
	}
	return time.Time{}
}

// keepOperator has an operator who has joined take the call over, as soon as the agent and the caller take turns.
func (s *Session) keepOperator(ctx context.Context, now time.Time) {
	t := s.operator
	switch {
	case t == nil:
	case s.phase == operated:
		s.silence.recordActivity(now)
	case t.joined && s.phase.takesTurns():
		s.enterOperator(ctx, now)
	case !t.joined && !t.joinBy.IsZero() && !now.Before(t.joinBy):
		s.closeOperator()
	}
}

// enterOperator lets caller and operator hear each other. The agent stops, and writes down what both say.
func (s *Session) enterOperator(ctx context.Context, now time.Time) {
	s.stopSuspended(now)
	s.stopAnswer(now)
	s.greetingWaits = false
	s.operator.operator.Connect()
	s.phase = operated
	s.transcribeColleague(ctx, s.operator.operator)
	s.agentState.set(Listening)
	s.addFact("A colleague has taken the call over, and speaks with the caller in your place.")
	s.options.Journal.OperatorChanged(true, now)
}

// operatorNote has the agent go on with the caller.
const operatorNote = "Your colleague has left the call, and the caller is with you again. What was said meanwhile is above. Say in a few words that you are back, and go on."

// leaveOperator has the agent go on with the caller when the operator has left.
func (s *Session) leaveOperator(ctx context.Context, now time.Time) {
	entered := s.phase == operated
	s.closeColleague(now)
	s.closeOperator()
	if !entered {
		return
	}
	s.options.Journal.OperatorChanged(false, now)
	s.phase = conversing
	s.silence.recordActivity(now)
	s.latency.exclude(now)
	if s.muted {
		s.addFact(operatorNote)
		return
	}
	s.generateOnInstruction(ctx, operatorNote)
}

// closeOperator hangs the operator up, and admits nobody any more.
func (s *Session) closeOperator() {
	t := s.operator
	if t == nil {
		return
	}
	s.operator = nil
	t.cancel()
	if t.operator != nil {
		t.operator.HangUp()
		return
	}
	s.options.Journal.ControlEnded(t.id, refusedReplaced)
}
