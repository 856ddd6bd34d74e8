package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/media"
	"parley/internal/plan"
	"parley/internal/sip"
	"parley/internal/voice"
)

const (
	// agentTokenTTL is how long the agent's join token is valid; it is used immediately.
	agentTokenTTL = 5 * time.Minute
	// microphoneWait is how long a conversation waits for the caller in the room to publish a microphone; then it starts
	// without one, since the caller may type.
	microphoneWait = 3 * time.Second
	// phoneAudioWait is how long a call waits for an answered phone to be in the room.
	phoneAudioWait = 10 * time.Second
	// acknowledgeWait is how long an inbound phone call waits for the caller to acknowledge the answer (ACK), which the SIP gateway
	// repeats for 10 s. The gateway answers once the agent is in the room.
	acknowledgeWait = 12 * time.Second
	// roomTimeout bounds a request to create a room; it is then retried. minJoinWait is how long at least an agent tries to join, and a
	// call that was claimed after its deadline waits for its caller: the database may have been unavailable until then.
	roomTimeout, minJoinWait = 10 * time.Second, 5 * time.Second
	// departureTimeout is how long the room exists after its last participant has left.
	departureTimeout = 20 * time.Second
	// finishTries is the number of attempts to write a call's end while the database is unreachable, and requiredTries
	// that for other operations that the call depends on, at intervals of a second.
	finishTries, requiredTries = 60, 30
)

// endCause is the cancellation cause of a session that ends with a reason.
type endCause struct{ reason call.Reason }

func (e endCause) Error() string { return string(e.reason) }

// session is one call that this worker runs.
type session struct {
	w          *Worker
	call       *call.Call // without its plan once that is decoded
	plan       *plan.Plan // shared with other calls; referred to here so that the worker keeps it
	lease      call.Lease
	clock      sessionClock
	claimedAt  time.Time // when the call was claimed, by this machine's clock
	joinBy     time.Time // deadline for the caller, by this machine's clock
	settings   call.Settings
	log        *slog.Logger
	cancel     context.CancelCauseFunc
	waiting    atomic.Bool // the caller has not joined yet
	journal    *journal
	meter      meter
	recorder   recorder
	line       *line
	controls   chan voice.Control // for the conversation
	controlled chan struct{}      // signals that there may be controls
	spent      chan struct{}      // closed when the call has cost as much as it may
	trace      context.Context    // context with the call's span

	phone     dialState      // of an outbound call
	dialError *sip.DialError // why the number was not reached; nil if unknown
}

func newSession(w *Worker, c *call.Call) *session {
	// The call's times are database times; deadlines are computed from the time since the claim.
	now := time.Now()
	wait := c.JoinBy.Sub(c.Claimed())
	if wait < 0 {
		wait = minJoinWait
	}
	s := &session{w: w, call: c, lease: c.Lease(), claimedAt: now, joinBy: now.Add(wait), log: w.options.Log.With("call", c.ID, "tenant", c.TenantID), trace: context.Background(),
		controls: make(chan voice.Control), controlled: make(chan struct{}, 1), spent: make(chan struct{})}
	s.waiting.Store(!s.isTakenOver())
	return s
}

// run runs the call from the claim to its end.
func (s *session) run(ctx context.Context) {
	ctx, span := s.startTrace(ctx)
	s.journal = newJournal(s)
	reason, err := s.runCall(ctx)
	s.stopRecording(context.WithoutCancel(ctx))
	s.journal.close()
	defer func() { endTrace(span, reason, err) }()
	switch {
	case errors.Is(err, errLost):
		s.log.WarnContext(ctx, "call lease lost")
	case errors.Is(err, errReleased):
		if err := s.w.options.Calls.Release(context.WithoutCancel(ctx), s.lease); err != nil {
			s.log.ErrorContext(ctx, "failed to release the call", "error", err)
		}
	default:
		if err != nil {
			s.log.ErrorContext(ctx, "call failed", "error", err)
		}
		s.finish(context.WithoutCancel(ctx), reason)
	}
}

