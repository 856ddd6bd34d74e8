package voice

import (
	"context"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/generation"
	"parley/internal/voice/providers"
)

// With a realtime model the session's loop is the same: the conversation is the recogniser, and answers come from it
// rather than from a language model and a voice.

// realtimePrompt returns what a conversation with a realtime model begins with, if the agent has one.
func (s *Session) realtimePrompt() dialogue.Prompt {
	if s.router.Config().Realtime == nil {
		return dialogue.Prompt{}
	}
	return dialogue.Prompt{System: s.router.SystemPrompt(), Tools: s.router.Functions().List, Messages: s.history.Messages()}
}

// generateRealtime has the realtime model answer, or the answer wait until it is open again.
func (s *Session) generateRealtime(ctx context.Context, a *answer, r generation.Request) {
	conversation := s.providers.Conversation()
	if conversation == nil {
		a.awaitsConversation = true
		return
	}
	s.sendInstructions()
	r.Realtime, r.RepliesToCaller = s.providers.Realtime(), a.replyTo != ""
	a.GenerateRealtime(ctx, &s.work, conversation, r, providers.StallTimeout(s.router.Config().HasCascade()))
}

// sendInstructions sends the engine's instructions of the history that the model does not have. It has the speech of
// both sides already.
func (s *Session) sendInstructions() {
	messages := s.history.Messages()
	for _, m := range messages[s.sent:] {
		if m.Role == dialogue.RoleSystem {
			s.addToConversation(m)
		}
	}
	s.sent = len(messages)
}

// instructConversation sends the model an instruction that is not part of the history.
func (s *Session) instructConversation(text string) {
	s.sendInstructions()
	s.addToConversation(dialogue.Message{Role: dialogue.RoleSystem, Content: text})
}

// addToConversation sends a realtime model messages that its audio does not contain.
func (s *Session) addToConversation(messages ...dialogue.Message) {
	if conversation := s.providers.Conversation(); conversation != nil {
		conversation.Add(messages...)
	}
}

// handleConversationFailed handles a realtime model that did not answer.
func (s *Session) handleConversationFailed(ctx context.Context, e generation.ConversationFailed) {
	now := time.Now()
	s.current.awaitsConversation = true
	if e.Conversation != s.providers.Conversation() { // its end was noticed before
		s.resumeConversing(ctx)
		return
	}
	failure, replacement := s.providers.HandleConversationFailure(s.agentSpec(), e.Err, now)
	s.replaceRecognition(ctx, failure, replacement, now)
}

// resumeConversing continues after the opening of a conversation, or of what replaces it: the model receives the
// messages added meanwhile, and an answer that waits is made. One that broke off is continued.
func (s *Session) resumeConversing(ctx context.Context) {
	conversation := s.providers.Conversation()
	if s.providers.UsesRealtime() {
		if conversation == nil {
			return
		}
		if conversation != s.primed {
			s.primed = conversation
			messages := s.history.Messages()
			conversation.Add(messages[s.providers.InitialMessages():]...)
			s.sent = len(messages)
		}
	}
	a := s.current
	if a == nil || !a.awaitsConversation || !s.phase.takesTurns() {
		return
	}
	if s.queue.Played() > 0 {
		s.stopAnswer(time.Now())
		s.generateOnInstruction(ctx, generation.CutOffInstruction)
		return
	}
	s.restartAnswer(ctx, a)
}

// restartAnswer generates an answer again of which nothing was played.
func (s *Session) restartAnswer(ctx context.Context, a *answer) {
	held := a.preemptive
	a.Cancel(0)
	a.Answer = generation.NewAnswer(ctx, s.router.Agent(), a.preemptive, s.reports)
	a.awaitsConversation, a.audioEnded, a.failure, a.calls = false, false, nil, nil
	s.queue.Reset(held)
	request := s.generationRequest(a)
	switch {
	case s.providers.UsesRealtime():
		if a.fixedText != "" {
			s.instructConversation(generation.Verbatim(a.fixedText))
		}
		s.generateRealtime(ctx, a, request)
	case a.fixedText != "":
		a.Speak(&s.work, request.Speaker, a.fixedText)
	default:
		if a.replyTo != "" && a.preemptive {
			request.Prompt.Messages = append(request.Prompt.Messages, dialogue.Message{Role: dialogue.RoleUser, Content: a.replyTo})
		}
		a.Generate(&s.work, request)
	}
}
