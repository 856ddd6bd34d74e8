package voice

import (
	"context"
	"fmt"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
)

// followUp carries out what an answer called for: the call continues, is handed over to another agent, or ends.
func (s *Session) followUp(ctx context.Context, a *answer, now time.Time) {
	if a.next != nil {
		s.carryOutNext(ctx, a.next, now)
		return
	}
	for _, call := range a.calls {
		to, offered := a.destinations[call.Name]
		if !offered {
			continue
		}
		call.Arguments = s.problems.mask.JSON(call.Arguments)
		s.o.Journal.EntryAdded(Entry{Role: dialogue.RoleAssistant, At: now, Agent: s.router.Agent(), Tool: &call})
		if to.EndsCall() {
			s.closeAt(now.Add(farewellTail), AgentEnded)
		} else {
			s.handOff(ctx, to)
		}
		return
	}
	s.client.set(Listening)
}

// carryOutNext carries out what a tool asked for, now that the answer was played.
func (s *Session) carryOutNext(ctx context.Context, f *toolFollowUp, now time.Time) {
	switch {
	case f.number != "":
		s.transfer(ctx, f.number)
	case f.to.EndsCall():
		s.closeAt(now.Add(farewellTail), AgentEnded)
	default:
		s.handOff(ctx, f.to)
	}
}

// handOff lets another agent continue the conversation.
func (s *Session) handOff(ctx context.Context, to routing.Destination) {
	previous := s.router.Agent()
	if err := s.router.Enter(to); err != nil {
		s.problems.report(Problem{Service: Workflow, Message: err.Error(), Agent: previous, At: time.Now()})
		s.client.set(Listening)
		return
	}
	agent := s.router.Agent()
	s.o.Journal.AgentChanged(agent, previous)
	if s.router.AtHandoffLimit() {
		s.problems.report(Problem{Service: Workflow, Agent: agent, At: time.Now(),
			Message: fmt.Sprintf("the call was handed over %d times without a word of the caller; no agent can hand it over until they speak", routing.MaxHandoffs)})
	}
	s.save()
	s.reportWarnings(agent)
	s.applySettings()
	s.phase = handingOff
	s.client.set(Thinking)
	s.providers.Open(ctx, s.need())
}

// applySettings applies the current agent's settings of turn-taking.
func (s *Session) applySettings() {
	s.settings, _ = turn.Override(s.o.Turn, s.router.Config().Turn) // faults were refused when the agent was saved
	s.detector.SetOptions(s.settings)
	s.listener.Configure(s.router.Config().Audio)
}

// introduce begins the turn of an agent that was handed the call: it speaks first, unless the caller has spoken
// meanwhile.
func (s *Session) introduce(ctx context.Context) {
	const instruction = "The caller was handed over to you. Go on with the conversation."
	s.phase = conversing
	if s.isIdle() {
		s.greet(ctx, instruction)
		return
	}
	s.history.Add(dialogue.RoleSystem, instruction)
	s.phase = introducing
	s.client.set(Listening)
}

// introduceAfterNoise has the agent speak first after all, if no word was recognised in the caller's sound during the
// handoff.
func (s *Session) introduceAfterNoise(ctx context.Context, _ time.Time) {
	s.phase = conversing
	s.greet(ctx, "What was heard of the caller was a noise. Begin.")
}

// transfer connects the caller with a phone number; the session ends then.
func (s *Session) transfer(ctx context.Context, number string) {
	s.phase = transferring
	s.client.set(Thinking)
	s.work.Go(func() {
		s.transfers <- providers.CatchPanic(func() error { return s.o.Phone.Transfer(ctx, number) })
	})
}

// handleTransferred handles the result of a transfer. One that was cut off by the call's end did not fail.
func (s *Session) handleTransferred(ctx context.Context, err error) {
	if s.phase == transferring {
		s.phase = conversing
	}
	switch {
	case err == nil:
		s.closeAt(time.Now(), AgentEnded)
		return
	case ctx.Err() != nil:
		return
	}
	s.problems.report(Problem{Service: ToolUse, Critical: true, Message: fmt.Sprintf("the call could not be transferred: %v", err), Agent: s.router.Agent(), At: time.Now()})
	s.instruct(ctx, "The call could not be transferred. Tell the caller and go on with the conversation.")
}

// wasTransferred reports whether the call was transferred just now: that is the reason for its end, then.
func (s *Session) wasTransferred() bool {
	select {
	case err := <-s.transfers:
		return err == nil
	default:
		return false
	}
}