// finish writes the call's end and deletes the room. It retries while the database is unreachable, finishTries
// times; then call and room are left to a worker that takes it over, or to the reaper.
func (s *session) finish(ctx context.Context, reason call.Reason) {
	var ended *call.Call
	err := s.retryDatabase(ctx, finishTries, func(ctx context.Context) (err error) {
		if s.dialError != nil {
			ended, err = s.w.options.Calls.FinishUnreached(ctx, s.lease, reason, s.dialError.Status)
		} else {
			ended, err = s.w.options.Calls.Finish(ctx, s.lease, reason)
		}
		return err
	})
	switch {
	case err == nil:
		s.log.InfoContext(ctx, "call ended", "status", ended.Status, "reason", reason, "seconds", ended.DurationSeconds)
	case !errors.Is(err, call.ErrFenced):
		s.log.ErrorContext(ctx, "failed to record the call's end", "error", err)
		return
	case !s.hasEnded(ctx):
		return // the room belongs to another worker
	}
	if err := s.w.options.Rooms.Delete(ctx, s.call.RoomName); err != nil {
		s.log.WarnContext(ctx, "failed to delete the room", "error", err)
	}
}

// hasEnded reports whether the call's end is recorded, by any worker or the reaper.
func (s *session) hasEnded(ctx context.Context) bool {
	c, err := s.w.options.Calls.Get(ctx, s.call.TenantID, s.call.ID)
	return err == nil && c.Status.Terminal()
}

