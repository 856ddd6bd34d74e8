package worker

import (
	"context"
	"sync/atomic"
	"time"

	"parley/internal/plan"
	"parley/internal/recording"
	"parley/internal/voice"
)

// recorder records a call while an agent that wants recordings speaks.
type recorder struct {
	wanted   map[string]bool // agents whose conversations are recorded
	recorder atomic.Pointer[recording.Recorder]
	name     string
}

// configure reads from a call's plan which agents to record.
func (t *recorder) configure(p plan.Plan) {
	t.wanted = map[string]bool{}
	for name, config := range p.Agents {
		if config.Recording {
			t.wanted[name] = true
		}
	}
}

func (t *recorder) recordCaller(pcm []int16) {
	if r := t.recorder.Load(); r != nil {
		r.WriteCaller(pcm)
	}
}

func (t *recorder) recordAgent(pcm []int16) {
	if r := t.recorder.Load(); r != nil {
		r.WriteAgent(pcm)
	}
}

// setAgent starts or stops recording, depending on whether the agent wants it.
func (t *recorder) setAgent(agent string) {
	if r := t.recorder.Load(); r != nil {
		r.Record(t.wanted[agent])
	}
}

// startRecording starts a recording if any agent that the call may reach wants one. If it fails, the call continues
// and the error log says so.
func (s *session) startRecording(ctx context.Context) {
	if len(s.recorder.wanted) == 0 {
		return
	}
	if err := s.record(ctx); err != nil {
		s.recordingProblem(ctx, err)
	}
}

func (s *session) record(ctx context.Context) error {
	part, err := s.w.o.Calls.StartRecording(ctx, s.lease)
	if err != nil {
		return err
	}
	s.recorder.name = recording.Name(s.call.TenantID, s.call.ID, part)
	file, err := s.w.o.Recordings.Create(s.recorder.name)
	if err != nil {
		return err
	}
	recorder, err := recording.New(file, s.log)
	if err != nil {
		_ = file.Close()
		return err
	}
	s.recorder.recorder.Store(recorder)
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
		if err := s.w.o.Recordings.Keep(ctx, s.recorder.name); err != nil {
			s.log.ErrorContext(ctx, "failed to store the recording", "error", err)
		}
	})
}

// recordingProblem adds the failure to the tenant's error log, and its cause to the server's log.
func (s *session) recordingProblem(ctx context.Context, err error) {
	s.log.ErrorContext(ctx, "failed to record the call", "error", err)
	s.journal.Problem(voice.Problem{Service: voice.Workflow, Message: "the call could not be recorded, or not to its end", At: time.Now()})
}
