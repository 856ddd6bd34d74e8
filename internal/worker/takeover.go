package worker

import (
	"context"
	"time"

	"parley/internal/call"
	"parley/internal/dialogue"
	"parley/internal/voice"
)

// returnWait is how long a taken-over call waits for its caller to rejoin: if the media server was lost with the worker, clients have to
// reconnect. The pauses between the later attempts of livekit-client are 4.8 s and 7 s.
const returnWait = 20 * time.Second

// isTakenOver reports whether the call was claimed from a lost worker, after its caller had joined.
func (s *session) isTakenOver() bool { return s.call.Status != call.Pending }

// resumeConversation restores the state of a conversation that another worker has started.
func (s *session) resumeConversation(ctx context.Context, o *voice.Options) error {
	if s.call.Status != call.Active {
		return nil // nothing was said
	}
	var entries []call.TranscriptEntry
	if err := s.requireDatabase(ctx, func(ctx context.Context) (err error) {
		entries, err = s.w.options.Calls.Transcript(ctx, s.call.TenantID, s.call.ID)
		return err
	}); err != nil {
		return err
	}
	for _, e := range entries {
		role := dialogue.Role(e.Role)
		if e.Content != "" && !e.Ignored && (role == dialogue.RoleUser || role == dialogue.RoleAssistant) {
			content := e.Content
			if e.DTMF {
				content = voice.KeysForModel(content)
			}
			o.History = append(o.History, dialogue.Message{Role: role, Content: content})
		}
	}
	var err error
	if o.Snapshot, err = s.w.options.Calls.ConversationSnapshot(s.call); err != nil {
		return err
	}
	o.Held = s.call.Held
	if s.call.CurrentAgent != nil {
		o.ResumeAgent = *s.call.CurrentAgent
	}
	return nil
}

// enterWait bounds how long the agent of a taken-over call may take to join the room: the agents of a lost worker's calls
// join a few at a time.
const enterWait = 20 * time.Second

// joinLimit is until when a call waits for agent and caller to join, and its reason if they do not.
type joinLimit struct {
	deadline    time.Time
	absent      call.Reason // the caller did not join
	agentAbsent call.Reason // the agent could not join
}

// afterJoin returns the limit for the caller once the agent is in the room: that of taken-over calls starts then.
func (l joinLimit) afterJoin(s *session) joinLimit {
	if s.isTakenOver() {
		l.deadline = time.Now().Add(returnWait)
	}
	return l
}

func (s *session) joinLimit() joinLimit {
	if s.isTakenOver() {
		return joinLimit{deadline: time.Now().Add(enterWait), absent: call.WorkerLost, agentAbsent: call.WorkerLost}
	}
	return joinLimit{deadline: s.joinBy, absent: call.JoinTimeout, agentAbsent: call.ConnectionLost}
}

// roomClosedCause returns the cause of a session's cancellation after its room was closed. A call that waited for its
// caller is returned to the queue, since the caller may still join; a taken-over one has lost its caller.
func (s *session) roomClosedCause(joined bool) error {
	switch {
	case joined:
		return endCause{call.ConnectionLost}
	case s.isTakenOver():
		return endCause{call.WorkerLost}
	default:
		return errReleased
	}
}

// markConnecting records that the caller has joined, unless that is recorded already.
func (s *session) markConnecting(ctx context.Context) error {
	if s.isTakenOver() {
		return nil
	}
	return s.requireDatabase(ctx, func(ctx context.Context) error { return s.w.options.Calls.MarkConnecting(ctx, s.lease) })
}

// markActive records the start of the conversation, unless that is recorded already.
func (s *session) markActive(ctx context.Context) error {
	if s.call.Status == call.Active {
		return nil
	}
	return s.requireDatabase(ctx, func(ctx context.Context) error { return s.w.options.Calls.MarkActive(ctx, s.lease) })
}

// timeLeft returns how long the call may still be active.
func (s *session) timeLeft() time.Duration {
	return s.maxDuration() - time.Duration(s.call.Duration(s.call.Claimed()))*time.Second
}

// maxDuration returns how long the call may be active in all.
func (s *session) maxDuration() time.Duration {
	return s.settings.MaxDuration(s.w.options.Calls.MaxDuration())
}
