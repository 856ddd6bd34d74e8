package worker

import (
	"context"
	"time"

	"parley/internal/call"
	"parley/internal/dialogue"
	"parley/internal/voice"
)

// returnWait is how long the caller of a call that was taken over may take to
// come back: clients join anew when the media server went away with the
// worker.
const returnWait = 8 * time.Second

// takenOver reports whether another worker had begun the conversation.
func (s *session) takenOver() bool { return s.call.Status != call.Pending }

// catchUp lets a conversation go on where the last worker left it.
func (s *session) catchUp(ctx context.Context, o *voice.Options) error {
	if s.call.Status != call.Active {
		return nil // nothing was said
	}
	var entries []call.TranscriptEntry
	if err := s.insist(ctx, insistTries, func(ctx context.Context) (err error) {
		entries, err = s.w.o.Calls.Transcript(ctx, s.call.TenantID, s.call.ID)
		return err
	}); err != nil {
		return err
	}
	for _, e := range entries {
		role := dialogue.Role(e.Role)
		if e.Content != "" && (role == dialogue.RoleUser || role == dialogue.RoleAssistant) {
			o.History = append(o.History, dialogue.Message{Role: role, Content: e.Content})
		}
	}
	var err error
	if o.Kept, err = s.w.o.Calls.Kept(s.call); err != nil {
		return err
	}
	if s.call.CurrentAgent != nil {
		o.Resume = *s.call.CurrentAgent
	}
	return nil
}

// enterWait is how long the agent of such a call may take to get into the room:
// a worker that died leaves many calls at once, which enter a few at a time.
const enterWait = 20 * time.Second

// patience says until when a call waits, and how it ends when nobody comes.
type patience struct {
	until   time.Time
	absent  call.Reason // the caller did not come
	outside call.Reason // the agent could not get in
}

// inside is the patience of a call whose agent is in the room: callers of one
// that was taken over have their time from now on.
func (p patience) inside(s *session) patience {
	if s.takenOver() {
		p.until = time.Now().Add(returnWait)
	}
	return p
}

func (s *session) patience() patience {
	if s.takenOver() {
		return patience{until: time.Now().Add(enterWait), absent: call.WorkerLost, outside: call.WorkerLost}
	}
	return patience{until: s.joinBy, absent: call.JoinTimeout, outside: call.ConnectionLost}
}

// roomless says why a session ends whose room has gone. One that waited for its
// caller begins anew, for the caller may still come; nobody came back into one
// that was taken over.
func (s *session) roomless(joined bool) error {
	switch {
	case joined:
		return over{call.ConnectionLost}
	case s.takenOver():
		return over{call.WorkerLost}
	default:
		return errGivenBack
	}
}

// connect tells that the caller is there, unless that is known.
func (s *session) connect(ctx context.Context) error {
	if s.takenOver() {
		return nil
	}
	return s.insist(ctx, insistTries, func(ctx context.Context) error { return s.w.o.Calls.Connecting(ctx, s.lease) })
}

// activate tells that the conversation begins, unless it goes on.
func (s *session) activate(ctx context.Context) error {
	if s.call.Status == call.Active {
		return nil
	}
	return s.insist(ctx, insistTries, func(ctx context.Context) error { return s.w.o.Calls.Active(ctx, s.lease) })
}

// timeLeft is how long the call may still be active.
func (s *session) timeLeft() time.Duration {
	return s.w.o.Calls.MaxDuration() - time.Duration(s.call.Duration(s.call.Claimed()))*time.Second
}
