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
	// agentTokenLife is how long the agent's join token is valid; it joins at
	// once.
	agentTokenLife = 5 * time.Minute
	// microphoneWait is how long a caller in the room may take to publish a
	// microphone before the conversation begins without one: they may write.
	microphoneWait = 3 * time.Second
	// phoneAudioWait is how long the sound of a phone that was answered may
	// take to come.
	phoneAudioWait = 10 * time.Second
	// departure is how long the room outlives its last participant.
	departure = 20 * time.Second
	// finishTries is how often the end of a call is tried to be written, and
	// insistTries what it cannot go on without, while the database is away, with
	// a second between.
	finishTries, insistTries = 60, 30
)

// over is the cause that ends a session for a reason.
type over struct{ reason call.Reason }

func (o over) Error() string { return string(o.reason) }

// session is one call in this worker's hands.
type session struct {
	w       *Worker
	call    *call.Call
	lease   call.Lease
	clock   sessionClock
	began   time.Time // when the call was claimed, by this machine's clock
	joinBy  time.Time // when the caller has to be there, likewise
	log     *slog.Logger
	cancel  context.CancelCauseFunc
	waiting atomic.Bool // nobody has joined yet
	journal *journal
	tape    tape
	line    *line
	trace   context.Context // holds the call's span

	handset handset      // of a call that we dial
	refusal *sip.Refusal // why it was not reached, if it is that
}

func newSession(w *Worker, c *call.Call) *session {
	// The call's times are the database's, whose clock may be another: what
	// counts is how long it is until then, from the claim.
	now := time.Now()
	s := &session{w: w, call: c, lease: c.Lease(), began: now, joinBy: now.Add(c.JoinBy.Sub(c.Claimed())), log: w.o.Log.With("call", c.ID, "tenant", c.TenantID), trace: context.Background()}
	s.waiting.Store(!s.takenOver())
	return s
}

// run takes the call from the claim to its end.
func (s *session) run(ctx context.Context) {
	ctx, span := s.traced(ctx)
	s.journal = newJournal(s)
	reason, err := s.converse(ctx)
	s.endTape(context.WithoutCancel(ctx))
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
			s.log.ErrorContext(ctx, "call broke", "error", err)
		}
		s.finish(context.WithoutCancel(ctx), reason)
	}
}

// finish writes the call's end and clears the room. A database that is away is
// waited for, but not for ever: a call whose end could not be written, and its
// room, are left to whoever takes it over, or to the reaper.
func (s *session) finish(ctx context.Context, reason call.Reason) {
	var ended *call.Call
	err := s.insist(ctx, finishTries, func(ctx context.Context) (err error) {
		if s.refusal != nil {
			ended, err = s.w.o.Calls.Unreached(ctx, s.lease, reason, s.refusal.Status)
		} else {
			ended, err = s.w.o.Calls.Finish(ctx, s.lease, reason)
		}
		return err
	})
	switch {
	case err == nil:
		s.log.InfoContext(ctx, "call ended", "status", ended.Status, "reason", reason, "seconds", ended.DurationSeconds)
	case !errors.Is(err, call.ErrFenced):
		s.log.ErrorContext(ctx, "write the call's end", "error", err)
		return
	case !s.isOver(ctx):
		return // the room is another worker's
	}
	if err := s.w.o.Rooms.Delete(ctx, s.call.RoomName); err != nil {
		s.log.WarnContext(ctx, "delete room", "error", err)
	}
}

// isOver tells whether the call has come to an end, whoever wrote it.
func (s *session) isOver(ctx context.Context) bool {
	c, err := s.w.o.Calls.Get(ctx, s.call.TenantID, s.call.ID)
	return err == nil && c.Status.Terminal()
}

