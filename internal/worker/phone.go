package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"parley/internal/call"
	"parley/internal/media"
	"parley/internal/redact"
	"parley/internal/sip"
	"parley/internal/voice"
)

// Phones is the telephone network, as a worker needs it.
type Phones interface {
	// Dial rings a number and returns when whoever answered is in the call's
	// room. The end of ctx ends the ringing. A *sip.Refusal says why there is no
	// answer; after any other error it is not known what became of the dial.
	Dial(ctx context.Context, d sip.Dial) error
	// Transfer connects a phone in a room with another number, and returns when
	// the network has done so.
	Transfer(ctx context.Context, room, identity, number string) error
}

const (
	// dialGrace is how much longer than the number rings a dial may take to say
	// what became of it.
	dialGrace = 20 * time.Second
	// lookInterval is the time between two looks for a phone in the room, and
	// lookWait how long it may take to appear after a dial whose outcome is not
	// known.
	lookInterval, lookWait = 500 * time.Millisecond, 3 * time.Second
	// overtime is how much longer than the call the network lets the phone be
	// connected: should the worker not end it, somebody does.
	overtime = time.Minute
)

// reasons say what a dial's outcome is to the call.
var reasons = map[sip.Cause]call.Reason{
	sip.RingTimeout: call.RingTimeout, sip.Busy: call.Busy, sip.Declined: call.Declined,
	sip.Unreachable: call.Unreachable, sip.InvalidNumber: call.InvalidNumber,
}

// outbound tells whether the caller is somebody whom we ring.
func (s *session) outbound() bool {
	return s.call.CallType == call.SIP && s.call.Direction == call.Outbound
}

// route finds the trunk to dial through. Without one, or without a gateway in
// this server, the call cannot be placed, for the reason returned.
func (s *session) route(ctx context.Context) (route sip.Route, reason call.Reason, err error) {
	err = s.insist(ctx, insistTries, func(ctx context.Context) (err error) {
		route, err = s.w.o.Route(ctx, s.call.TenantID, s.call.Livemode)
		return err
	})
	switch {
	case errors.Is(err, sip.ErrNoTrunk):
		why := "no SIP trunk is configured: the phone number cannot be dialled"
		if !s.call.Livemode {
			why = "calls made with test keys are dialled at PARLEY_SIP_SANDBOX_ADDRESS alone, which is not set"
		}
		s.cannotDial(why)
		return route, call.NoTrunk, nil
	case err != nil:
		reason, err = ended(ctx, call.WorkerLost, err)
		return route, reason, err
	case s.w.o.Phones != nil:
		return route, "", nil
	}
	if !s.waiting.CompareAndSwap(true, false) {
		return route, "", errGivenBack
	}
	if err := s.connect(ctx); err != nil {
		reason, err = ended(ctx, call.WorkerLost, err)
		return route, reason, err
	}
	s.cannotDial("this server has no gateway to the telephone network: the phone number cannot be dialled")
	return route, call.Unreachable, nil
}

// cannotDial keeps in the error log why a number was not reached.
func (s *session) cannotDial(message string) {
	s.journal.Problem(voice.Problem{Service: voice.Workflow, Critical: true, Message: message, At: time.Now()})
}

// ring has the number dialled and answered, or tells how the call ends. joined
// is closed when the agent sees the phone in the room.
func (s *session) ring(ctx context.Context, route sip.Route, joined <-chan struct{}) (call.Reason, error) {
	ringing := s.span(ctx, "ringing")
	defer ringing.End()
	s.handset.ring()
	if reason, err := s.dial(ctx, route); reason != "" || err != nil {
		return reason, err
	}
	return s.answered(ctx, joined)
}

// find finds the phone of a call that was taken over: its number rings already,
// or has, and is not dialled again.
func (s *session) find(ctx context.Context, joined <-chan struct{}) (call.Reason, error) {
	s.handset.ring()
	if reason, err := s.look(ctx, 0, call.WorkerLost); reason != "" || err != nil {
		return reason, err
	}
	return s.answered(ctx, joined)
}

