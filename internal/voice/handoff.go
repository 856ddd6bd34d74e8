package voice

import (
	"context"
	"time"

	"parley/internal/dialogue"
	"parley/internal/netguard"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
)

// executeFollowUp executes what the model or a tool requested for after the answer: a handoff, a transfer or the end of the
// call; without a request the agent listens.
func (s *Session) executeFollowUp(ctx context.Context, a *answer, now time.Time) {
	if a.followUp != nil {
		s.executeToolFollowUp(ctx, a.followUp, now)
		return
	}
	for _, call := range a.calls {
		to, offered := a.destinations[call.Name]
		if !offered {
			continue
		}
		call.Arguments = s.problems.mask.JSON(call.Arguments)
		s.options.Journal.EntryAdded(Entry{Role: dialogue.RoleAssistant, At: now, Agent: s.router.Agent(), Tool: &call})
		if to.EndsCall() {
			s.endCallAt(now.Add(farewellTail), AgentEnded)
		} else {
			s.handOff(ctx, to)
		}
		return
	}
	s.agentState.set(Listening)
}

// executeToolFollowUp executes the action that a tool requested.
func (s *Session) executeToolFollowUp(ctx context.Context, f *toolFollowUp, now time.Time) {
	switch {
	case f.transfer != nil:
		s.beginTransfer(ctx, *f.transfer, now)
	case f.number != "":
		s.transferCall(ctx, f.number)
	case f.to.EndsCall():
		s.endCallAt(now.Add(farewellTail), AgentEnded)
	default:
		s.handOff(ctx, f.to)
	}
}

// handOff enters a destination and opens the providers of its agent, which speaks once they are open.
func (s *Session) handOff(ctx context.Context, to routing.Destination) {
	previous := s.router.Agent()
	if err := s.router.Enter(to); err != nil {
		s.problems.report(Problem{Service: Workflow, Message: err.Error(), Agent: previous, At: time.Now()})
		s.agentState.set(Listening)
		return
	}
	agent := s.router.Agent()
	s.options.Journal.AgentChanged(agent, previous)
	s.reportHandoffLimits()
	s.saveSnapshot()
	s.reportRouting()
	s.applyAgentSettings()
	s.applySounds(ctx)
	s.phase = handingOff
	s.agentState.set(Thinking)
	s.providers.Open(ctx, s.agentSpec())
}

// applyAgentSettings applies the current agent's settings of turn-taking and audio.
func (s *Session) applyAgentSettings() {
	s.settings, _ = turn.Override(s.options.Turn, s.router.Config().Turn) // invalid settings were rejected when the agent was saved
	s.detector.SetOptions(s.settings)
	s.detector.SetLanguage(s.router.Language())
	s.input.listener.Configure(s.router.Config().Audio)
	s.hidden.on = s.hidden.on || s.router.Config().Redaction.BeforeModel
	s.keys.options = newKeyOptions(s.router.Config().DTMF)
}

// greetAfterHandoff has the agent that received the call greet the caller, unless the caller has begun to speak meanwhile.
func (s *Session) greetAfterHandoff(ctx context.Context) {
	const instruction = "The caller was handed over to you. Go on with the conversation."
	s.phase = conversing
	if s.isIdle() {
		s.greet(ctx, instruction)
		return
	}
	s.history.Add(dialogue.RoleSystem, instruction)
	s.phase = greetingPending
	s.agentState.set(Listening)
}

// greetAfterNoise has the agent greet after all: no word was recognised in the caller's sound during the handoff.
func (s *Session) greetAfterNoise(ctx context.Context, _ time.Time) {
	s.phase = conversing
	s.greet(ctx, "What was heard of the caller was a noise. Begin.")
}

// transferCall starts to connect the caller with a phone number; the session ends once that is done.
func (s *Session) transferCall(ctx context.Context, number string) {
	s.phase = transferring
	s.agentState.set(Thinking)
	s.work.Go(func() {
		s.transferResults <- providers.CatchPanic(func() error { return s.options.Phone.Transfer(ctx, number) })
	})
}

// handleTransferResult ends the call after a transfer, or has the agent report its failure. A transfer that the call's end
// cancelled is no failure.
func (s *Session) handleTransferResult(ctx context.Context, err error) {
	if s.phase == transferring {
		s.phase = conversing
	}
	switch {
	case err == nil:
		s.endCallAt(time.Now(), Transferred)
		return
	case ctx.Err() != nil:
		return
	}
	s.problems.report(Problem{Service: ToolUse, Critical: true, Message: "the call could not be transferred: " + netguard.Text(err), Agent: s.router.Agent(), At: time.Now()})
	s.generateOnInstruction(ctx, "The call could not be transferred. Tell the caller and go on with the conversation.")
}

// wasTransferred reports whether the context ended because the call was transferred.
func (s *Session) wasTransferred() bool {
	select {
	case err := <-s.transferResults:
		return err == nil
	default:
		return false
	}
}
