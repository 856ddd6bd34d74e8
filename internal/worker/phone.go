package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"parley/internal/call"
	"parley/internal/fault"
	"parley/internal/media"
	"parley/internal/redact"
	"parley/internal/sip"
)

// Phones dials and transfers phone calls.
type Phones interface {
	// Dial dials a number and returns when the answered phone is in the call's room. When ctx ends, ringing is
	// cancelled. The error is a *sip.DialError if there is no answer; after any other error the outcome is unknown.
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
	// overtime is added to the call's maximum duration as the limit of the SIP leg, for a leg that no worker ends.
	overtime = time.Minute
)

// dialErrorReasons maps dial errors to the call's end reasons.
var dialErrorReasons = map[sip.DialErrorCause]call.Reason{
	sip.RingTimeout: call.RingTimeout, sip.Busy: call.Busy, sip.Declined: call.Declined,
	sip.Unreachable: call.Unreachable, sip.InvalidNumber: call.InvalidNumber,
}

// isOutbound reports whether the caller is dialled.
func (s *session) isOutbound() bool {
	return s.call.CallType == call.SIP && s.call.Direction == call.Outbound
}

// outboundRoute returns the trunk to dial through, or the reason for which the call cannot be placed: it has no trunk.
func (s *session) outboundRoute(ctx context.Context) (route sip.OutboundRoute, reason call.Reason, err error) {
	err = s.requireDatabase(ctx, func(ctx context.Context) (err error) {
		route, err = s.w.options.OutboundRoute(ctx, s.call.TenantID, s.settings.TrunkID, s.call.Livemode)
		return err
	})
	if s.settings.CallerID != "" {
		route.CallerID = s.settings.CallerID
	}
	switch {
	case fault.Is(err, fault.NotFound):
		s.reportCritical("the SIP trunk of the dispatch does not exist any more: the phone number cannot be dialled")
		return route, call.NoTrunk, nil
	case errors.Is(err, sip.ErrNoTrunk):
		why := "no SIP trunk is configured: the phone number cannot be dialled"
		if !s.call.Livemode {
			why = "calls of test keys are dialled at PARLEY_SIP_SANDBOX_ADDRESS only, which is not set"
		}
		s.reportCritical(why)
		return route, call.NoTrunk, nil
	case err != nil:
		reason, err = endReason(ctx, call.WorkerLost, err)
		return route, reason, err
	}
	return route, "", nil
}

// ringTimeout returns how long the phone may ring.
func (s *session) ringTimeout() time.Duration {
	return s.settings.RingTimeout(s.w.options.RingTimeout)
}

// ringPhone dials the number and waits for the answer, or returns how the call ends. joined is closed when the agent
// sees the phone in the room.
func (s *session) ringPhone(ctx context.Context, route sip.OutboundRoute, joined <-chan struct{}) (call.Reason, error) {
	ringing := s.startSpan(ctx, "ringing")
	defer ringing.End()
	s.phone.startRinging()
	if reason, err := s.dial(ctx, route); reason != "" || err != nil {
		return reason, err
	}
	return s.awaitAnswered(ctx, joined)
}

// awaitDialledPhone waits for the phone of a call that was taken over, whose number was dialled already and is not dialled
// again.
func (s *session) awaitDialledPhone(ctx context.Context, joined <-chan struct{}) (call.Reason, error) {
	s.phone.startRinging()
	if reason, err := s.pollPhone(ctx, 0, call.WorkerLost); reason != "" || err != nil {
		return reason, err
	}
	return s.awaitAnswered(ctx, joined)
}

// awaitAnswered waits for the agent to see an answered phone in the room, unless it has hung up already.
func (s *session) awaitAnswered(ctx context.Context, joined <-chan struct{}) (call.Reason, error) {
	if left := s.phone.answer(); left != nil {
		s.cancel(left)
		return endReason(ctx, "", nil)
	}
	return s.awaitCaller(ctx, joined, time.Now().Add(phoneAudioWait), call.ConnectionLost)
}

// dial dials the number, once.
func (s *session) dial(ctx context.Context, route sip.OutboundRoute) (call.Reason, error) {
	headers, err := s.w.options.Calls.SIPHeaders(s.call)
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, s.ringTimeout()+dialGrace)
	defer cancel()
	began := time.Now()
	err = s.w.options.Phones.Dial(limited, sip.DialRequest{
		TenantID: s.call.TenantID, CallID: s.call.ID, Room: s.call.RoomName, Identity: sip.PhoneIdentity(s.call.ID), Number: *s.call.PhoneNumber, Headers: headers, Trunk: route,
		RingTimeout: s.ringTimeout(), MaxDuration: s.maxDuration() + overtime,
	})
	var dialErr *sip.DialError
	switch {
	case ctx.Err() != nil:
		return endReason(ctx, "", nil)
	case err == nil:
		s.log.InfoContext(ctx, "phone answered", "after_ms", time.Since(began).Milliseconds())
		return "", nil
	case errors.As(err, &dialErr):
		s.dialError = dialErr
		s.reportCritical(dialErr.Detail)
		return dialErrorReasons[dialErr.Cause], nil
	}
	s.log.WarnContext(ctx, "result of a dial is unknown", "error", redact.Text(err.Error()))
	reason, err := s.pollPhone(ctx, pollTimeout, call.Unreachable)
	if reason == call.ConnectionLost { // the media server closed the room meanwhile, which the phone has left
		reason = call.Unreachable
	}
	if reason != "" {
		s.reportCritical("the SIP gateway did not report the result of dialling the phone number")
	}
	return reason, err
}

// pollPhone waits until a phone that may have been dialled is answered, as seen in the room. absent is how the call
// ends when the phone is missing from the room for timeout.
func (s *session) pollPhone(ctx context.Context, timeout time.Duration, absent call.Reason) (call.Reason, error) {
	phone := func(m media.Member) bool { return m.Identity == sip.PhoneIdentity(s.call.ID) }
	began := time.Now()
	for seen := began; ; {
		members, err := s.w.options.Rooms.Participants(ctx, s.call.RoomName)
		now := time.Now()
		at := slices.IndexFunc(members, phone)
		switch {
		case ctx.Err() != nil:
			return endReason(ctx, "", nil)
		case err != nil:
			s.log.WarnContext(ctx, "failed to find the phone in its room", "error", err)
		case at >= 0 && members[at].Answered():
			return "", nil
		case at >= 0:
			seen = now
		case now.Sub(seen) >= timeout:
			return absent, nil
		}
		switch {
		case now.Sub(began) < s.ringTimeout():
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

// startRinging marks the phone as ringing.
func (d *dialState) startRinging() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state = ringing
}

// join records that the phone is in the room, possibly again.
func (d *dialState) join() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = nil
}

// leave records that the phone left the room, and why. It reports whether the phone still rings: the dial has the reason
// for the call's end then.
func (d *dialState) leave(why error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = why
	return d.state == ringing
}

// answer marks the phone as answered. It returns why it has left since, or nil.
func (d *dialState) answer() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state = answered
	return d.left
}

// hasRung reports whether the number was dialled.
func (d *dialState) hasRung() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state != idle
}
