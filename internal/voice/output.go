package voice

import (
	"context"
	"fmt"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/generation"
	"parley/internal/voice/playout"
)

// agentOutput is the agent's speech: the current answer with the queue that plays it, and one that was interrupted and
// may be resumed.
type agentOutput struct {
	line     Line
	listener Listener // receives what is played, to identify its echo

	current    *answer        // nil while there is none
	queue      *playout.Queue // of the current answer; empty without one
	suspended  *suspendedAnswer
	lastPlayed time.Time // when the agent was last audible
	committed  time.Time // when the caller's last turn was over
	captions   captions
	soundscape *soundscape
	person     func() Person // who hears the agent instead of the caller; nil for nobody
}

// suspendedAnswer is an answer that was interrupted by sound in which no word has been recognised. It is resumed if none
// comes.
type suspendedAnswer struct {
	answer    *answer
	queue     *playout.Queue
	cancelled bool // its generation was, before it was complete
}

func newAgentOutput(line Line, listener Listener) *agentOutput {
	o := &agentOutput{line: line, listener: listener, soundscape: newSoundscape(), person: func() Person { return nil }}
	o.captions = captions{role: dialogue.RoleAssistant, publish: func(c Caption) {
		if o.person() == nil { // the caller does not hear it
			line.Caption(c)
		}
	}}
	o.queue = playout.NewQueue(o.sendFrame)
	return o
}

// sendFrame sends a frame of the agent's audio to the line.
func (o *agentOutput) sendFrame(pcm []int16) error {
	if p := o.person(); p != nil {
		return p.Play(pcm)
	}
	if c := o.soundscape; c.isHeard() {
		c.sent(time.Now())
		pcm = c.mix(pcm)
	}
	return o.sendToCaller(pcm)
}

// sendToCaller sends a frame as it is heard.
func (o *agentOutput) sendToCaller(pcm []int16) error {
	o.listener.Played(pcm, time.Now())
	return o.line.Play(pcm)
}

// find returns the current or suspended answer that is being generated as a, with its queue; nil for neither.
func (o *agentOutput) find(a *generation.Answer) (*answer, *playout.Queue) {
	switch {
	case o.suspended != nil && a == o.suspended.answer.Answer:
		return o.suspended.answer, o.suspended.queue
	case o.current != nil && a == o.current.Answer:
		return o.current, o.queue
	}
	return nil, nil
}

// lastQueue returns the queue that was played last.
func (o *agentOutput) lastQueue() *playout.Queue {
	if o.suspended != nil && o.queue.Played() == 0 {
		return o.suspended.queue
	}
	return o.queue
}

// isPlayedOut reports whether the current answer was played to its end.
func (o *agentOutput) isPlayedOut() bool {
	return o.current != nil && !o.current.preemptive && o.current.audioEnded && o.queue.Finished()
}

// suspend pauses the current answer so that resumeSuspended can resume it, and leaves no current one.
func (o *agentOutput) suspend() {
	o.queue.Pause()
	o.suspended = &suspendedAnswer{answer: o.current, queue: o.queue}
	o.current, o.queue = nil, playout.NewQueue(o.sendFrame)
}

// resumeSuspended makes the suspended answer the current one, and plays on.
func (o *agentOutput) resumeSuspended() {
	o.current, o.queue, o.suspended = o.suspended.answer, o.suspended.queue, nil
	o.queue.Resume()
}

// cancelSuspended cancels the generation of the suspended answer, so that the next one can use its providers. The audio
// so far is kept.
func (o *agentOutput) cancelSuspended() {
	if x := o.suspended; x != nil && !x.answer.audioEnded {
		x.answer.Cancel(x.queue.PlayedTime())
		x.cancelled = true
	}
}

// suspendedMessages returns the messages for the model of the suspended answer, which is not in the history yet.
func (o *agentOutput) suspendedMessages() (messages []dialogue.Message) {
	x := o.suspended
	if x == nil {
		return nil
	}
	if spoken := x.queue.SpokenText(); spoken != "" {
		messages = append(messages, dialogue.Message{Role: dialogue.RoleAssistant, Content: spoken})
	}
	if x.answer.followUp != nil {
		messages = append(messages, dialogue.Message{Role: dialogue.RoleSystem, Content: fmt.Sprintf(followUpNotDone, x.answer.followUp.action)})
	}
	return messages
}

// nextFrameAt returns when the next frame of the agent is due; zero if there is none, or nobody hears it.
func (s *Session) nextFrameAt() time.Time {
	if s.isHeldSilent() {
		return time.Time{}
	}
	return s.output.queue.NextFrameAt()
}

// playDueFrames plays the frames that are due.
func (s *Session) playDueFrames(ctx context.Context, now time.Time) {
	if s.isHeldSilent() {
		return
	}
	o := s.output
	before := o.queue.Played()
	if err := o.queue.PlayDue(now); err != nil {
		s.options.Log.DebugContext(ctx, "line refuses audio", "error", err)
	}
	s.playSounds(ctx, now)
	if o.queue.Played() == before {
		return
	}
	o.lastPlayed = now
	s.talk.agentAudible(now)
	if o.current.isSilencePrompt {
		s.silence.promptSince = now
	} else {
		s.silence.recordActivity(now)
	}
	o.current.SetBuffered(o.queue.Buffered())
	if before == 0 {
		o.current.firstPlayed = now
		s.detector.AgentAudible(now)
	}
	s.agentState.set(Speaking)
	if o.captions.isDue(now) {
		o.captions.update(o.queue.SpokenText(), now)
	}
}

// handlePlayoutEnd handles the end of an answer's playout.
func (s *Session) handlePlayoutEnd(ctx context.Context, now time.Time) {
	a := s.output.current
	next := a.followUp
	a.followUp = nil
	s.stopAnswer(now)
	a.followUp = next
	if a.failure != nil {
		s.failCall(ctx, problemOfError(a.failure, s.router.Agent()))
	}
	if answered := handlersByPhase[s.phase].onAnswered; answered != nil {
		answered(s, ctx, a, now)
	}
}

// closeAfterApology ends the call after the apology.
func (s *Session) closeAfterApology(_ context.Context, _ *answer, now time.Time) {
	if s.output.current == nil {
		s.endCallAt(now.Add(farewellTail), s.end)
	}
}
