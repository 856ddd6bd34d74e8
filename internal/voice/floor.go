package voice

import (
	"context"
	"errors"
	"time"

	"parley/internal/dialogue"
)

// take takes in news of the answer in the making. News of one that was
// dropped is late and means nothing.
func (s *Session) take(ctx context.Context, p part) {
	a := s.current
	if p.answer != a {
		return
	}
	switch {
	case p.token:
		a.firstToken = p.at
	case p.said != "":
		if a.text.Len() > 0 {
			a.text.WriteByte(' ')
		}
		a.text.WriteString(p.said)
		if a.firstText.IsZero() {
			a.firstText = p.at
		}
	case p.calls != nil:
		a.calls = append(a.calls, p.calls...)
	case p.usage != nil:
		a.usage.InputTokens += p.usage.InputTokens
		a.usage.OutputTokens += p.usage.OutputTokens
	case p.speech != nil:
		if a.firstAudio.IsZero() {
			a.firstAudio = p.at
		}
		s.out.add(p.speech.PCM, p.speech.Text)
	case p.failure != nil:
		a.failure = p.failure
	case p.spokenAll:
		a.spokenAll = true
		s.out.end()
	}
}

// advance plays what is due and goes on when the current answer was heard. It
// returns the end of the conversation when that has come.
func (s *Session) advance(ctx context.Context, now time.Time) End {
	before := s.out.played
	if err := s.out.tick(now); err != nil {
		s.o.Log.DebugContext(ctx, "line refuses audio", "error", err)
	}
	if s.out.played > before {
		s.lastSound = now
		if before == 0 {
			s.agentHeard(now)
		}
	}
	if s.current != nil && !s.current.draft && s.current.spokenAll && s.out.finished() {
		s.spoken(ctx, now)
	}
	switch {
	case !s.endAt.IsZero() && !now.Before(s.endAt):
		return s.ending
	case s.endAt.IsZero() && now.Sub(s.lastSound) >= s.o.SilenceTimeout:
		s.settle(now)
		return Silence
	}
	return ""
}

// agentHeard notes the first frame of an answer that the caller hears.
func (s *Session) agentHeard(now time.Time) {
	a := s.current
	a.firstHeard = now
	s.setState(Speaking)
	if a.to == "" {
		return
	}
	s.latency.LLM = since(a.begun, a.firstToken)
	s.latency.TTS = since(a.firstText, a.firstAudio)
	s.latency.VoiceToVoice = since(s.turn.LastSpeech(), now)
}

func since(from, to time.Time) time.Duration {
	if from.IsZero() || to.Before(from) {
		return 0
	}
	return to.Sub(from)
}

// spoken follows an answer that was heard to its end: the call goes on, goes
// over to another agent, or ends.
func (s *Session) spoken(ctx context.Context, now time.Time) {
	a := s.current
	s.settle(now)
	if a.failure != nil {
		s.fail(ctx, a.failure)
		return
	}
	if s.ending != "" {
		s.endAt = now.Add(farewellTail)
		return
	}
	for _, call := range a.calls {
		target, offered := s.flow.leads(call.Name)
		switch {
		case !offered:
			continue
		case call.Name == toolEndCall:
			s.note(call, now)
			s.ending, s.endAt = AgentEnded, now.Add(farewellTail)
			return
		default:
			s.note(call, now)
			s.handOff(ctx, target)
			return
		}
	}
	s.setState(Listening)
}

// note writes the call of a function into the transcript.
func (s *Session) note(call dialogue.ToolCall, now time.Time) {
	s.o.Journal.Said(Entry{Role: dialogue.RoleAssistant, At: now, Agent: s.flow.agent, Tool: &call})
}

// handOff lets another agent go on with the conversation.
func (s *Session) handOff(ctx context.Context, target string) {
	previous := s.flow.agent
	if err := s.flow.enter(target); err != nil {
		s.o.Journal.Problem(Problem{Service: Workflow, Message: err.Error(), Agent: previous, At: time.Now()})
		s.setState(Listening)
		return
	}
	s.o.Journal.AgentChanged(s.flow.agent, previous)
	if s.takeCast(ctx) {
		s.open(ctx, "The caller was handed over to you. Go on with the conversation.")
	}
}

// settle ends the current answer where it stands and keeps what was heard.
func (s *Session) settle(now time.Time) {
	a := s.current
	if a == nil {
		return
	}
	heard := s.out.heard()
	s.drop()
	if a.draft {
		return
	}
	if heard != "" {
		s.o.Journal.Said(Entry{Role: dialogue.RoleAssistant, Text: heard, At: a.firstHeard, Agent: s.flow.agent})
		s.history = append(s.history, dialogue.Message{Role: dialogue.RoleAssistant, Content: heard})
	}
	if a.to != "" {
		s.latency.Usage = a.usage
		s.o.Journal.TurnTaken(s.latency)
	}
}

// drop forgets the current answer and everything of it that was not heard.
func (s *Session) drop() {
	if s.current != nil {
		s.current.cancel()
		s.retired = append(s.retired, s.current)
		s.current = nil
	}
	s.out.begin(false)
	s.turn.AgentHasFloor(false, time.Now())
	if len(s.retired) > 8 {
		s.retired[0].done.Wait()
		s.retired = s.retired[1:]
	}
}

// fail ends the call because of a provider, with an apology where the voice
// still works.
func (s *Session) fail(ctx context.Context, err error) {
	var problem Problem
	if !errors.As(err, &problem) {
		problem = Problem{Service: LLM, Critical: true, Message: err.Error(), Agent: s.flow.agent, At: time.Now()}
	}
	s.o.Journal.Problem(problem)
	if s.ending != "" || problem.Service == TTS || s.cast.voice == nil {
		s.ending, s.endAt = ProviderError, time.Now()
		return
	}
	s.ending = ProviderError
	a := s.begin(ctx, "", false)
	a.recite(s.brief(), apology, s.parts)
}
