package voice

import (
	"context"
	"errors"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// seat is what an agent can choose of one kind of provider. One that failed is
// not chosen again in the call, by no agent that has another choice.
type seat struct {
	service  Service
	provider string
	choice   string // model, or model and voice
}

func sttSeat(s agent.STT) seat { return seat{STT, s.Provider, s.Model} }
func ttsSeat(t agent.TTS) seat { return seat{TTS, t.Provider, t.Model + "/" + t.VoiceID} }
func llmSeat(l agent.LLM) seat { return seat{LLM, l.Provider, l.Model} }

// remaining are the choices that have not failed. The last one stays even if
// it has: there is nothing else to try.
func remaining[C any](choices []C, seatOf func(C) seat, lost map[seat]bool) (rest []C) {
	for n, choice := range choices {
		if !lost[seatOf(choice)] || n+1 == len(choices) && len(rest) == 0 {
			rest = append(rest, choice)
		}
	}
	return rest
}

// loss is a choice that failed, and the news of it.
type loss struct {
	seat    seat
	problem Problem // a warning: its fallback takes its place
}

// lostTo is the loss of a choice whose place the named provider takes.
func lostTo(s seat, agent string, err error) loss {
	problem := providerProblem(s.service, s.provider, agent, err)
	problem.Critical = false
	problem.Message += "; the fallback takes its place"
	return loss{s, problem}
}

// search is how the choices of one kind went.
type search struct {
	losses []loss
	err    error // when none is left; a Problem
}

// failed notes that a choice cannot be used; spare tells that there is another.
func (s *search) failed(of seat, agent string, err error, spare bool) {
	if spare {
		s.losses = append(s.losses, lostTo(of, agent, err))
		return
	}
	s.err = providerProblem(of.service, of.provider, agent, err)
}

// lose notes what failed, for the rest of the call.
func (s *Session) lose(losses ...loss) {
	for _, l := range losses {
		if !s.lost[l.seat] {
			s.lost[l.seat] = true
			s.problem(l.problem)
		}
	}
}

// models are the language models to ask, in order.
func (s *Session) models() []model {
	return remaining(s.cast.models, func(m model) seat { return llmSeat(m.LLM) }, s.lost)
}

// speaker is the voice to speak with.
func (s *Session) speaker() speaker {
	return speaker{s.cast.voice, s.cast.tts, s.spareVoice()}
}

// spareVoice reports whether another voice could take the current one's place.
func (s *Session) spareVoice() bool {
	return spare(s.flow.config().TTS.Choices(), ttsSeat, ttsSeat(s.cast.tts), s.lost)
}

// voiceLost reports whether the voice failed and another one is to be had.
func (s *Session) voiceLost() bool { return s.lost[ttsSeat(s.cast.tts)] && s.spareVoice() }

// voiceFailed finds an answer another voice, if there is one.
func (s *Session) voiceFailed(ctx context.Context, a *answer, m muting) {
	switch {
	case m.seat != ttsSeat(s.cast.tts): // another answer found out before
		a.mute = true
		s.relieve()
	case s.spareVoice():
		a.mute = true
		s.lose(lostTo(m.seat, s.flow.agent, m.err))
		s.recruit(ctx)
	default:
		a.failure = providerProblem(TTS, m.seat.provider, s.flow.agent, m.err)
		close(a.relief)
	}
}

// relieve hands the voice to an answer that waits for one.
func (s *Session) relieve() {
	if s.current != nil && s.current.mute {
		s.current.mute = false
		s.current.relief <- s.speaker()
	}
}

// spare reports whether the agent has a choice besides the one named that has
// not failed.
func spare[C any](choices []C, seatOf func(C) seat, but seat, lost map[seat]bool) bool {
	for _, choice := range choices {
		if s := seatOf(choice); s != but && !lost[s] {
			return true
		}
	}
	return false
}

// refused reports whether trying again does not mend an error.
func refused(err error) bool { return errors.Is(err, dialogue.ErrRefused) }

// hopeless tells which errors end the attempts at a provider. One that kept the
// caller waiting is not waited for again where another stands by.
func hopeless(err error, spare bool) bool {
	return refused(err) || spare && errors.As(err, new(stalled))
}

// patience is how long a provider may keep a caller waiting before it counts
// as failed: to be opened, for the next piece of an answer, for audio.
func patience(spare bool) time.Duration {
	if spare {
		return 5 * time.Second
	}
	return 10 * time.Second
}

// firstTokenTimeout is how long a model may take to the first token of an
// answer, whatever else it sends meanwhile.
func firstTokenTimeout(m agent.LLM, spare bool) time.Duration {
	switch {
	case m.FirstTokenTimeoutMS != nil:
		return time.Duration(*m.FirstTokenTimeoutMS) * time.Millisecond
	case spare:
		return 8 * time.Second
	}
	return patience(spare)
}

// checkPatience is how long a vendor may take to say whether it takes a key.
const checkPatience = 3 * time.Second
