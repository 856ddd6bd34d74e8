package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/media"
	"parley/internal/sip"
	"parley/internal/voice"
)

const (
	// agentTokenTTL is how long the agent's join token is valid; it is used at once.
	agentTokenTTL = 5 * time.Minute
	// microphoneWait is how long a caller in the room may take to publish a microphone before the conversation
	// starts without one: the caller may type.
	microphoneWait = 3 * time.Second
	// phoneAudioWait is how long the audio of an answered phone may take to arrive.
	phoneAudioWait = 10 * time.Second
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
	s := &session{w: w, call: c, lease: c.Lease(), began: now, joinBy: now.Add(c.JoinBy.Sub(c.Claimed())), log: w.o.Log.With("call", c.ID, "tenant", c.TenantID), trace: context.Background()}
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
		s.log.WarnContext(ctx, "call lost to its worker")
	case errors.Is(err, errGivenBack):
		if err := s.w.o.Calls.Release(context.WithoutCancel(ctx), s.lease); err != nil {
			s.log.ErrorContext(ctx, "release call", "error", err)
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
		s.log.ErrorContext(ctx, "write call's end", "error", err)
		return
	case !s.isOver(ctx):
		return // the room belongs to another worker
	}
	if err := s.w.o.Rooms.Delete(ctx, s.call.RoomName); err != nil {
		s.log.WarnContext(ctx, "delete room", "error", err)
	}
}

// isOver reports whether the call has ended, whoever wrote it.
func (s *session) isOver(ctx context.Context) bool {
	c, err := s.w.o.Calls.Get(ctx, s.call.TenantID, s.call.ID)
	return err == nil && c.Status.Terminal()
}

// retryDatabase retries a database operation while the database is unreachable. Other errors are returned at once.
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

// converse runs the call and returns the reason of its end; an error beside it is for the log. errLost and
// errGivenBack mean that this worker must not write the end.
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
			s.journal.Problem(voice.Problem{Service: voice.Workflow, Critical: true, Message: "the media server is not available: the agent could not join the room", At: time.Now()})
		}
		return ended(ctx, wait.agentAbsent, err)
	}
	defer participant.Leave()
	wait = wait.inside(s)
	talk.line.participant = participant
	publishing, unpublish := context.WithCancel(ctx)
	defer unpublish()
	s.w.running.Go(func() { talk.line.publish(publishing) })
	s.log.InfoContext(ctx, "agent in the room", "since_dispatch_ms", time.Since(s.call.CreatedAt).Milliseconds())

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
		return "", errGivenBack // the caller joined at the same moment: another worker answers
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
// briefly unreachable.
func (s *session) join(ctx context.Context, to *line, until time.Time) (*media.Participant, error) {
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
				URL: s.w.o.MediaURL, Token: token, Agent: true, Peer: peer, Data: true, OnFrame: s.recorder.recordCaller, OnText: to.write, MakeRoom: s.makeRoom,
			})
			if err == nil {
				return participant, nil
			}
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return nil, err
		}
		if !warned { // the health check reports when the server is back
			s.log.WarnContext(ctx, "join room", "error", err)
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
					s.cancel(why)
				}
			case media.Reconnecting:
				s.log.WarnContext(ctx, "connection to the room interrupted", "error", media.ErrLost)
			case media.Rejoined:
				s.journal.Rejoined(call.AgentRejoined, e.RoomLost)
			case media.PeerReturned:
				s.journal.Rejoined(call.CallerRejoined, e.RoomLost)
			case media.RoomClosed, media.Disconnected:
				s.log.InfoContext(ctx, "room left", "event", e.Kind.String(), "reason", e.Reason)
				s.cancel(s.roomClosed(joined || s.phone.dialled()))
			}
		}
	}()
	return h
}

// conversation creates the voice session of the call's plan.
func (s *session) conversation(ctx context.Context) (*talk, error) {
	var plan voice.Plan
	if err := json.Unmarshal(s.call.Plan, &plan); err != nil {
		return nil, voice.Problem{Service: voice.Workflow, Critical: true, Message: fmt.Sprintf("the call's plan cannot be read: %v", err), At: time.Now()}
	}
	s.recorder.configure(plan)
	user, err := s.w.o.Calls.UserContext(s.call)
	if err != nil {
		return nil, err
	}
	line := newLine(&s.recorder)
	s.line = line
	options := voice.Options{
		Plan: plan, Line: line, Providers: s.w.o.Providers(ctx, s.call.TenantID), Journal: s.journal, Tools: s.w.o.Tools, User: user, Keep: s.journal.saveContext,
		SilenceTimeout: s.w.o.SilenceTimeout, Log: s.log,
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
