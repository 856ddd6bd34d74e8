package voice

import (
	"context"
	"errors"
	"time"

	"parley/internal/dialogue"
)

// farewellTail is how long the line stays open after the last frame, so that
// the caller's side plays it out.
const farewellTail = 300 * time.Millisecond

// take takes in news of the answer in the making. News of one that was
// dropped is late and means nothing.
func (s *Session) take(ctx context.Context, p part) {
	if p.loss != nil { // good to know, of whatever answer
		s.lose(*p.loss)
	}
	a := s.current
	if p.answer != a {
		if p.usage != nil { // paid for all the same
			s.spend(p.answer.agent, *p.usage)
		}
		return
	}
	switch {
	case p.token:
		if a.firstToken.IsZero() {
			a.firstToken = p.at
		}
	case p.text:
		a.firstText = p.at
	case p.calls != nil:
		a.calls = append(a.calls, p.calls...)
	case p.round != nil:
		s.use(ctx, p.round)
	case p.breath:
		s.out.RestartWordTimes()
	case p.usage != nil:
		a.usage.InputTokens += p.usage.InputTokens
		a.usage.OutputTokens += p.usage.OutputTokens
	case p.speech != nil:
		if a.firstAudio.IsZero() && len(p.speech.PCM) > 0 {
			a.firstAudio = p.at
		}
		s.out.Append(*p.speech)
		a.unheard.Store(int64(s.out.Buffered()))
	case p.notice != nil:
		var problem Problem
		if errors.As(p.notice, &problem) {
			s.problem(problem)
		}
	case p.rewind != nil:
		p.rewind <- s.out.DropIncomplete()
	case p.mute != nil:
		s.voiceFailed(ctx, a, *p.mute)
	case p.failure != nil:
		a.failure = p.failure
	case p.spokenAll:
		a.spokenAll = true
		s.out.End()
	}
}

// advance plays what is due and goes on when the current answer was heard. It
// returns the end of the conversation when that has come.
func (s *Session) advance(ctx context.Context, now time.Time) End {
	before := s.out.Played()
	if err := s.out.PlayDue(now); err != nil {
		s.o.Log.DebugContext(ctx, "line refuses audio", "error", err)
	}
	if s.out.Played() > before {
		s.lastPlayed = now
		if s.prompting() {
			s.quiet.prompted = now
		} else {
			s.quiet.broken(now)
		}
		s.current.unheard.Store(int64(s.out.Buffered()))
		if before == 0 {
			s.current.firstHeard = now
			s.turn.AgentAudible(now)
		}
		s.setState(Speaking)
		s.captionAgent(now)
	}
	if len(s.uses.rounds) > 0 {
		s.quiet.broken(now) // somebody is at work
		s.fill(now)
	}
	if s.current != nil && !s.current.draft && s.current.spokenAll && s.out.Finished() {
		s.spoken(ctx, now)
	}
	if !s.endAt.IsZero() && !now.Before(s.endAt) {
		return s.ending
	}
	if due := s.silenceDue(); !due.IsZero() && !now.Before(due) {
		return Silence
	}
	return ""
}

// spoken follows an answer that was heard to its end: the call goes on, goes
// over to another agent, or ends.
func (s *Session) spoken(ctx context.Context, now time.Time) {
	a := s.current
	follows := a.follows
	a.follows = nil
	s.settle(now)
	if a.failure != nil {
		s.fail(ctx, a.failure)
	}
	if s.ending != "" {
		if s.current == nil && s.endAt.IsZero() {
			s.endAt = now.Add(farewellTail)
		}
		return
	}
	if follows != nil {
		s.carryOut(ctx, follows, now)
		return
	}
	for _, call := range a.calls {
		to, offered := a.routes[call.Name]
		if !offered {
			continue
		}
		call.Arguments = s.mask.JSON(call.Arguments)
		s.o.Journal.Said(Entry{Role: dialogue.RoleAssistant, At: now, Agent: s.flow.agent, Tool: &call})
		if to.ends() {
			s.ending, s.endAt = AgentEnded, now.Add(farewellTail)
		} else {
			s.handOff(ctx, to)
		}
		return
	}
	s.setState(Listening)
}

// fail ends the call because of a provider, with an apology where the voice
// still works.
func (s *Session) fail(ctx context.Context, err error) {
	var problem Problem
	if !errors.As(err, &problem) {
		problem = Problem{Service: LLM, Critical: true, Message: err.Error(), Agent: s.flow.agent, At: time.Now()}
	}
	s.problem(problem)
	if s.ending != "" {
		if s.current != nil && s.current.mute { // no voice comes to relieve it
			s.settle(time.Now())
			s.endAt = time.Now()
		}
		return
	}
	s.settle(time.Now())
	s.ending = ProviderError
	if problem.Service == TTS || s.cast.voice == nil {
		s.endAt = time.Now()
		return
	}
	s.recite(ctx, s.wording(apologySlug, apology))
}
