package voice

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/turn"
)

// A recognition that breaks is opened again, but not when breaksAllowed of
// them broke, each within breakMemory of the one before.
const (
	breaksAllowed = 3
	breakMemory   = 30 * time.Second
)

// casting is providers that were opened for an agent, or could not be.
type casting struct {
	agent string
	opened
}

// handOff lets another agent go on with the conversation.
func (s *Session) handOff(ctx context.Context, to route) {
	previous := s.flow.agent
	if err := s.flow.enter(to); err != nil {
		s.problem(Problem{Service: Workflow, Message: err.Error(), Agent: previous, At: time.Now()})
		s.setState(Listening)
		return
	}
	s.o.Journal.AgentChanged(s.flow.agent, previous)
	if s.flow.moves == maxMoves {
		s.problem(Problem{Service: Workflow, Agent: s.flow.agent, At: time.Now(),
			Message: fmt.Sprintf("the call was handed over %d times without a word of the caller; no agent can hand it over until they speak", maxMoves)})
	}
	s.keep()
	s.lackInputs()
	s.tune()
	s.handing = true
	s.setState(Thinking)
	s.recruit(ctx)
}

// tune sets turn-taking to the current agent's taste.
func (s *Session) tune() {
	s.options, _ = turn.Override(s.o.Turn, s.flow.config().Turn) // faults were refused when the agent was saved
	s.turn.SetOptions(s.options)
}

// recruit opens the current agent's providers, one casting at a time.
func (s *Session) recruit(ctx context.Context) {
	if s.casting {
		return // its end calls again when it was for another agent
	}
	s.casting = true
	o := s.opening()
	s.work.Go(func() {
		opened := o.open(ctx)
		select {
		case s.castings <- casting{o.name, opened}:
		case <-ctx.Done():
			opened.cast.closeBut(o.old)
		}
	})
}

// recast puts opened providers in the place of the old ones.
func (s *Session) recast(ctx context.Context, c casting) {
	s.casting = false
	s.lose(c.losses...)
	if ctx.Err() != nil { // nobody waits for them any more
		c.cast.closeBut(s.cast)
		return
	}
	if c.err == nil {
		old := s.cast
		s.cast = c.cast
		if s.cast.recognition != nil && s.cast.recognition == s.broken {
			s.cast.recognition = nil // it was to stay, and broke meanwhile
		}
		if old.recognition != s.cast.recognition {
			s.hearAnew(time.Now())
		}
		s.work.Go(func() { old.closeBut(c.cast) })
	}
	switch {
	case c.agent != s.flow.agent:
		s.recruit(ctx)
	case c.err != nil:
		s.handing = false
		s.fail(ctx, c.err)
	case s.voiceLost() || s.cast.recognition == nil && s.ending == "":
		s.recruit(ctx) // it broke meanwhile
	case s.handing && s.ending == "":
		s.handing = false
		s.introduce(ctx)
	default:
		s.relieve()
	}
}

// hearAnew lets another recogniser hear what the last one left open.
func (s *Session) hearAnew(now time.Time) {
	if !s.turn.TranscriptDue() {
		s.feed.skip()
		s.turn.RecognitionRestored(now)
		return
	}
	s.turn.RecognitionLost(now)
	s.feed.again()
	s.feed.finalize = !s.turn.CallerSpeaks()
	s.turn.RecognitionRestored(now.Add(s.feed.backlog()))
}

// introduce lets an agent begin that was handed the call: it speaks first,
// unless the caller has spoken meanwhile.
func (s *Session) introduce(ctx context.Context) {
	const cue = "The caller was handed over to you. Go on with the conversation."
	if s.idle() {
		s.open(ctx, cue)
		return
	}
	s.history = append(s.history, dialogue.Message{Role: dialogue.RoleSystem, Content: cue})
	s.unheard = true
	s.setState(Listening)
}

// introduceLate lets it begin after all, if what was heard of the caller when
// it got the call held no word.
func (s *Session) introduceLate(ctx context.Context) {
	if s.unheard && s.idle() {
		s.unheard = false
		s.open(ctx, "What was heard of the caller was a noise. Begin.")
	}
}

// recognitionEnded opens a new recognition in place of one that broke: of the
// same recogniser, or of its fallback.
func (s *Session) recognitionEnded(ctx context.Context, now time.Time) {
	broken := s.cast.recognition
	s.broken, s.cast.recognition = broken, nil
	if ctx.Err() != nil {
		s.work.Go(func() { broken.Close() })
		return
	}
	err := broken.Err()
	if err == nil {
		err = errors.New("the stream ended")
	}
	s.work.Go(func() { broken.Close() })
	problem := providerProblem(STT, s.cast.stt.Provider, s.flow.agent, err)
	if now.Sub(s.lastBreak) > breakMemory {
		s.breaks = 0
	}
	s.breaks, s.lastBreak = s.breaks+1, now
	s.turn.RecognitionLost(now)
	if s.breaks <= breaksAllowed && !refused(err) {
		problem.Critical = false
		s.problem(problem)
		s.recruit(ctx)
		return
	}
	this := sttSeat(s.cast.stt)
	if !spare(s.flow.config().STT.Choices(), sttSeat, this, s.lost) {
		s.fail(ctx, problem)
		return
	}
	s.breaks = 0
	s.lose(lostTo(this, s.flow.agent, err))
	s.recruit(ctx)
}
