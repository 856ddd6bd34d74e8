package voice

import (
	"context"
	"fmt"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/generation"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
)

// generateAnswer starts the model's answer to the history and the caller's words, replyTo; "": the agent speaks first.
func (s *Session) generateAnswer(ctx context.Context, replyTo string, preemptive bool) {
	if replyTo != "" {
		s.router.CallerSpoke()
	}
	a := s.startAnswer(ctx, replyTo, preemptive)
	request := s.generationRequest(a)
	a.results = s.tools.lateResults
	if !preemptive {
		s.tools.readResults = a.results
	}
	if s.providers.UsesRealtime() {
		s.generateRealtime(ctx, a, request)
		return
	}
	a.awaitsModel, request.ModelSilence = true, s.providers.ModelSilence()
	if replyTo != "" {
		request.Prompt.Messages = append(request.Prompt.Messages, dialogue.Message{Role: dialogue.RoleUser, Content: s.keys.forModel(replyTo)})
	}
	a.Generate(&s.work, request)
}

// addInstruction adds an instruction of the engine to the history.
func (s *Session) addInstruction(instruction string) { s.history.Add(dialogue.RoleSystem, instruction) }

// generateOnInstruction starts an answer of the model to an instruction of the engine instead of words of the caller.
func (s *Session) generateOnInstruction(ctx context.Context, instruction string) {
	s.addInstruction(instruction)
	if s.muted {
		return
	}
	s.generateAnswer(ctx, "", false)
	s.agentState.set(Thinking)
}

// speakFixedText starts an answer of a fixed text, without the language model.
func (s *Session) speakFixedText(ctx context.Context, text routing.Rendered) {
	s.startFixedText(ctx, text, "", false)
}

// startFixedText is like speakFixedText, for an answer to the caller's words, or one that is not audible before their turn is over.
func (s *Session) startFixedText(ctx context.Context, text routing.Rendered, replyTo string, preemptive bool) {
	a := s.startAnswer(ctx, replyTo, preemptive)
	a.fixedText = text
	request := s.generationRequest(a)
	if s.providers.UsesRealtime() {
		s.feed.addInstruction(generation.Verbatim(text.Text))
		s.generateRealtime(ctx, a, request)
		return
	}
	a.Speak(&s.work, request.Speaker, text)
}

// startAnswer replaces the current answer by a new one, of which nothing is generated yet.
func (s *Session) startAnswer(ctx context.Context, replyTo string, preemptive bool) *answer {
	now := time.Now()
	preemptive = preemptive || s.phase == detectingAnswer || s.phase == leavingMessage // until the other side may hear it
	if x := s.output.suspended; x != nil {
		s.recordSilence(x.answer, now)
	}
	if preemptive {
		s.output.cancelSuspended()
	} else {
		s.stopSuspended(now)
	}
	s.stopAnswer(now)
	a := &answer{Answer: generation.NewAnswer(ctx, s.router.Agent(), preemptive, s.reports), replyTo: replyTo, preemptive: preemptive, answerTimes: answerTimes{started: now}}
	s.output.current = a
	s.output.queue.Reset(preemptive)
	if !preemptive {
		s.detector.AgentStarted(now)
		s.input.echo.beginTurn(a)
	}
	return a
}

// generationRequest returns what an answer is generated from: providers, prompt and functions as of now.
func (s *Session) generationRequest(a *answer) generation.Request {
	functions := s.router.Functions()
	a.destinations = functions.Destinations
	r := generation.Request{Models: s.providers.Models(), Speaker: s.speaker(), Functions: functions, Mask: s.hidden.mask(),
		Prompt: dialogue.Prompt{System: s.router.SystemPrompt(), Tools: functions.List, Messages: append(s.promptMessages(), s.output.suspendedMessages()...)}, Budget: s.budget}
	r.ModelProven = s.judgements.refused < maxRefusedTurns && !s.providers.UsesRealtime() && s.providers.ModelProven()
	s.reportRouting()
	if a.replyTo != "" { // a caller who said nothing cannot repeat it
		r.Texts = generation.FixedTexts{Pardon: s.fixedText(pardonText), Declined: s.fixedText(declinedText)}
	}
	return r
}

