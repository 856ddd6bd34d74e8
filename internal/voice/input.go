package voice

import (
	"context"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/voice/providers"
	"parley/internal/voice/turn"
)

// handleFrame handles a frame of the caller's audio.
func (s *Session) handleFrame(ctx context.Context, pcm []int16, now time.Time) {
	due := s.detector.TranscriptDue()
	s.audio.Push(pcm)
	activity := s.speech.PushFrame(pcm, now)
	if s.speech.Speaking() {
		s.silence.interrupt(now)
	}
	switch {
	case activity.Change == audio.Started:
		s.audio.RequestFinal(false)
		if !due {
			s.audio.Keep(activity.Speech + providers.Preroll)
		}
	case activity.Change == audio.Ended:
		s.audio.RequestFinal(true)
	case !s.speech.Speaking() && !due && s.providers.Recognition() != nil:
		s.audio.Trim()
	}
	s.audio.SetQuiet(!activity.Voiced && !s.speech.Speaking() && !due)
	s.handleAction(ctx, activity.Action, now)
}

// writeAudio writes the caller's audio to the recogniser.
func (s *Session) writeAudio(ctx context.Context, now time.Time) {
	recognition := s.providers.Recognition()
	if recognition == nil {
		return
	}
	if err := s.audio.WriteTo(recognition, now); err != nil {
		s.o.Log.DebugContext(ctx, "recogniser refuses audio", "error", err)
	}
}

// handleTranscript handles a transcript of the recogniser.
func (s *Session) handleTranscript(ctx context.Context, t dialogue.Transcript, now time.Time) {
	if t.Final {
		s.latency.finalAt = now
		s.audio.Keep(providers.Unsettled)
	}
	s.handleAction(ctx, s.detector.TranscriptReceived(t, now), now)
	s.callerCaptions.update(s.detector.Text(), now)
}

// handleTyped handles what the caller wrote: a whole turn, to which what they said
// just before belongs.
func (s *Session) handleTyped(ctx context.Context, text string, now time.Time) {
	s.silence.interrupt(now)
	s.handleAction(ctx, s.detector.TextTyped(text, now), now)
	s.callerCaptions.update(s.detector.Text(), now)
}

// handleAction handles an action of turn detection.
func (s *Session) handleAction(ctx context.Context, action turn.Action, now time.Time) {
	if action != turn.None {
		reactions[s.phase].action(s, ctx, action, now)
	}
}

// carryOut carries an action out.
func (s *Session) carryOut(ctx context.Context, action turn.Action, now time.Time) {
	switch action {
	case turn.Generate:
		s.generateAnswer(ctx, s.detector.Text(), true)
	case turn.Discard:
		s.dropAnswer()
	case turn.Commit:
		s.commitTurn(ctx, now)
	case turn.Pause:
		s.queue.Pause()
	case turn.Resume:
		s.queue.Resume()
	case turn.Interrupt:
		s.latency.turn.Interrupted = true
		s.settleAnswer(now)
		s.client.set(Listening)
	case turn.Continue:
		s.instruct(ctx, "A noise interrupted you; the caller said nothing. Go on where you stopped.")
	}
}

// ignoreAction leaves an action alone, in the phases without turns.
func (s *Session) ignoreAction(_ context.Context, action turn.Action, now time.Time) {
	if action == turn.Generate {
		s.detector.GenerationDropped(now)
	}
}
