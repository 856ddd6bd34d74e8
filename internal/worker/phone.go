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
)

// Phones dials and transfers phone calls.
type Phones interface {
	// Dial dials a number and returns when the answered phone is in the call's room. When ctx ends, ringing is
	// cancelled. A *sip.Refusal says why there is no answer; after any other error the outcome is unknown.
	Dial(ctx context.Context, d sip.DialRequest) error
	// Transfer connects a phone in a room with another number, and returns when the network reports success.
	Transfer(ctx context.Context, room, identity, number string) error
}

const (
	// dialGrace is added to the ring timeout for a dial to report its outcome.
	dialGrace = 20 * time.Second
	// pollInterval is the time between two checks for a phone in the room, and pollTimeout the limit of the wait for it
	// after a dial with unknown outcome.
	pollInterval, pollTimeout = 500 * time.Millisecond, 3 * time.Second
	// overtime is added to the call's maximum duration as the limit of the phone's leg, in case the worker does not
	// end it.
	overtime = time.Minute
)

// reasons maps refusals to the call's end reasons.
var reasons = map[sip.Cause]call.Reason{
	sip.RingTimeout: call.RingTimeout, sip.Busy: call.Busy, sip.Declined: call.Declined,
	sip.Unreachable: call.Unreachable, sip.InvalidNumber: call.InvalidNumber,
}

// outbound reports whether the caller is dialled.
func (s *session) outbound() bool {
	return s.call.CallType == call.SIP && s.call.Direction == call.Outbound
}

// route returns the trunk to dial through, or the reason for which the call cannot be placed: without a trunk, or
// without a SIP gateway.
func (s *session) route(ctx context.Context) (route sip.OutboundRoute, reason call.Reason, err error) {
	err = s.require(ctx, func(ctx context.Context) (err error) {
		route, err = s.w.o.Route(ctx, s.call.TenantID, s.call.Livemode)
		return err
	})
	switch {
	case errors.Is(err, sip.ErrNoTrunk):
		why := "no SIP trunk is configured: the phone number cannot be dialled"
		if !s.call.Livemode {
			why = "calls of test keys are dialled at PARLEY_SIP_SANDBOX_ADDRESS only, which is not set"
		}
		s.fail(why)
		return route, call.NoTrunk, nil
	case err != nil:
		reason, err = ended(ctx, call.WorkerLost, err)
		return route, reason, err
	case s.w.o.Phones != nil:
		return route, "", nil
	}
	if !s.waiting.CompareAndSwap(true, false) {
		return route, "", errReleased
	}
	if err := s.markConnecting(ctx); err != nil {
		reason, err = ended(ctx, call.WorkerLost, err)
		return route, reason, err
	}
	s.fail("this server has no gateway to the telephone network: the phone number cannot be dialled")
	return route, call.Unreachable, nil
}

// ring dials the number and waits for the answer, or returns how the call ends. joined is closed when the agent
// sees the phone in the room.
func (s *session) ring(ctx context.Context, route sip.OutboundRoute, joined <-chan struct{}) (call.Reason, error) {
	ringing := s.span(ctx, "ringing")
	defer ringing.End()
	s.phone.ring()
	if reason, err := s.dial(ctx, route); reason != "" || err != nil {
		return reason, err
	}
	return s.answered(ctx, joined)
}

// findPhone waits for the phone of a call that was taken over, whose number was dialled already and is not dialled
// again.
func (s *session) findPhone(ctx context.Context, joined <-chan struct{}) (call.Reason, error) {
	s.phone.ring()
	if reason, err := s.pollPhone(ctx, 0, call.WorkerLost); reason != "" || err != nil {
		return reason, err
	}
	return s.answered(ctx, joined)
}

// answered continues with an answered phone, unless it has hung up since.
func (s *session) answered(ctx context.Context, joined <-chan struct{}) (call.Reason, error) {
	if left := s.phone.answer(); left != nil {
		s.cancel(left)
		return ended(ctx, "", nil)
	}
	return s.await(ctx, joined, time.Now().Add(phoneAudioWait), call.ConnectionLost)
}

// dial dials the number, once.
func (s *session) dial(ctx context.Context, route sip.OutboundRoute) (call.Reason, error) {
	limited, cancel := context.WithTimeout(ctx, s.w.o.RingTimeout+dialGrace)
	defer cancel()
	began := time.Now()
	err := s.w.o.Phones.Dial(limited, sip.DialRequest{
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
		s.fail(refusal.Detail)
		return reasons[refusal.Cause], nil
	}
	s.log.WarnContext(ctx, "result of a dial is unknown", "error", redact.Text(err.Error()))
	reason, err := s.pollPhone(ctx, pollTimeout, call.Unreachable)
	if reason != "" {
		s.fail("the gateway to the telephone network did not tell what became of the phone number that was dialled")
	}
	return reason, err
}

// pollPhone waits until a phone that may have been dialled is answered, as seen in the room. absent is how the call
// ends when the phone is missing from the room for longer than limit.
func (s *session) pollPhone(ctx context.Context, patience time.Duration, absent call.Reason) (call.Reason, error) {
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
			s.log.WarnContext(ctx, "failed to find the phone in its room", "error", err)
		case at >= 0 && members[at].Answered():
			return "", nil
		case at >= 0:
			seen = now
		case now.Sub(seen) >= patience:
			return absent, nil
		}
		switch {
		case now.Sub(began) < s.w.o.RingTimeout:
		case now.Sub(seen) < 2*pollInterval:
			return call.RingTimeout, nil
		default:
			return absent, nil
		}
		select {
		case <-time.After(pollInterval):
		case <-ctx.Done():
		}
	}
}

// dialState is the state of a dialled phone, which is in the room from when it starts to ring. If it leaves before
// the answer, the reason comes from the dial, not from the room.
type dialState struct {
	mu    sync.Mutex
	state ringState
	left  error // why it left the room while ringing, according to the room
}

type ringState uint8

const (
	idle ringState = iota // not dialled yet
	ringing
	answered
)

// ring marks the phone as ringing.
func (h *dialState) ring() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = ringing
}

// join marks the phone as in the room, possibly again.
func (h *dialState) join() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = nil
}

// unregister reports whether the phone rings; the reason for leaving is then kept for answer.
func (h *dialState) leave(why error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = why
	return h.state == ringing
}

// answer marks the phone as answered. It returns why it has left since, or nil.
func (h *dialState) answer() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = answered
	return h.left
}

// dialled reports whether the phone rings or has rung.
func (h *dialState) dialled() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state != idle
}
