package voice

import (
	"context"
	"strings"
	"time"

	"parley/internal/voice/routing"
)

// firstWordsWait is how long a greeting waits for the caller's first words before the agent speaks all the same.
const firstWordsWait = 10 * time.Second

// greet has the agent speak first: its greeting, or, without one, the model's answer to the instruction.
func (s *Session) greet(ctx context.Context, instruction string) {
	s.greetingWaits = false
	if s.muted {
		s.addInstruction(instruction)
		return
	}
	if greeting := s.greeting(instruction); strings.TrimSpace(greeting.Text) != "" {
		s.addInstruction(instruction)
		s.speakFixedText(ctx, greeting)
	} else {
		s.generateOnInstruction(ctx, instruction)
	}
	s.output.current.uninterruptible = s.settings.GreetingUninterruptible
}

// greeting returns the text that the agent greets with; empty leaves it to the model. The call's own greeting, and then user.greeting,
// replaces that of the agent that opens the call.
func (s *Session) greeting(instruction string) routing.Rendered {
	if instruction == openingInstruction {
		if own := s.options.Greeting; strings.TrimSpace(own) != "" {
			defer s.reportRouting()
			return s.router.RenderText(own)
		}
		if own, _ := s.options.UserContext["greeting"].(string); strings.TrimSpace(own) != "" {
			return routing.Rendered{Text: own}
		}
	}
	defer s.reportRouting()
	return s.router.RenderText(s.router.Config().Prompt.Greeting)
}

// awaitFirstWords has the agent wait for the caller's first words, which its greeting then answers.
func (s *Session) awaitFirstWords() {
	s.greetingWaits = true
	s.agentState.set(Listening)
}

// answerFirstWords starts the greeting as the answer to the caller's first words, if it waits for them and is a fixed text. Otherwise the
// model answers.
func (s *Session) answerFirstWords(ctx context.Context, text string) (greets bool) {
	if !s.greetingWaits {
		return false
	}
	s.greetingWaits = false
	greeting := s.greeting(openingInstruction)
	if strings.TrimSpace(greeting.Text) == "" {
		return false
	}
	s.startFixedText(ctx, greeting, text, true)
	s.output.current.uninterruptible = s.settings.GreetingUninterruptible
	return true
}

// mustFinish reports whether the agent is speaking a greeting that nothing of the caller interrupts.
func (s *Session) mustFinish() bool {
	return s.output.current != nil && s.output.current.uninterruptible && !s.output.current.preemptive
}

// textMessages returns the caller's text messages; they wait while the agent must finish, and while a person is dialled.
func (s *Session) textMessages() <-chan string {
	if s.mustFinish() || s.transfer != nil {
		return nil
	}
	return s.options.Line.TextMessages()
}
