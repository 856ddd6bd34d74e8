package worker

import (
	"context"
	"sync/atomic"
	"time"

	"parley/internal/recording"
	"parley/internal/voice"
)

// tape is the recording of a call, as long as there is one.
type tape struct {
	wanted   map[string]bool // agents with whom what is said is recorded
	recorder atomic.Pointer[recording.Recorder]
	name     string
}

// want reads from a call's plan with whom to record.
func (t *tape) want(plan voice.Plan) {
	t.wanted = map[string]bool{}
	for name, config := range plan.Agents {
		if config.Recording {
			t.wanted[name] = true
		}
	}
}

func (t *tape) heard(pcm []int16) {
	if r := t.recorder.Load(); r != nil {
		r.Heard(pcm)
	}
}

func (t *tape) spoken(pcm []int16) {
	if r := t.recorder.Load(); r != nil {
		r.Spoken(pcm)
	}
}

// follow records what is said with an agent that wants it, and only that.
func (t *tape) follow(agent string) {
	if r := t.recorder.Load(); r != nil {
		r.Record(t.wanted[agent])
	}
}

// beginTape begins a recording when any agent that the call may reach wants
// one. A call that cannot be recorded goes on, and says so.
func (s *session) beginTape(ctx context.Context) {
	if len(s.tape.wanted) == 0 {
		return
	}
	if err := s.record(ctx); err != nil {
		s.tapeProblem(ctx, err)
	}
}

func (s *session) record(ctx context.Context) error {
	part, err := s.w.o.Calls.Recording(ctx, s.lease)
	if err != nil {
		return err
	}
	s.tape.name = recording.Name(s.call.TenantID, s.call.ID, part)
	file, err := s.w.o.Recordings.Create(s.tape.name)
	if err != nil {
		return err
	}
	recorder, err := recording.New(file, s.log)
	if err != nil {
		_ = file.Close()
		return err
	}
	s.tape.recorder.Store(recorder)
	return nil
}

// endTape ends the recording and takes it where it is kept.
func (s *session) endTape(ctx context.Context) {
	recorder := s.tape.recorder.Swap(nil)
	if recorder == nil {
		return
	}
	if err := recorder.Close(); err != nil {
		s.tapeProblem(ctx, err)
	}
	s.w.running.Go(func() {
		if err := s.w.o.Recordings.Keep(ctx, s.tape.name); err != nil {
			s.log.ErrorContext(ctx, "keep recording", "error", err)
		}
	})
}

// tapeProblem tells the tenant; what went wrong inside is for the log.
func (s *session) tapeProblem(ctx context.Context, err error) {
	s.log.ErrorContext(ctx, "record call", "error", err)
	s.journal.Problem(voice.Problem{Service: voice.Workflow, Message: "the call could not be recorded, or not to its end", At: time.Now()})
}