// insist does something with the database, which may be away for a while. An
// error that waiting does not mend is returned at once.
func (s *session) insist(ctx context.Context, tries int, do func(context.Context) error) (err error) {
	for range tries {
		limited, cancel := context.WithTimeout(ctx, databaseWait)
		err = do(limited)
		late := limited.Err() != nil
		cancel()
		if err == nil || ctx.Err() != nil || !late && !database.Away(err) {
			return err
		}
		s.log.ErrorContext(ctx, "the database is away", "error", err)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// converse holds the call until it is over. The reason says how it ends; an
// error beside it is for the log. errLost and errGivenBack mean that the end
// is not this worker's to write.
func (s *session) converse(ctx context.Context) (reason call.Reason, err error) {
	defer func() {
		if p := recover(); p != nil {
			reason, err = call.WorkerLost, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	dials := s.outbound() && !s.takenOver()
	var route sip.Route
	if dials {
		if route, reason, err = s.route(ctx); reason != "" || err != nil {
			return reason, err
		}
	}
	talk, err := s.conversation(ctx)
	if err != nil {
		return s.broken(ctx, err)
	}
	defer talk.Close()

	wait := s.patience()
	joining := s.span(ctx, "join")
	participant, err := s.join(ctx, talk.line, wait.until)
	joining.End()
	if err != nil {
		if ctx.Err() == nil {
			s.journal.Problem(voice.Problem{Service: voice.Workflow, Critical: true, Message: "the media server is away: the agent could not enter the room", At: time.Now()})
		}
		return ended(ctx, wait.outside, err)
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
	case dials: // when all is ready
	case s.outbound():
		reason, err = s.find(ctx, events.joined)
	default:
		reason, err = s.await(ctx, events.joined, wait.until, wait.absent)
	}
	if reason != "" || err != nil {
		return reason, err
	}
	if !s.takenOver() && !s.waiting.CompareAndSwap(true, false) {
		return "", errGivenBack // the caller came at the very moment: another worker greets
	}
	connecting := s.span(ctx, "connecting")
	defer connecting.End() // where it does not get further
	if err := s.connect(ctx); err != nil {
		return ended(ctx, call.WorkerLost, err)
	}
	if err := talk.Prepare(ctx); err != nil {
		return s.broken(ctx, err)
	}
	switch {
	case dials:
		reason, err = s.ring(ctx, route, events.joined)
		talk.line.forget()
	case !s.outbound(): // a phone may be silent, once it is answered
		reason, err = s.await(ctx, events.audio, time.Now().Add(microphoneWait), "")
	}
	if reason != "" || err != nil {
		return reason, err
	}
	if err := s.activate(ctx); err != nil {
		return ended(ctx, call.WorkerLost, err)
	}
	connecting.End()
	return s.hold(ctx, talk)
}

// hold holds the conversation with a caller who is there.
func (s *session) hold(ctx context.Context, talk *talk) (call.Reason, error) {
	s.beginTape(ctx)
	if s.call.Status == call.Active {
		s.tape.follow(talk.Agent())
		s.line.announce(talk.Agent())
	} else {
		s.journal.AgentChanged(talk.Agent(), "")
	}
	overlong := time.AfterFunc(s.timeLeft(), func() { s.cancel(over{call.MaxDuration}) })
	defer overlong.Stop()
	end, err := talk.Run(ctx)
	if err != nil {
		return ended(ctx, call.ConnectionLost, err)
	}
	return ends[end], nil
}

// ends maps how a conversation ended by itself to the call's reason.
var ends = map[voice.End]call.Reason{
	voice.AgentEnded:    call.AgentEnded,
	voice.Silence:       call.Silence,
	voice.ProviderError: call.ProviderError,
}

// ended tells how a call ends after an error: as the session's cancellation
// says, or for the reason given.
func ended(ctx context.Context, reason call.Reason, err error) (call.Reason, error) {
	if errors.Is(err, call.ErrFenced) {
		return "", errLost
	}
	if ctx.Err() == nil {
		return reason, err
	}
	cause := context.Cause(ctx)
	var why over
	if errors.As(cause, &why) {
		return why.reason, nil
	}
	return "", cause
}

// broken ends a call that could not begin: for its providers or its plan, whose
// error is a problem, for what it was told meanwhile, or for this server's own
// fault.
func (s *session) broken(ctx context.Context, err error) (call.Reason, error) {
	var problem voice.Problem
	if ctx.Err() != nil || !errors.As(err, &problem) {
		return ended(ctx, call.WorkerLost, err)
	}
	s.journal.Problem(problem)
	return call.ProviderError, nil
}

// await waits for the caller until a deadline; absent is how the call ends
// when it passes.
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

// join enters the call's room, making it if need be, and tries again as long
// as the caller may still come: the media server may be briefly away.
func (s *session) join(ctx context.Context, to *line, until time.Time) (*media.Participant, error) {
	token, err := s.w.o.Tokens.Agent(s.call.RoomName, "agent-"+s.call.ID, s.clock.database(time.Now()), agentTokenLife)
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
				URL: s.w.o.MediaURL, Token: token, Agent: true, Peer: peer, Data: true, OnFrame: s.tape.heard, OnText: to.write, MakeRoom: s.makeRoom,
			})
			if err == nil {
				return participant, nil
			}
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return nil, err
		}
		if !warned { // the health check says when the server is back
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

// happenings are closed when the caller gets there.
type happenings struct{ joined, audio chan struct{} }

// watch follows the room and ends the session when the caller is gone.
func (s *session) watch(ctx context.Context, p *media.Participant) happenings {
	h := happenings{make(chan struct{}), make(chan struct{})}
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
				s.handset.join()
				arrived(&joined, h.joined)
			case media.PeerAudio:
				arrived(&joined, h.joined)
				arrived(&audio, h.audio)
			case media.PeerLeft:
				s.log.InfoContext(ctx, "caller left", "hung_up", e.HungUp, "reason", e.Reason)
				why := over{call.ConnectionLost}
				if e.HungUp {
					why = over{call.CallerHangup}
				}
				if !s.handset.leave(why) {
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
				s.cancel(s.roomless(joined || s.handset.dialled()))
			}
		}
	}()
	return h
}

// conversation makes the voice session of the call's plan.
func (s *session) conversation(ctx context.Context) (*talk, error) {
	var plan voice.Plan
	if err := json.Unmarshal(s.call.Plan, &plan); err != nil {
		return nil, voice.Problem{Service: voice.Workflow, Critical: true, Message: fmt.Sprintf("the call's plan cannot be read: %v", err), At: time.Now()}
	}
	s.tape.want(plan)
	user, err := s.w.o.Calls.UserContext(s.call)
	if err != nil {
		return nil, err
	}
	line := newLine(&s.tape)
	s.line = line
	options := voice.Options{
		Plan: plan, Line: line, Providers: s.w.o.Providers(ctx, s.call.TenantID), Journal: s.journal, Tools: s.w.o.Tools, User: user, Keep: s.journal.keep,
		SilenceTimeout: s.w.o.SilenceTimeout, Log: s.log,
	}
	if s.call.CallType == call.SIP {
		options.Phone = leg{s, line}
	}
	if err := s.catchUp(ctx, &options); err != nil {
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
