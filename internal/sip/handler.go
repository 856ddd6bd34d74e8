package sip

import (
	"context"
	"errors"
	"sync"

	msdk "github.com/livekit/media-sdk"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
	"github.com/livekit/protocol/rpc"
	lksip "github.com/livekit/sip/pkg/sip"
)

// InboundHandler routes and starts inbound calls.
type InboundHandler interface {
	// Routes returns the routes of a number in E.164, on any trunk; none if nobody answers it.
	Routes(ctx context.Context, number string) ([]InboundRoute, error)
	// Answer starts the call of a route. from is the caller's number in E.164; "" if withheld. It returns
	// ErrNoRoute if nobody can answer, any other error for a temporary problem.
	Answer(ctx context.Context, l InboundRoute, from string) (InboundCaller, error)
}

// InboundCaller is the participant of an inbound call.
type InboundCaller struct {
	Room, Identity string // for the caller's participant; the room exists
	OnHangup       func() // called when the caller has hung up or was hung up
}

// handler implements the callbacks of LiveKit's client and server.
type handler struct {
	*Gateway

	mu      *sync.Mutex
	callers map[string]InboundCaller // by LiveKit's call id
}

func newHandler(g *Gateway) handler {
	return handler{Gateway: g, mu: new(sync.Mutex), callers: map[string]InboundCaller{}}
}

// hasDialog reports whether there is a call with this local tag.
func (h handler) hasDialog(tag string) bool {
	h.mu.Lock()
	_, inbound := h.callers[tag]
	h.mu.Unlock()
	return inbound || h.uac.hasLeg(tag)
}

// inboundCall returns LiveKit's id of the call of a caller in a room; "" for none.
func (h handler) inboundCall(room, identity string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, caller := range h.callers {
		if caller.Room == room && caller.Identity == identity {
			return id
		}
	}
	return ""
}

// GetAuthCredentials accepts the calls that the filter has admitted.
func (h handler) GetAuthCredentials(_ context.Context, c *rpc.SIPCall) (lksip.AuthInfo, error) {
	if _, passed := h.filter.admission(c.GetLkCallId()); !passed {
		return lksip.AuthInfo{Result: lksip.AuthNotFound}, nil
	}
	return lksip.AuthInfo{Result: lksip.AuthAccept}, nil
}

// DispatchCall starts the call of an admitted INVITE.
func (h handler) DispatchCall(ctx context.Context, info *lksip.CallInfo) lksip.CallDispatch {
	id := info.Call.GetLkCallId()
	a, passed := h.filter.admission(id)
	if !passed {
		return lksip.CallDispatch{Result: lksip.DispatchNoRuleReject}
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	caller, err := h.options.Inbound.Answer(ctx, a.route, a.from)
	switch {
	case errors.Is(err, ErrNoRoute):
		return lksip.CallDispatch{Result: lksip.DispatchNoRuleReject}
	case err != nil:
		h.filter.logUnanswered(err)
		return lksip.CallDispatch{Result: lksip.DispatchServiceUnavailable}
	}
	h.mu.Lock()
	h.callers[id] = caller
	h.mu.Unlock()
	return lksip.CallDispatch{Result: lksip.DispatchAccept, MediaConfig: a.route.Encryption.config(), Room: lksip.RoomConfig{
		RoomName: caller.Room, Participant: lksip.ParticipantConfig{Identity: caller.Identity}}}
}

// OnSessionEnd is called when a call has ended.
func (h handler) OnSessionEnd(_ context.Context, call *lksip.CallIdentifier, _ *lksip.CallState, _ string) {
	h.uac.removeLeg(call.CallID)
	h.mu.Lock()
	caller, found := h.callers[call.CallID]
	delete(h.callers, call.CallID)
	h.mu.Unlock()
	if found && caller.OnHangup != nil {
		caller.OnHangup()
	}
}

// LiveKit's remaining callbacks concern its cloud, or a bus that several gateways share.
func (handler) GetMediaProcessor([]livekit.SIPFeature, map[string]string, string, lksip.MediaProcessorOpts) msdk.PCM16Processor {
	return nil
}
func (handler) RegisterTransferSIPParticipantTopic(string) error         { return nil }
func (handler) DeregisterTransferSIPParticipantTopic(string)             {}
func (handler) OnInboundInfo(logger.Logger, *rpc.SIPCall, lksip.Headers) {}
