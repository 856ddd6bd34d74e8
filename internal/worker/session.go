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
	// phoneAudioWait is how long an answered phone is awaited to send audio.
	phoneAudioWait = 10 * time.Second
	// roomTimeout bounds a request for a room, which is then repeated, and least bounds from below how long an agent tries to join, and
	// how long a call that was claimed after its deadline waits for its caller: the database may have been away until then.
	roomTimeout, least = 10 * time.Second, 5 * time.Second
	// departure is how long the room outlives its last participant.
	departure = 20 * time.Second
	// finishTries is how often writing a call's end is tried while the database is unreachable, and requiredTries
	// the same for other writes that the call depends on, at intervals of a second.
	finishTries, requiredTries = 60, 30
)

// endCause is the cancellation cause of a session that ends with a reason.
type endCause struct{ reason call.Reason }

func (o endCause) Error() string { return string(o.reason) }

// session is one call that this worker runs.
type session struct {
	w        *Worker
	call     *call.Call
	lease    call.Lease
	clock    sessionClock
	began    time.Time // when the call was claimed, by this machine's clock
	joinBy   time.Time // deadline for the caller, by this machine's clock
	log      *slog.Logger
	cancel   context.CancelCauseFunc
	waiting  atomic.Bool // nobody has joined yet
	journal  *journal
	recorder recorder
	line     *line
	trace    context.Context // contains the call's span

	phone   dialState    // of an outbound call
	refusal *sip.Refusal // why the number was not reached, if that is known
}

func newSession(w *Worker, c *call.Call) *session {
	// The call's times are database times; deadlines are computed from the time since the claim.
	now := time.Now()
	wait := c.JoinBy.Sub(c.Claimed())
	if wait < 0 {
		wait = least
	}
	s := &session{w: w, call: c, lease: c.Lease(), began: now, joinBy: now.Add(wait), log: w.o.Log.With("call", c.ID, "tenant", c.TenantID), trace: context.Background()}
	s.waiting.Store(!s.takenOver())
	return s
}

// run runs the call from the claim to its end.
func (s *session) run(ctx context.Context) {
	ctx, span := s.traced(ctx)
	s.journal = newJournal(s)
	reason, err := s.converse(ctx)
	s.stopRecording(context.WithoutCancel(ctx))
	s.journal.close()
	defer func() { endTrace(span, reason, err) }()
	switch {
	case errors.Is(err, errLost):
		s.log.WarnContext(ctx, "call lease lost")
	case errors.Is(err, errReleased):
		if err := s.w.o.Calls.Release(context.WithoutCancel(ctx), s.lease); err != nil {
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
		if s.refusal != nil {
			ended, err = s.w.o.Calls.FinishUnreached(ctx, s.lease, reason, s.refusal.Status)
		} else {
			ended, err = s.w.o.Calls.Finish(ctx, s.lease, reason)
		}
		return err
	})
	switch {
	case err == nil:
		s.log.InfoContext(ctx, "call ended", "status", ended.Status, "reason", reason, "seconds", ended.DurationSeconds)
	case !errors.Is(err, call.ErrFenced):
		s.log.ErrorContext(ctx, "failed to record the call's end", "error", err)
		return
	case !s.isOver(ctx):
		return // the room belongs to another worker
	}
	if err := s.w.o.Rooms.Delete(ctx, s.call.RoomName); err != nil {
		s.log.WarnContext(ctx, "failed to delete the room", "error", err)
	}
}

