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

// notDone is what a model reads of a follow-up that was not carried out.
const notDone = "The caller interrupted: %s was not done. If it is still wanted, it has to be asked for again."

// generateAnswer begins the model's answer to the history and the caller's words.
func (s *Session) generateAnswer(ctx context.Context, to string, preemptive bool) {
	if to != "" {
		s.router.CallerSpoke()
	}
	a := s.beginAnswer(ctx, to, preemptive)
	request := s.request(a)
	s.lateResults = false // the prompt holds them
	if s.providers.UsesRealtime() {
		s.converse(ctx, a, request)
		return
	}
	if to != "" {
		request.Prompt.Messages = append(request.Prompt.Messages, dialogue.Message{Role: dialogue.RoleUser, Content: to})
	}
	a.Generate(&s.work, request)
}

// instruct has the model speak without a word of the caller.
func (s *Session) instruct(ctx context.Context, instruction string) {
	s.history.Add(dialogue.RoleSystem, instruction)
	s.generateAnswer(ctx, "", false)
	s.client.set(Thinking)
}

// speak has the agent say a fixed text, without the language model.
func (s *Session) speak(ctx context.Context, text string) {
	a := s.beginAnswer(ctx, "", false)
	a.fixed = text
	request := s.request(a)
	if s.providers.UsesRealtime() {
		s.instructConversation(generation.Verbatim(text))
		s.converse(ctx, a, request)
		return
	}
	a.Speak(&s.work, request.Speaker, text)
}

// greet has the agent speak first: its greeting, or what the model makes of an
// instruction. The call's own greeting, user.greeting, replaces the first agent's.
func (s *Session) greet(ctx context.Context, instruction string) {
	greeting, _ := s.o.User["greeting"].(string)
	if !s.history.IsEmpty() || strings.TrimSpace(greeting) == "" {
		greeting = s.router.Render(s.router.Config().Prompt.Greeting)
		s.reportWarnings(s.router.Agent())
	}
	if strings.TrimSpace(greeting) == "" {
		s.instruct(ctx, instruction)
		return
	}
	s.history.Add(dialogue.RoleSystem, instruction)
	s.speak(ctx, greeting)
}

// beginAnswer puts a new answer in the place of the current one.
func (s *Session) beginAnswer(ctx context.Context, to string, preemptive bool) *answer {
	begun := time.Now()
	if preemptive {
		s.stopSuspended()
	} else {
		s.settleSuspended(begun)
	}
	s.settleAnswer(begun)
	a := &answer{Answer: generation.NewAnswer(ctx, s.router.Agent(), preemptive, s.reports), to: to, preemptive: preemptive, answerTimes: answerTimes{begun: begun}}
	s.current = a
	s.queue.Reset(preemptive)
	if !preemptive {
		s.detector.AgentStarted(begun)
		s.echo.beginTurn(a)
	}
	return a
}

// request returns what an answer is generated from, as of now.
func (s *Session) request(a *answer) generation.Request {
	functions := s.router.Functions()
	a.destinations = functions.Destinations
	r := generation.Request{Models: s.providers.Models(), Speaker: s.providers.Speaker(s.router.Config()), Functions: functions,
		Prompt: dialogue.Prompt{System: s.router.SystemPrompt(), Tools: functions.List, Messages: append(s.history.Messages(), s.suspendedMessages()...)}}
	s.reportWarnings(s.router.Agent())
	if a.to != "" { // only a caller who spoke can say it again
		r.Pardon = s.router.LibraryText(pardonSlug, pardon)
	}
	return r
}

// commitTurn ends the caller's turn: an answer that was generated preemptively for exactly these words becomes audible
// at once; otherwise one is begun.
func (s *Session) commitTurn(ctx context.Context, now time.Time) {
	text := s.detector.Text()
	s.settleSuspended(now)
	s.callerCaptions.end(text)
	s.silence.prompts, s.phase = 0, conversing
	s.latency.begin(s.router.Agent(), s.providers.STT(), s.detector.LastSpeech(), now)
	s.o.Journal.EntryAdded(Entry{Role: dialogue.RoleUser, Text: text, At: s.latency.lastSpeech, Agent: s.router.Agent()})
	if s.current == nil || !s.current.preemptive || !turn.SameWords(s.current.to, text) {
		s.generateAnswer(ctx, text, true)
	}
	s.history.Add(dialogue.RoleUser, text)
	if s.providers.Recognition() == nil || s.audio.IsStale() {
		s.audio.Skip() // the turn ended without its transcript, which must not begin another one
	}
	s.current.preemptive = false
	s.current.Commit()
	s.detector.TurnCommitted(now)
	s.echo.beginTurn(s.current)
	s.queue.Release()
	s.client.set(Thinking)
}

// settleAnswer stops the current answer and writes the part of it that was played to the transcript and the history.
func (s *Session) settleAnswer(now time.Time) {
	a := s.current
	if a == nil {
		return
	}
	heard := s.queue.SpokenText()
	s.dropAnswer()
	if a.preemptive {
		return
	}
	s.echo.addPlayed(heard)
	s.agentCaptions.end(heard)
	names := Played{STT: s.latency.turn.Providers.STT, LLM: s.providers.LLM(), TTS: s.providers.TTS()}
	if a.firstPlayed.IsZero() && a.failure == nil {
		from := a.begun
		if a.to != "" {
			from = s.latency.lastSpeech
		}
		if p, late := silentAnswer(a.answerTimes, from, s.settings.Budget, names, now); late {
			p.Agent = a.Agent
			s.problems.report(p)
		}
	}
	if heard != "" {
		s.o.Journal.EntryAdded(Entry{Role: dialogue.RoleAssistant, Text: heard, At: a.firstPlayed, Agent: s.router.Agent()})
		s.history.Add(dialogue.RoleAssistant, heard)
	}
	if a.next != nil {
		s.history.Add(dialogue.RoleSystem, fmt.Sprintf(notDone, a.next.action))
	}
	if a.to == "" {
		return
	}
	t := s.latency.measure(a.answerTimes)
	t.Usage, t.Providers = a.usage, names
	s.latency.turn = t
	s.o.Journal.TurnAnswered(t)
	if p, slow := slowTurn(t, s.settings.Budget, now); slow {
		s.problems.report(p)
	}
}

// dropAnswer cancels the current answer and drops the audio that was not played.
func (s *Session) dropAnswer() {
	if a := s.current; a != nil {
		a.Cancel(s.queue.PlayedTime())
		s.current = nil
		if a.preemptive || a.to == "" { // no turn counts its tokens
			s.reportUsage(a.Agent, a.usage)
		}
	}
	s.queue.Reset(false)
	s.detector.AgentStopped(time.Now())
}

// reportUsage reports tokens that belong to no turn.
func (s *Session) reportUsage(agent string, u dialogue.Usage) {
	if u != (dialogue.Usage{}) {
		s.o.Journal.TokensUsed(agent, u)
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