// handleReport handles an event of an answer that is being generated. Events of an answer that was cancelled are ignored.
func (s *Session) handleReport(ctx context.Context, r generation.Report) {
	if e, ok := r.Event.(generation.ModelReplaced); ok { // of any answer
		s.providers.RecordModelReplaced(e.Failure)
		return
	}
	a, queue := s.output.find(r.Answer)
	if a == nil {
		if e, ok := r.Event.(generation.UsageReceived); ok { // they are billed
			s.reportUsage(r.Answer.Agent, e.Usage)
		}
		return
	}
	switch e := r.Event.(type) {
	case generation.FirstToken:
		if a.firstToken.IsZero() {
			a.firstToken = r.At
		}
		a.awaitsModel = false
		if !s.providers.UsesRealtime() {
			s.judgements.refused = 0
			s.providers.RecordAnswer()
		}
	case generation.TextSent:
		a.firstText = r.At
	case generation.CallsReceived:
		a.calls = append(a.calls, e.Calls...)
	case generation.ToolsRequested:
		if a != s.output.current {
			s.stopSuspended(r.At) // an interrupted answer runs no tools
			return
		}
		s.tools.run(ctx, e.Round, s.finishRound)
	case generation.UsageReceived:
		a.usage.Add(e.Usage)
	case generation.AudioReceived:
		if a.firstAudio.IsZero() && len(e.Speech.PCM) > 0 {
			a.firstAudio = r.At
		}
		if !s.providers.UsesRealtime() {
			s.providers.RecordSpeech()
		}
		if len(e.Text) > 0 {
			queue.StartText(e.Text)
		}
		queue.Append(e.Speech)
		a.SetBuffered(queue.Buffered())
	case generation.CachedSpeech:
		e.InsertInto(queue)
		s.providers.RecordSpeech() // in an earlier call, with the same account
		a.SetBuffered(queue.Buffered())
	case generation.TextExtended:
		queue.ExtendText(e.Text)
	case generation.ConversationFailed:
		if a != s.output.current {
			s.stopSuspended(r.At)
		}
		s.handleConversationFailed(ctx, a, e)
	case generation.UtteranceEnded:
		queue.RestartWordTimes()
	case generation.AudioEnded:
		a.audioEnded = true
		queue.End()
	case generation.DropIncompleteRequested:
		e.Unspoken <- queue.DropIncomplete()
	case generation.FailureSurvived:
		p := problemOf(e.Failure)
		p.Critical = false
		s.problems.report(p)
	case generation.TurnDeclined:
		s.handleTurnDeclined(a, e)
	case generation.PromptShortened:
		s.handlePromptShortened(a, e)
	case generation.LimitReached:
		s.limits.report(LLM, e.Limit, e.Message, a.Agent)
	case generation.FunctionsMisused:
		s.problems.report(Problem{Service: ToolUse, Provider: e.Provider, Agent: a.Agent, At: r.At, Message: e.Message})
	case generation.VoiceFailed:
		if a != s.output.current {
			s.stopSuspended(r.At)
		}
		s.handleVoiceFailed(ctx, a, e)
	case generation.Failed:
		a.failure = e.Err
	}
}