// isOver reports whether the call has ended, whoever wrote it.
func (s *session) isOver(ctx context.Context) bool {
	c, err := s.w.o.Calls.Get(ctx, s.call.TenantID, s.call.ID)
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

// require is like retryDatabase, for an operation that the call depends on. When it gives up, the error log has the reason.
func (s *session) require(ctx context.Context, do func(context.Context) error) error {
	err := s.retryDatabase(ctx, requiredTries, do)
	if ctx.Err() == nil && database.IsUnavailable(err) {
		s.fail("the database was away: the call could not go on")
	}
	return err
}

// fail adds to the error log why the call ends that this installation cannot serve.
func (s *session) fail(message string) {
	s.journal.Problem(voice.Problem{Service: voice.Workflow, Critical: true, Message: message, At: time.Now()})
}

// converse runs the call and returns the reason of its end; an error beside it is for the log. errLost and
// errReleased mean that this worker must not write the end.
func (s *session) converse(ctx context.Context) (reason call.Reason, err error) {
	defer func() {
		if p := recover(); p != nil {
			reason, err = call.WorkerLost, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	dials := s.outbound() && !s.takenOver()
	var route sip.OutboundRoute
	if dials {
		if route, reason, err = s.route(ctx); reason != "" || err != nil {
			return reason, err
		}
	}
	talk, err := s.conversation(ctx)
	if err != nil {
		return s.failedStart(ctx, err)
	}
	defer talk.Close()

	wait := s.joinLimit()
	joining := s.span(ctx, "join")
	participant, err := s.join(ctx, talk.line, wait.until)
	joining.End()
	if err != nil {
		if ctx.Err() == nil {
			s.fail("the media server is not available: the agent could not join the room")
		}
		return ended(ctx, wait.agentAbsent, err)
	}
	defer participant.Leave()
	wait = wait.inside(s)
	talk.line.participant = participant
	publishing, unpublish := context.WithCancel(ctx)
	defer unpublish()
	s.w.running.Go(func() { talk.line.publish(publishing) })
	s.log.InfoContext(ctx, "agent joined the room", "since_dispatch_ms", time.Since(s.call.CreatedAt).Milliseconds())

	events := s.watch(ctx, participant)
	switch {
	case dials: // when everything is ready
	case s.outbound():
		reason, err = s.findPhone(ctx, events.joined)
	default:
		reason, err = s.await(ctx, events.joined, wait.until, wait.absent)
	}
	if reason != "" || err != nil {
		return reason, err
	}
	if !s.takenOver() && !s.waiting.CompareAndSwap(true, false) {
		return "", errReleased // the caller joined at the same moment: another worker answers
	}
	connecting := s.span(ctx, "connecting")
	defer connecting.End() // in case it is not ended below
	if err := s.markConnecting(ctx); err != nil {
		return ended(ctx, call.WorkerLost, err)
	}
	if err := talk.Prepare(ctx); err != nil {
		return s.failedStart(ctx, err)
	}
	switch {
	case dials:
		reason, err = s.ring(ctx, route, events.joined)
		talk.line.forget()
	case !s.outbound(): // an answered phone may be silent
		reason, err = s.await(ctx, events.audio, time.Now().Add(microphoneWait), "")
	}
	if reason != "" || err != nil {
		return reason, err
	}
	if err := s.markActive(ctx); err != nil {
		return ended(ctx, call.WorkerLost, err)
	}
	connecting.End()
	return s.talkWith(ctx, talk)
}

// talkWith runs the conversation with a caller who is present.
func (s *session) talkWith(ctx context.Context, talk *talk) (call.Reason, error) {
	s.startRecording(ctx)
	if s.call.Status == call.Active {
		s.recorder.setAgent(talk.Agent())
		s.line.announce(talk.Agent())
	} else {
		s.journal.AgentChanged(talk.Agent(), "")
	}
	overlong := time.AfterFunc(s.timeLeft(), func() { s.cancel(endCause{call.MaxDuration}) })
	defer overlong.Stop()
	end, err := talk.Run(ctx)
	if err != nil {
		return ended(ctx, call.ConnectionLost, err)
	}
	return ends[end], nil
}

// ends maps a conversation's own end to the call's reason.
var ends = map[voice.End]call.Reason{
	voice.AgentEnded:    call.AgentEnded,
	voice.Silence:       call.Silence,
	voice.ProviderError: call.ProviderError,
}

// ended returns how a call ends after an error: by the cause of the session's cancellation, or else with the given
// reason.
func ended(ctx context.Context, reason call.Reason, err error) (call.Reason, error) {
	if errors.Is(err, call.ErrFenced) {
		return "", errLost
	}
	if ctx.Err() == nil {
		return reason, err
	}
	cause := context.Cause(ctx)
	var why endCause
	if errors.As(cause, &why) {
		return why.reason, nil
	}
	return "", cause
}

// failedStart returns how a call ends that could not start: because of its providers or plan (a voice.Problem), of
// a cancellation, or of an internal error.
func (s *session) failedStart(ctx context.Context, err error) (call.Reason, error) {
	var problem voice.Problem
	if ctx.Err() != nil || !errors.As(err, &problem) {
		return ended(ctx, call.WorkerLost, err)
	}
	s.journal.Problem(problem)
	return call.ProviderError, nil
}

// await waits for the caller until a deadline; absent is the reason if it passes.
func (s *session) await(ctx context.Context, happened <-chan struct{}, deadline time.Time, absent call.Reason) (call.Reason, error) {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-happened:
		return "", nil
	case <-timer.C:
		return absent, nil
	case <-ctx.Done():
		return ended(ctx, "", nil)
	}
}

// join joins the call's room, creating it if necessary, and retries until the deadline: the media server may be
// briefly unreachable. A media server that does not respond does not delay the deadline.
func (s *session) join(ctx context.Context, to *line, until time.Time) (*media.Participant, error) {
	if soonest := time.Now().Add(least); until.Before(soonest) {
		until = soonest
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	token, err := s.w.o.Tokens.Agent(s.call.RoomName, "agent-"+s.call.ID, s.clock.database(time.Now()), agentTokenTTL)
	if err != nil {
		return nil, err
	}
	var peer string
	if s.outbound() {
		peer = sip.PhoneIdentity(s.call.ID)
	}
	warned := false
	for {
		err := s.makeRoom(ctx)
		if err == nil {
			var participant *media.Participant
			participant, err = s.w.o.Joiner.Join(ctx, media.JoinOptions{
				URL: s.w.o.MediaURL, Token: token, Agent: true, Peer: peer, Data: true, OnFrame: s.recorder.recordCaller, OnText: to.write, MakeRoom: s.makeRoom, Log: s.log,
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

func (s *session) makeRoom(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, roomTimeout)
	defer cancel()
	return s.w.o.Rooms.Create(ctx, s.call.RoomName, media.CallRoom(s.w.o.Calls.JoinTimeout()+departure, departure))
}

// callerEvents are channels that close when the caller has joined and has audio.
type callerEvents struct{ joined, audio chan struct{} }

// watch follows the room's events and ends the session when the caller has left.
func (s *session) watch(ctx context.Context, p *media.Participant) callerEvents {
	h := callerEvents{make(chan struct{}), make(chan struct{})}
	go func() {
		var joined, audio bool
		arrived := func(seen *bool, c chan struct{}) {
			if !*seen {
				*seen = true
				close(c)
			}
		}
		for e := range p.Events() {
			switch e.Kind {
			case media.PeerJoined:
				s.phone.join()
				arrived(&joined, h.joined)
			case media.PeerAudio:
				arrived(&joined, h.joined)
				arrived(&audio, h.audio)
			case media.PeerLeft:
				s.log.InfoContext(ctx, "caller left", "hung_up", e.HungUp, "reason", e.Reason)
				why := endCause{call.ConnectionLost}
				if e.HungUp {
					why = endCause{call.CallerHangup}
				}
				if !s.phone.leave(why) {
					if e.RoomDeleted() && ctx.Err() == nil {
						s.fail(roomLost(e))
					}
					s.cancel(why)
				}
			case media.Reconnecting:
				s.log.WarnContext(ctx, "room connection interrupted", "error", media.ErrLost)
			case media.Rejoined:
				s.journal.Rejoined(call.AgentRejoined, e.RoomLost)
			case media.PeerReturned:
				s.journal.Rejoined(call.CallerRejoined, e.RoomLost)
			case media.RoomClosed, media.Disconnected:
				s.log.InfoContext(ctx, "left the room", "event", e.Kind.String(), "reason", e.Reason)
				why := s.roomClosed(joined || s.phone.dialled())
				if over := new(endCause); errors.As(why, over) && ctx.Err() == nil {
					s.fail(roomLost(e))
				}
				s.cancel(why)
			}
		}
	}()
	return h
}

// roomLost returns for the error log why the agent is not in the room any more, by the event that said so.
func roomLost(e media.Event) string {
	switch {
	case e.RoomDeleted():
		return "the media server closed the room"
	case e.Unreachable():
		return "the media server is not available: the agent lost its connection to the room"
	}
	return "the media server removed the agent from the room"
}

// conversation creates the voice session of the call's plan.
func (s *session) conversation(ctx context.Context) (*talk, error) {
	p, err := plan.Decode(s.call.Plan)
	if err != nil {
		return nil, voice.Problem{Service: voice.Workflow, Critical: true, Message: err.Error(), At: time.Now()}
	}
	s.recorder.configure(p)
	user, err := s.w.o.Calls.UserContext(s.call)
	if err != nil {
		return nil, err
	}
	line := newLine(&s.recorder)
	s.line = line
	options := voice.Options{
		Plan: p, Line: line, Providers: s.w.o.Providers(ctx, s.call.TenantID), Journal: s.journal, Tools: s.w.o.Tools, UserContext: user, SaveSnapshot: s.journal.saveContext,
		Listener: newListener(s.w.o.VADModel), SilenceTimeout: s.w.o.SilenceTimeout, Log: s.log,
	}
	if s.call.CallType == call.SIP {
		options.Phone = leg{s, line}
	}
	if err := s.resumeConversation(ctx, &options); err != nil {
		return nil, err
	}
	conversation, err := voice.New(options)
	return &talk{conversation, line}, err
}

// talk is a conversation and the line that it is held over.
type talk struct {
	*voice.Session
	line *line
}
