package voice

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/generation"
	"parley/internal/voice/turn"
)

// followUpNotDone is what a model reads of a follow-up that was not carried out.
const followUpNotDone = "The caller interrupted: %s was not done. If it is still wanted, it has to be asked for again."

// generateAnswer begins the model's answer to the history and the caller's words.
func (s *Session) generateAnswer(ctx context.Context, to string, preemptive bool) {
	if to != "" {
		s.router.CallerSpoke()
	}
	a := s.startAnswer(ctx, to, preemptive)
	request := s.generationRequest(a)
	s.lateResults = false // the prompt holds them
	if s.providers.UsesRealtime() {
		s.generateRealtime(ctx, a, request)
		return
	}
	if to != "" {
		request.Prompt.Messages = append(request.Prompt.Messages, dialogue.Message{Role: dialogue.RoleUser, Content: to})
	}
	a.Generate(&s.work, request)
}

// generateOnInstruction has the model speak without a word of the caller.
func (s *Session) generateOnInstruction(ctx context.Context, instruction string) {
	s.history.Add(dialogue.RoleSystem, instruction)
	s.generateAnswer(ctx, "", false)
	s.agentState.set(Thinking)
}

// speakFixedText has the agent say a fixed text, without the language model.
func (s *Session) speakFixedText(ctx context.Context, text string) {
	a := s.startAnswer(ctx, "", false)
	a.fixedText = text
	request := s.generationRequest(a)
	if s.providers.UsesRealtime() {
		s.instructConversation(generation.Verbatim(text))
		s.generateRealtime(ctx, a, request)
		return
	}
	a.Speak(&s.work, request.Speaker, text)
}

// greet has the agent speak first: its greeting, or what the model makes of an
// instruction. The call's own greeting, user.greeting, replaces the first agent's.
func (s *Session) greet(ctx context.Context, instruction string) {
	greeting, _ := s.options.UserContext["greeting"].(string)
	if !s.history.IsEmpty() || strings.TrimSpace(greeting) == "" {
		greeting = s.router.Render(s.router.Config().Prompt.Greeting)
		s.reportWarnings(s.router.Agent())
	}
	if strings.TrimSpace(greeting) == "" {
		s.generateOnInstruction(ctx, instruction)
		return
	}
	s.history.Add(dialogue.RoleSystem, instruction)
	s.speakFixedText(ctx, greeting)
}

// startAnswer puts a new answer in the place of the current one.
func (s *Session) startAnswer(ctx context.Context, to string, preemptive bool) *answer {
	begun := time.Now()
	if preemptive {
		s.cancelSuspended()
	} else {
		s.stopSuspended(begun)
	}
	s.stopAnswer(begun)
	a := &answer{Answer: generation.NewAnswer(ctx, s.router.Agent(), preemptive, s.reports), replyTo: to, preemptive: preemptive, answerTimes: answerTimes{begun: begun}}
	s.current = a
	s.queue.Reset(preemptive)
	if !preemptive {
		s.detector.AgentStarted(begun)
		s.echo.beginTurn(a)
	}
	return a
}

// generationRequest returns what an answer is generated from, as of now.
func (s *Session) generationRequest(a *answer) generation.Request {
	functions := s.router.Functions()
	a.destinations = functions.Destinations
	r := generation.Request{Models: s.providers.Models(), Speaker: s.providers.Speaker(s.router.Config()), Functions: functions,
		Prompt: dialogue.Prompt{System: s.router.SystemPrompt(), Tools: functions.List, Messages: append(s.history.Messages(), s.suspendedMessages()...)}}
	s.reportWarnings(s.router.Agent())
	if a.replyTo != "" { // only a caller who spoke can say it again
		r.Pardon = s.router.LibraryText(pardonSlug, pardon)
	}
	return r
}

// commitTurn ends the caller's turn: an answer that was generated preemptively for exactly these words becomes audible
// at once; otherwise one is begun.
func (s *Session) commitTurn(ctx context.Context, now time.Time) {
	text := s.detector.Text()
	s.stopSuspended(now)
	s.callerCaptions.end(text)
	s.silence.prompts, s.phase = 0, conversing
	s.latency.startTurn(s.router.Agent(), s.providers.STT(), s.detector.LastSpeech(), now)
	s.options.Journal.EntryAdded(Entry{Role: dialogue.RoleUser, Text: text, At: s.latency.lastSpeech, Agent: s.router.Agent()})
	if s.current == nil || !s.current.preemptive || !turn.SameWords(s.current.replyTo, text) {
		s.generateAnswer(ctx, text, true)
	}
	s.history.Add(dialogue.RoleUser, text)
	if s.providers.Recognition() == nil || s.audio.IsStale() {
		s.audio.DropAll() // the turn ended without its transcript, which must not begin another one
	}
	s.current.preemptive = false
	s.current.Commit()
	s.detector.TurnCommitted(now)
	s.echo.beginTurn(s.current)
	s.queue.Release()
	s.agentState.set(Thinking)
}

// stopAnswer stops the current answer and writes the part of it that was played to the transcript and the history.
func (s *Session) stopAnswer(now time.Time) {
	a := s.current
	if a == nil {
		return
	}
	heard := s.queue.SpokenText()
	s.cancelAnswer()
	if a.preemptive {
		return
	}
	s.echo.addPlayed(heard)
	s.agentCaptions.end(heard)
	names := ProviderNames{STT: s.latency.turn.Providers.STT, LLM: s.providers.LLM(), TTS: s.providers.TTS()}
	if a.firstPlayed.IsZero() && a.failure == nil {
		from := a.begun
		if a.replyTo != "" {
			from = s.latency.lastSpeech
		}
		if p, late := silentAnswer(a.answerTimes, from, s.settings.Budget, names, now); late {
			p.Agent = a.Agent
			s.problems.report(p)
		}
	}
	if heard != "" {
		s.options.Journal.EntryAdded(Entry{Role: dialogue.RoleAssistant, Text: heard, At: a.firstPlayed, Agent: s.router.Agent()})
		s.history.Add(dialogue.RoleAssistant, heard)
	}
	if a.followUp != nil {
		s.history.Add(dialogue.RoleSystem, fmt.Sprintf(followUpNotDone, a.followUp.action))
	}
	if a.replyTo == "" {
		return
	}
	t := s.latency.measure(a.answerTimes)
	t.Usage, t.Providers = a.usage, names
	s.latency.turn = t
	s.options.Journal.TurnAnswered(t)
	if p, slow := slowTurn(t, s.settings.Budget, now); slow {
		s.problems.report(p)
	}
}

// cancelAnswer cancels the current answer and drops the audio that was not played.
func (s *Session) cancelAnswer() {
	if a := s.current; a != nil {
		a.Cancel(s.queue.PlayedTime())
		s.current = nil
		if a.preemptive || a.replyTo == "" { // no turn counts its tokens
			s.reportUsage(a.Agent, a.usage)
		}
	}
	s.queue.Reset(false)
	s.detector.AgentStopped(time.Now())
}

// reportUsage reports tokens that belong to no turn.
func (s *Session) reportUsage(agent string, u dialogue.Usage) {
	if u != (dialogue.Usage{}) {
		s.options.Journal.TokensUsed(agent, u)
	}
}

// Fixed texts of every agent: slugs in the prompt library, and defaults.
const (
	// A provider failed and has no fallback.
	apologySlug = "error"
	apology     = "I am sorry, I have a technical problem. Please call again later."
	// The language model had no answer.
	pardonSlug = "pardon"
	pardon     = "I am sorry, could you say that again?"
)
