package worker

import (
	"context"
	"sync/atomic"
	"time"

	"parley/internal/plan"
	"parley/internal/recording"
	"parley/internal/voice"
)

// recorder records a call while its current agent is one whose conversations are recorded.
type recorder struct {
	recordedAgents map[string]bool // agents whose conversations are recorded
	redacts        bool            // of some agents, parts of the recording may be silenced
	recorder       atomic.Pointer[recording.Recorder]
	name           string
}

// configure sets the recorded agents from a call's plan, or all or none of them by the call's own setting.
func (r *recorder) configure(p plan.Plan, own *bool) {
	r.recordedAgents = map[string]bool{}
	for name, config := range p.Agents {
		if own != nil && *own || own == nil && config.Recording {
			r.recordedAgents[name] = true
			r.redacts = r.redacts || config.Redaction.Recordings
		}
	}
}

// Await implements voice.Recording.
func (r *recorder) Await(from time.Time) {
	if rec := r.recorder.Load(); rec != nil {
		rec.Await(from)
	}
}

// Settle implements voice.Recording.
func (r *recorder) Settle(silenced ...[2]time.Time) {
	if rec := r.recorder.Load(); rec != nil {
		rec.Settle(silenced...)
	}
}

func (r *recorder) recordCaller(pcm []int16) {
	if rec := r.recorder.Load(); rec != nil {
		rec.WriteCaller(pcm)
	}
}

func (r *recorder) recordAgent(pcm []int16) {
	if rec := r.recorder.Load(); rec != nil {
		rec.WriteAgent(pcm)
	}
}

// setAgent starts or pauses the recording for the current agent.
func (r *recorder) setAgent(agent string) {
	if rec := r.recorder.Load(); rec != nil {
		rec.Record(r.recordedAgents[agent])
	}
}

// setHeld makes the recording silent while the call is on hold: the phone may play music, which the agent does not get.
func (r *recorder) setHeld(held bool) {
	if rec := r.recorder.Load(); rec != nil {
		rec.Hold(held)
	}
}

// startRecording creates a recording if an agent of the call's plan is recorded. If that fails, the call continues, and
// the error log has the problem.
func (s *session) startRecording(ctx context.Context) {
	if len(s.recorder.recordedAgents) == 0 {
		return
	}
	if err := s.createRecording(ctx); err != nil {
		s.recordingProblem(ctx, err)
	}
}

func (s *session) createRecording(ctx context.Context) error {
	part, err := s.w.options.Calls.StartRecording(ctx, s.lease)
	if err != nil {
		return err
	}
	s.recorder.name = recording.Name(s.call.TenantID, s.call.ID, part)
	file, err := s.w.options.Recordings.Create(s.recorder.name)
	if err != nil {
		return err
	}
	begin := recording.New
	if s.recorder.redacts {
		begin = recording.NewRedacted
	}
	recorder, err := begin(file, s.log)
	if err != nil {
		_ = file.Close()
		return err
	}
	s.recorder.recorder.Store(recorder)
	s.journal.RecordingStarted()
	return nil
}

// stopRecording ends the recording and stores it.
func (s *session) stopRecording(ctx context.Context) {
	recorder := s.recorder.recorder.Swap(nil)
	if recorder == nil {
		return
	}
	if err := recorder.Close(); err != nil {
		s.recordingProblem(ctx, err)
	}
	s.w.running.Go(func() {
		if err := s.w.options.Recordings.Keep(ctx, s.recorder.name); err != nil {
			s.log.ErrorContext(ctx, "failed to store the recording", "error", err)
		}
	})
}

// recordingProblem adds the failure to the tenant's error log, and its cause to the server's log.
func (s *session) recordingProblem(ctx context.Context, err error) {
	s.log.ErrorContext(ctx, "failed to record the call", "error", err)
	s.journal.Problem(voice.Problem{Service: voice.Workflow, Message: "the call could not be recorded, or not to its end", At: time.Now()})
}
