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

// conversationFeed sends the conversation with a realtime model what its audio does not contain: the history at its
// beginning, the engine's instructions, typed text and results of tools. Without a conversation it sends nothing.
type conversationFeed struct {
	providers *providers.Set
	history   *generation.History
	sent      int                   // messages of the history that the conversation has
	primed    dialogue.Conversation // the last conversation that received the history
}

// sendHistory sends a conversation that was opened the messages that were added meanwhile.
func (f *conversationFeed) sendHistory(c dialogue.Conversation) {
	if c == f.primed {
		return
	}
	f.primed = c
	messages := f.history.Messages()
	c.Add(messages[f.providers.InitialMessages():]...)
	f.sent = len(messages)
}

// sendInstructions sends the instructions of the history that the conversation does not have. It has the speech of both
// sides already.
func (f *conversationFeed) sendInstructions() {
	messages := f.history.Messages()
	for _, m := range messages[f.sent:] {
		if m.Role == dialogue.RoleSystem {
			f.add(m)
		}
	}
	f.sent = len(messages)
}

// addInstruction sends an instruction that is not part of the history.
func (f *conversationFeed) addInstruction(text string) {
	f.sendInstructions()
	f.add(dialogue.Message{Role: dialogue.RoleSystem, Content: text})
}

// add sends messages.
func (f *conversationFeed) add(messages ...dialogue.Message) {
	if conversation := f.providers.Conversation(); conversation != nil {
		conversation.Add(messages...)
	}
}

// generateRealtime begins the realtime model's answer, or has the answer wait until the conversation is open again.
func (s *Session) generateRealtime(ctx context.Context, a *answer, r generation.Request) {
	conversation := s.providers.Conversation()
	if conversation == nil {
		a.awaitsConversation = true
		return
	}
	s.feed.sendInstructions()
	r.Realtime, r.RepliesToCaller = s.providers.Realtime(), a.replyTo != ""
	a.GenerateRealtime(ctx, &s.work, conversation, r, providers.StallTimeout(s.router.Config().HasCascade()))
}

// handleConversationFailed handles a realtime model that did not answer.
func (s *Session) handleConversationFailed(ctx context.Context, a *answer, e generation.ConversationFailed) {
	now := time.Now()
	a.awaitsConversation = true
	if e.Conversation != s.providers.Conversation() { // its end was noticed before
		s.resumeAfterOpening(ctx)
		return
	}
	failure, replacement := s.providers.HandleConversationFailure(s.agentSpec(), e.Err, now)
	s.replaceRecognition(ctx, failure, replacement, now)
}

// resumeAfterOpening continues after the opening of a conversation, or of the cascade in its place: the model receives
// the messages that were added meanwhile, and the answer that waits is generated, or continued if some of it was played.
func (s *Session) resumeAfterOpening(ctx context.Context) {
	if s.providers.UsesRealtime() {
		conversation := s.providers.Conversation()
		if conversation == nil {
			return
		}
		s.feed.sendHistory(conversation)
	}
	a := s.output.current
	if a == nil || !a.awaitsConversation || !s.phase.takesTurns() && !s.phase.detectsAnswer() {
		return
	}
	if s.output.queue.Played() > 0 {
		s.stopAnswer(time.Now())
		s.generateOnInstruction(ctx, generation.CutOffInstruction)
		return
	}
	s.regenerateAnswer(ctx, a)
}

// regenerateAnswer generates the current answer again, of which nothing was played.
func (s *Session) regenerateAnswer(ctx context.Context, a *answer) {
	a.Cancel(0)
	a.Answer = generation.NewAnswer(ctx, s.router.Agent(), a.preemptive, s.reports)
	a.awaitsConversation, a.audioEnded, a.failure, a.calls = false, false, nil, nil
	s.output.queue.Reset(a.preemptive)
	request := s.generationRequest(a)
	switch {
	case s.providers.UsesRealtime():
		if a.fixedText.Text != "" {
			s.feed.addInstruction(generation.Verbatim(a.fixedText.Text))
		}
		s.generateRealtime(ctx, a, request)
	case a.fixedText.Text != "":
		a.Speak(&s.work, request.Speaker, a.fixedText)
	default:
		if a.replyTo != "" && a.preemptive {
			request.Prompt.Messages = append(request.Prompt.Messages, dialogue.Message{Role: dialogue.RoleUser, Content: s.keys.forModel(a.replyTo)})
		}
		a.Generate(&s.work, request)
	}
}
