package voice

import (
	"context"
	"errors"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/providers"
	"parley/internal/voice/turn"
)

// colleague transcribes a person who speaks with the caller in the agent's place: one who has taken the call over, or whom the caller was
// transferred to. Where their speech cannot be recognised, the transcript has the caller's words alone.
type colleague struct {
	heard       <-chan []int16
	detector    *turn.Detector
	input       callerInput
	opened      <-chan providers.FurtherRecognition
	recognition dialogue.Recognition // nil while none is open
}

// transcribeColleague begins to transcribe a person.
func (s *Session) transcribeColleague(ctx context.Context, p Person) {
	detector := turn.NewDetector(turn.DefaultOptions)
	s.colleague = &colleague{heard: p.Frames(), detector: detector, input: newCallerInput(Options{Line: s.options.Line}, detector),
		opened: s.providers.OpenFurtherRecognition(ctx, s.agentSpec())}
}

func (c *colleague) frames() <-chan []int16 {
	if c == nil {
		return nil
	}
	return c.heard
}

func (c *colleague) recognitions() <-chan providers.FurtherRecognition {
	if c == nil {
		return nil
	}
	return c.opened
}

func (c *colleague) transcripts() <-chan dialogue.Transcript {
	if c == nil || c.recognition == nil {
		return nil
	}
	return c.recognition.Transcripts()
}

// setColleagueRecognition puts the recognition of the person's speech into use.
func (s *Session) setColleagueRecognition(r providers.FurtherRecognition) {
	c := s.colleague
	c.opened = nil
	if r.Recognition == nil {
		var failure providers.Failure
		if errors.As(r.Err, &failure) {
			p := problemOf(failure)
			p.Critical, p.Message = false, "what the person says is not transcribed: "+p.Message
			s.problems.report(p)
		}
		return
	}
	c.recognition = r.Recognition
	c.input.audio.Replay(r.Recognition)
}

// hearColleague handles a frame of the person's audio.
func (s *Session) hearColleague(ctx context.Context, pcm []int16, now time.Time) {
	c := s.colleague
	s.handleColleagueAction(c.input.pushFrame(pcm, c.recognition != nil, now).Action, now)
	s.handleColleagueAction(c.detector.Elapsed(now), now)
	if c.recognition == nil {
		return
	}
	if err := c.input.audio.WriteTo(c.recognition, now); err != nil {
		s.options.Log.DebugContext(ctx, "recogniser refuses audio", "error", dialogue.Summary(err))
	}
}

// handleColleagueTranscript handles words of the person; ok is false when the recognition has ended.
func (s *Session) handleColleagueTranscript(t dialogue.Transcript, ok bool, now time.Time) {
	c := s.colleague
	if !ok {
		ended := c.recognition
		c.recognition = nil
		s.work.Go(func() { ended.Close() })
		return
	}
	if t.Final {
		c.input.audio.DropSentBefore(providers.Unsettled)
	}
	s.handleColleagueAction(c.detector.TranscriptReceived(withoutAnnotations(t), now), now)
}

// handleColleagueAction ends the person's turns, and lets nothing else happen.
func (s *Session) handleColleagueAction(action turn.Action, now time.Time) {
	switch action {
	case turn.Generate:
		s.colleague.detector.GenerationDropped(now)
	case turn.Commit:
		s.takeColleagueWords(now)
	}
}

// takeColleagueWords moves what the person has said to the transcript: it has no agent's name.
func (s *Session) takeColleagueWords(now time.Time) {
	c := s.colleague
	if text := c.detector.Text(); text != "" {
		s.options.Journal.EntryAdded(Entry{Role: dialogue.RoleAssistant, Text: text, At: c.detector.LastSpeech()})
		s.history.Add(dialogue.RoleSystem, "A colleague said to the caller: "+text)
		c.input.endTurn(c.recognition)
	}
	c.detector.TurnCommitted(now)
	c.detector.AgentStopped(now)
}

// closeColleague ends the transcription of a person.
func (s *Session) closeColleague(now time.Time) {
	c := s.colleague
	if c == nil {
		return
	}
	s.takeColleagueWords(now)
	s.colleague = nil
	if c.recognition != nil {
		s.work.Go(func() { c.recognition.Close() })
	}
	if opening := c.opened; opening != nil {
		s.work.Go(func() {
			if r := <-opening; r.Recognition != nil {
				r.Recognition.Close()
			}
		})
	}
}