// answered goes on with a phone that was answered, unless whoever answered has
// hung up since.
func (s *session) answered(ctx context.Context, joined <-chan struct{}) (call.Reason, error) {
	if left := s.handset.answer(); left != nil {
		s.cancel(left)
		return ended(ctx, "", nil)
	}
	return s.await(ctx, joined, time.Now().Add(phoneAudioWait), call.ConnectionLost)
}

// dial dials the number, once.
func (s *session) dial(ctx context.Context, route sip.Route) (call.Reason, error) {
	limited, cancel := context.WithTimeout(ctx, s.w.o.RingTimeout+dialGrace)
	defer cancel()
	began := time.Now()
	err := s.w.o.Phones.Dial(limited, sip.Dial{
		Room: s.call.RoomName, Identity: sip.PhoneIdentity(s.call.ID), Number: *s.call.PhoneNumber, Trunk: route,
		RingTimeout: s.w.o.RingTimeout, MaxDuration: s.w.o.Calls.MaxDuration() + overtime,
	})
	var refusal *sip.Refusal
	switch {
	case ctx.Err() != nil:
		return ended(ctx, "", nil)
	case err == nil:
		s.log.InfoContext(ctx, "phone answered", "after_ms", time.Since(began).Milliseconds())
		return "", nil
	case errors.As(err, &refusal):
		s.refusal = refusal
		s.cannotDial(refusal.Detail)
		return reasons[refusal.Cause], nil
	}
	s.log.WarnContext(ctx, "nobody knows what became of a dial", "error", redact.Text(err.Error()))
	reason, err := s.look(ctx, lookWait, call.Unreachable)
	if reason != "" {
		s.cannotDial("the gateway to the telephone network did not tell what became of the phone number that was dialled")
	}
	return reason, err
}

// look waits until a phone that somebody may have dialled is answered, as far
// as the room tells. absent is how the call ends when it has been away from the
// room for longer than patience.
func (s *session) look(ctx context.Context, patience time.Duration, absent call.Reason) (call.Reason, error) {
	phone := func(m media.Member) bool { return m.Identity == sip.PhoneIdentity(s.call.ID) }
	began := time.Now()
	for seen := began; ; {
		members, err := s.w.o.Rooms.Participants(ctx, s.call.RoomName)
		now := time.Now()
		at := slices.IndexFunc(members, phone)
		switch {
		case ctx.Err() != nil:
			return ended(ctx, "", nil)
		case err != nil:
			s.log.WarnContext(ctx, "look for the phone", "error", err)
		case at >= 0 && members[at].Answered():
			return "", nil
		case at >= 0:
			seen = now
		case now.Sub(seen) >= patience:
			return absent, nil
		}
		switch {
		case now.Sub(began) < s.w.o.RingTimeout:
		case now.Sub(seen) < 2*lookInterval:
			return call.RingTimeout, nil
		default:
			return absent, nil
		}
		select {
		case <-time.After(lookInterval):
		case <-ctx.Done():
		}
	}
}

// handset is a phone that is in the room from when it begins to ring. Should it
// leave before it was answered, whoever dialled it knows why; the room does not.
type handset struct {
	mu    sync.Mutex
	state ringing
	left  error // why it left the room while it rang, by the room
}

type ringing uint8

const (
	idle ringing = iota // it is not dialled yet
	rings
	answered
)

// ring tells that it rings from now on.
func (h *handset) ring() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = rings
}

// join tells that it is in the room, again perhaps.
func (h *handset) join() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = nil
}

// leave reports whether it rings; why it left is kept for its answer, then.
func (h *handset) leave(why error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = why
	return h.state == rings
}

// answer tells that it was answered. It returns why it has left since, or nil.
func (h *handset) answer() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = answered
	return h.left
}

// dialled reports whether it rings, or has.
func (h *handset) dialled() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state != idle
}
