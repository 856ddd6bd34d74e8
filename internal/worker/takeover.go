package worker

import (
	"context"
	"time"

	"parley/internal/call"
	"parley/internal/dialogue"
	"parley/internal/voice"
)

// returnWait is how long a taken-over call waits for its caller to rejoin: clients reconnect when the media server
// went down with the worker.
const returnWait = 8 * time.Second

// takenOver reports whether another worker had started the conversation.
func (s *session) takenOver() bool { return s.call.Status != call.Pending }

// resumeConversation restores the state of a conversation that another worker has started.
func (s *session) resumeConversation(ctx context.Context, o *voice.Options) error {
	if s.call.Status != call.Active {
		return nil // nothing was said
	}
	var entries []call.TranscriptEntry
	if err := s.require(ctx, func(ctx context.Context) (err error) {
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
	if o.Snapshot, err = s.w.o.Calls.ConversationContext(s.call); err != nil {
		return err
	}
	if s.call.CurrentAgent != nil {
		o.ResumeAgent = *s.call.CurrentAgent
	}
	return nil
}

// enterWait is the limit of the time in which the agent of a taken-over call joins the room: the calls of a worker that
// died join a few at a time.
const enterWait = 20 * time.Second

// joinLimit is how long a call waits, and how it ends if nobody joins.
type joinLimit struct {
	until       time.Time
	absent      call.Reason // the caller did not join
	agentAbsent call.Reason // the agent could not join
}

// inside returns the limit once the agent is in the room: for taken-over calls the caller's time starts then.
func (p joinLimit) inside(s *session) joinLimit {
	if s.takenOver() {
		p.until = time.Now().Add(returnWait)
	}
	return p
}

func (s *session) joinLimit() joinLimit {
	if s.takenOver() {
		return joinLimit{until: time.Now().Add(enterWait), absent: call.WorkerLost, agentAbsent: call.WorkerLost}
	}
	return joinLimit{until: s.joinBy, absent: call.JoinTimeout, agentAbsent: call.ConnectionLost}
}

// roomClosed returns why a session ends whose room was closed. A call that waited for its caller is requeued, since
// the caller may still come; a taken-over one has lost its caller.
func (s *session) roomClosed(joined bool) error {
	switch {
	case joined:
		return endCause{call.ConnectionLost}
	case s.takenOver():
		return endCause{call.WorkerLost}
	default:
		return errReleased
	}
}

// markConnecting records that the caller is present, unless that is recorded.
func (s *session) markConnecting(ctx context.Context) error {
	if s.takenOver() {
		return nil
	}
	return s.require(ctx, func(ctx context.Context) error { return s.w.o.Calls.MarkConnecting(ctx, s.lease) })
}

// markActive records the start of the conversation, unless it was taken over.
func (s *session) markActive(ctx context.Context) error {
	if s.call.Status == call.Active {
		return nil
	}
	return s.require(ctx, func(ctx context.Context) error { return s.w.o.Calls.MarkActive(ctx, s.lease) })
}

// timeLeft returns how long the call may still be active.
func (s *session) timeLeft() time.Duration {
	return s.w.o.Calls.MaxDuration() - time.Duration(s.call.Duration(s.call.Claimed()))*time.Second
}