// retryDatabase retries a database operation while the database is unreachable. It does not retry other errors.
func (s *session) retryDatabase(ctx context.Context, tries int, do func(context.Context) error) (err error) {
	for range tries {
		limited, cancel := context.WithTimeout(ctx, databaseTimeout)
		err = do(limited)
		late := limited.Err() != nil
		cancel()
		if err == nil || ctx.Err() != nil || !late && !database.IsUnavailable(err) {
			return err
		}
		s.log.ErrorContext(ctx, "the database is unreachable", "error", err)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// requireDatabase is like retryDatabase, for an operation that the call depends on. It reports giving up to the call's error log.
func (s *session) requireDatabase(ctx context.Context, do func(context.Context) error) error {
	err := s.retryDatabase(ctx, requiredTries, do)
	if ctx.Err() == nil && database.IsUnavailable(err) {
		s.reportCritical("the database was unavailable: the call could not continue")
	}
	return err
}

// reportCritical adds to the call's error log why the call fails, for a cause in this installation.
func (s *session) reportCritical(message string) {
	s.journal.Problem(voice.Problem{Service: voice.Workflow, Critical: true, Message: message, At: time.Now()})
}

// runCall runs the call and returns the reason of its end; an error next to a reason is for the log. With errLost and
// errReleased the worker must not write the end.
func (s *session) runCall(ctx context.Context) (reason call.Reason, err error) {
	defer func() {
		if p := recover(); p != nil {
			reason, err = call.WorkerLost, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if s.settings, err = s.w.options.Calls.Settings(s.call); err != nil {
		return call.WorkerLost, err
	}
	dial := s.isOutbound() && !s.isTakenOver()
	var route sip.OutboundRoute
	if dial {
		if route, reason, err = s.outboundRoute(ctx); reason != "" || err != nil {
			return reason, err
		}
	}
	conversation, err := s.newConversation(ctx)
	if err != nil {
		return s.startFailure(ctx, err)
	}
	defer conversation.Close()

	wait := s.joinLimit()
	joining := s.startSpan(ctx, "join")
	participant, err := s.joinRoom(ctx, conversation.line, wait.deadline)
	joining.End()
	if err != nil {
		if ctx.Err() == nil {
			s.reportCritical("the media server is not available: the agent could not join the room")
		}
		return endReason(ctx, wait.agentAbsent, err)
	}
	defer participant.Leave()
	wait = wait.afterJoin(s)
	conversation.line.participant = participant
	defer conversation.line.stopHold()
	s.removePersons(ctx)
	publishing, unpublish := context.WithCancel(ctx)
	defer unpublish()
	s.w.running.Go(func() { conversation.line.publishCaptions(publishing) })
	s.log.InfoContext(ctx, "agent joined the room", "since_dispatch_ms", time.Since(s.call.CreatedAt).Milliseconds())

	events := s.watchRoom(ctx, participant, conversation.line)
	switch {
	case dial: // below, when everything is ready
	case s.isOutbound():
		reason, err = s.awaitDialledPhone(ctx, events.joined)
	default:
		if s.callerOnlyWrites() {
			announcing, stop := context.WithCancel(ctx)
			defer stop()
			s.w.running.Go(func() { s.announceCaller(announcing, events.joined) })
		}
		reason, err = s.awaitCaller(ctx, events.joined, wait.deadline, wait.absent)
	}
	if reason != "" || err != nil {
		return reason, err
	}
	if !s.isTakenOver() && !s.waiting.CompareAndSwap(true, false) {
		return "", errReleased // released while the caller joined: another worker answers
	}
	connecting := s.startSpan(ctx, "connecting")
	defer connecting.End() // for the early returns; ending twice has no effect
	if err := s.markConnecting(ctx); err != nil {
		return endReason(ctx, call.WorkerLost, err)
	}
	if err := conversation.Prepare(ctx); err != nil {
		return s.startFailure(ctx, err)
	}
	switch {
	case dial:
		reason, err = s.ringPhone(ctx, route, events.joined)
		conversation.line.dropFrames()
	case s.call.CallType == call.SIP && !s.isOutbound():
		reason, err = s.awaitCaller(ctx, events.answered, time.Now().Add(acknowledgeWait), call.ConnectionLost)
	case !s.isOutbound() && !s.callerOnlyWrites(): // an answered phone may be silent
		reason, err = s.awaitCaller(ctx, events.audio, time.Now().Add(microphoneWait), "")
	}
	if reason != "" || err != nil {
		return reason, err
	}
	if err := s.markActive(ctx); err != nil {
		return endReason(ctx, call.WorkerLost, err)
	}
	connecting.End()
	return s.runConversation(ctx, conversation)
}

// runConversation runs the conversation with a caller who has joined, until one of them ends it.
func (s *session) runConversation(ctx context.Context, conversation *conversation) (call.Reason, error) {
	s.startRecording(ctx)
	s.recorder.setHeld(s.call.Held)
	if s.call.Status == call.Active {
		s.recorder.setAgent(conversation.Agent())
		s.line.publishAgent(conversation.Agent())
	} else {
		s.journal.AgentChanged(conversation.Agent(), "")
	}
	if began := s.w.options.CallBegan; began != nil {
		began(s.call.TenantID, *s.plan, conversation.Agent(), conversation.callerLanguage)
	}
	maxDuration := time.AfterFunc(s.timeLeft(), func() { s.cancel(endCause{call.MaxDuration}) })
	defer maxDuration.Stop()
	running, ended := context.WithCancel(ctx)
	defer ended()
	s.w.running.Go(func() { s.receiveControls(running) })
	if s.limitsCost() {
		s.w.running.Go(func() { s.watchCost(running) })
	}
	end, err := conversation.Run(ctx)
	if err != nil {
		return endReason(ctx, call.ConnectionLost, err)
	}
	return endReasons[end], nil
}

// endReasons maps the end of a conversation by the session to the call's reason.
var endReasons = map[voice.End]call.Reason{
	voice.AgentEnded:    call.AgentEnded,
	voice.Transferred:   call.Transferred,
	voice.Silence:       call.Silence,
	voice.ProviderError: call.ProviderError,
	voice.Budget:        call.Budget,
	voice.VoicemailLeft: call.VoicemailLeft,
	voice.Voicemail:     call.Voicemail,
	voice.ScreenedOut:   call.ScreenedOut,
	voice.MenuFailed:    call.MenuFailed,
}

// endReason returns how a call ends after an error: by the cause of the session's cancellation, or else with the given
// reason.
func endReason(ctx context.Context, reason call.Reason, err error) (call.Reason, error) {
	if errors.Is(err, call.ErrFenced) {
		return "", errLost
	}
	if ctx.Err() == nil {
		return reason, err
	}
	cause := context.Cause(ctx)
	var end endCause
	if errors.As(cause, &end) {
		return end.reason, nil
	}
	return "", cause
}

// startFailure returns how a call ends that could not start because of its providers or plan (a voice.Problem), a
// cancellation, or an internal error.
func (s *session) startFailure(ctx context.Context, err error) (call.Reason, error) {
	var problem voice.Problem
	if ctx.Err() != nil || !errors.As(err, &problem) {
		return endReason(ctx, call.WorkerLost, err)
	}
	s.journal.Problem(problem)
	return call.ProviderError, nil
}

// awaitCaller waits for an event of the caller until a deadline; absent is the call's reason after it.
func (s *session) awaitCaller(ctx context.Context, happened <-chan struct{}, deadline time.Time, absent call.Reason) (call.Reason, error) {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-happened:
		return "", nil
	case <-timer.C:
		return absent, nil
	case <-ctx.Done():
		return endReason(ctx, "", nil)
	}
}

// joinRoom joins the call's room, creating it if necessary, and retries until the deadline: the media server may be
// briefly unreachable. A media server that does not respond does not delay the deadline.
func (s *session) joinRoom(ctx context.Context, to *line, until time.Time) (*media.Participant, error) {
	if earliest := time.Now().Add(minJoinWait); until.Before(earliest) {
		until = earliest
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	token, err := s.w.options.Tokens.Agent(s.call.RoomName, "agent-"+s.call.ID, s.clock.databaseTime(time.Now()), agentTokenTTL)
	if err != nil {
		return nil, err
	}
	var peer string
	if s.isOutbound() {
		peer = sip.PhoneIdentity(s.call.ID)
	}
	warned := false
	for {
		err := s.createRoom(ctx)
		if err == nil {
			var participant *media.Participant
			participant, err = s.w.options.Joiner.Join(ctx, media.JoinOptions{
				URL: s.w.options.MediaURL, Token: token, Agent: true, Peer: peer, Data: true, OnFrame: to.hearCaller, OnText: to.pushText, OnTone: to.pressKey, PeerHeld: s.call.Held, MakeRoom: s.createRoom, Log: s.log,
			})
			if err == nil {
				return participant, nil
			}
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if !warned { // the health check reports when the server is back
			s.log.WarnContext(ctx, "failed to join the room", "error", err)
			warned = true
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *session) createRoom(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, roomTimeout)
	defer cancel()
	return s.w.options.Rooms.Create(ctx, s.call.RoomName, media.CallRoom(s.w.options.Calls.JoinTimeout()+departureTimeout, departureTimeout))
}

// callerEvents are channels that close when the caller has joined, has audio, and has a phone whose call is established.
type callerEvents struct{ joined, audio, answered chan struct{} }

// watchRoom handles the room's events in a goroutine: it cancels the session when the caller has left or the room is closed.
func (s *session) watchRoom(ctx context.Context, p *media.Participant, l *line) callerEvents {
	events := callerEvents{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	go func() {
		var joined, audio, answered bool
		closeOnce := func(closed *bool, c chan struct{}) {
			if !*closed {
				*closed = true
				close(c)
			}
		}
		for e := range p.Events() {
			switch e.Kind {
			case media.PeerJoined:
				s.phone.join()
				closeOnce(&joined, events.joined)
			case media.PeerAudio:
				closeOnce(&joined, events.joined)
				closeOnce(&audio, events.audio)
			case media.PeerAnswered:
				closeOnce(&joined, events.joined)
				closeOnce(&answered, events.answered)
			case media.PeerLeft:
				s.log.InfoContext(ctx, "caller left", "hung_up", e.HungUp, "reason", e.Reason)
				cause := endCause{call.ConnectionLost}
				if e.HungUp {
					cause = endCause{call.CallerHangup}
				}
				if !s.phone.leave(cause) {
					if e.RoomDeleted() && ctx.Err() == nil {
						s.reportCritical(roomLost(e))
					}
					s.cancel(cause)
				}
			case media.Reconnecting:
				s.log.WarnContext(ctx, "room connection interrupted", "error", media.ErrLost)
			case media.Rejoined:
				s.journal.Rejoined(call.AgentRejoined, e.RoomLost)
			case media.PeerHeld:
				l.pushSignal(voice.Signal{Kind: voice.CallHeld})
			case media.PeerResumed:
				l.pushSignal(voice.Signal{Kind: voice.CallResumed})
			case media.PeerTrackIgnored:
				s.log.WarnContext(ctx, "caller's audio track not listened to", "reason", e.Reason)
				s.journal.Problem(voice.Problem{Service: voice.Workflow, At: time.Now(),
					Message: fmt.Sprintf("an audio track of the caller is not listened to: its source is %s, or another one is listened to", e.Reason)})
			case media.PeerQuality:
				s.journal.QualityMeasured(e.Quality)
			case media.PeerReturned:
				s.journal.Rejoined(call.CallerRejoined, e.RoomLost)
			case media.RoomClosed, media.Disconnected:
				s.log.InfoContext(ctx, "left the room", "event", e.Kind.String(), "reason", e.Reason)
				cause := s.roomClosedCause(joined || s.phone.hasRung())
				if end := new(endCause); errors.As(cause, end) && ctx.Err() == nil {
					s.reportCritical(roomLost(e))
				}
				s.cancel(cause)
			}
		}
	}()
	return events
}

// roomLost returns the message for the error log about an event by which the agent is no longer in the room.
func roomLost(e media.Event) string {
	switch {
	case e.RoomDeleted():
		return "the media server closed the room"
	case e.Unreachable():
		return "the media server is not available: the agent lost its connection to the room"
	}
	return "the media server removed the agent from the room"
}