// commitTurn ends the caller's turn: an answer that was generated preemptively for exactly these words becomes audible
// at once; otherwise one is started.
func (s *Session) commitTurn(ctx context.Context, now time.Time) {
	text := s.detector.Text()
	s.stopSuspended(now)
	s.settleRecording(text, false, now)
	s.output.committed = now
	s.input.captions.end(text)
	s.silence.prompts, s.phase, s.preemptive = 0, conversing, 0
	s.latency.startTurn(s.router.Agent(), s.providers.STT(), s.detector.LastSpeech(), now)
	s.talk.turnEnded(s.latency.lastSpeech, now)
	s.options.Journal.EntryAdded(Entry{Role: dialogue.RoleUser, Keys: text != "" && text == s.keys.entered, Text: text, At: s.latency.lastSpeech, Agent: s.router.Agent()})
	if s.changeLanguage(ctx, text, now) {
		return
	}
	if s.answerFirstWords(ctx, text) {
		s.router.CallerSpoke()
	} else if s.output.current == nil || !s.output.current.preemptive || !turn.SameWords(s.output.current.replyTo, text) {
		s.generateAnswer(ctx, text, true)
	}
	s.history.Add(dialogue.RoleUser, s.keys.forModel(text))
	s.hideSaid()
	s.keys.entered = ""
	s.input.endTurn(s.providers.Recognition())
	s.output.current.preemptive = false
	s.tools.readResults = max(s.tools.readResults, s.output.current.results)
	s.output.current.Commit()
	s.detector.TurnCommitted(now)
	s.input.echo.beginTurn(s.output.current)
	s.output.queue.Release()
	s.agentState.set(Thinking)
}

// stopAnswer cancels the current answer and, unless it is preemptive, adds what was played of it to the transcript and the
// history.
func (s *Session) stopAnswer(now time.Time) {
	a := s.output.current
	if a == nil {
		return
	}
	spoken, voiced := s.output.queue.SpokenText(), s.output.queue.VoicedText()
	s.cancelAnswer()
	if a.preemptive {
		return
	}
	s.withholdDeclined(a)
	s.input.echo.addPlayed(voiced)
	s.output.captions.end(spoken)
	names := ProviderNames{STT: s.latency.turn.Providers.STT, LLM: s.providers.LLM(), TTS: s.providers.TTS()}
	if a.firstPlayed.IsZero() && a.failure == nil && a.deadline.passed == 0 {
		from := a.started
		if a.replyTo != "" {
			from = s.latency.lastSpeech
		}
		if p, late := silentAnswer(a.answerTimes, from, s.settings.Budget, names, now); late && !s.held && !from.Before(s.latency.holdAt) {
			p.Agent = a.Agent
			s.problems.report(p)
		}
	}
	if spoken != "" {
		s.options.Journal.EntryAdded(Entry{Role: dialogue.RoleAssistant, Text: spoken, At: a.firstPlayed, Agent: s.router.Agent(), SilencePrompt: a.isSilencePrompt})
		s.history.Add(dialogue.RoleAssistant, spoken)
		s.detector.AgentAsked(spoken)
	}
	s.writeIgnoredWords()
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
	if p, slow := slowTurn(t, s.settings.Budget, now); slow && a.deadline.passed == 0 {
		s.problems.report(p)
	}
}

// cancelAnswer cancels the generation of the current answer and drops its audio. Nothing of it is recorded.
func (s *Session) cancelAnswer() {
	if a := s.output.current; a != nil {
		s.recordSilence(a, time.Now())
		a.Cancel(s.output.queue.PlayedTime())
		s.output.current = nil
		if a.preemptive || a.replyTo == "" { // its tokens are of no turn
			s.reportUsage(a.Agent, a.usage)
		}
	}
	s.output.queue.Reset(false)
	s.detector.AgentStopped(time.Now())
}

// recordSilence records for how long an answer that is to be cancelled has waited for the model's first token.
func (s *Session) recordSilence(a *answer, now time.Time) {
	if a.awaitsModel && !a.preemptive && a.failure == nil && !s.providers.UsesRealtime() {
		s.providers.RecordSilence(now.Sub(a.started))
	}
	a.awaitsModel = false
}

// reportUsage reports tokens that belong to no turn.
func (s *Session) reportUsage(agent string, u dialogue.Usage) {
	if u != (dialogue.Usage{}) {
		s.options.Journal.TokensUsed(agent, u)
	}
}
