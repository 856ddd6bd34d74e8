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

// Reception takes the calls that come in.
type Reception interface {
	// Lines are those who answer a number, in E.164, on any trunk; none when nobody does.
	Lines(ctx context.Context, number string) ([]Line, error)
	// Answer makes a call of it. from is the caller's number, in E.164; "" when it is not told. ErrNoLine when nobody can
	// answer, any other error when that may pass.
	Answer(ctx context.Context, l Line, from string) (Visitor, error)
}

// Visitor is a caller who rang here.
type Visitor struct {
	Room, Identity string // that the caller's participant is to be; the room is there
	Gone           func() // called when the caller has hung up, or was hung up
}

// handler answers what LiveKit's client and server ask.
type handler struct {
	*Gateway

	mu       *sync.Mutex
	visitors map[string]Visitor // by LiveKit's id of their call
}

func newHandler(g *Gateway) handler {
	return handler{Gateway: g, mu: new(sync.Mutex), visitors: map[string]Visitor{}}
}

// hasDialog reports whether there is a call with this tag of ours.
func (h handler) hasDialog(tag string) bool {
	h.mu.Lock()
	_, came := h.visitors[tag]
	h.mu.Unlock()
	return came || h.uac.has(tag)
}

// GetAuthCredentials lets in what the gate has let in.
func (h handler) GetAuthCredentials(_ context.Context, c *rpc.SIPCall) (lksip.AuthInfo, error) {
	if _, passed := h.gate.admission(c.GetLkCallId()); !passed {
		return lksip.AuthInfo{Result: lksip.AuthNotFound}, nil
	}
	return lksip.AuthInfo{Result: lksip.AuthAccept}, nil
}

// DispatchCall makes a call of what the gate has let in.
func (h handler) DispatchCall(ctx context.Context, info *lksip.CallInfo) lksip.CallDispatch {
	id := info.Call.GetLkCallId()
	a, passed := h.gate.admission(id)
	if !passed {
		return lksip.CallDispatch{Result: lksip.DispatchNoRuleReject}
	}
	ctx, cancel := context.WithTimeout(ctx, receptionWait)
	defer cancel()
	visitor, err := h.options.Reception.Answer(ctx, a.line, a.from)
	switch {
	case errors.Is(err, ErrNoLine):
		return lksip.CallDispatch{Result: lksip.DispatchNoRuleReject}
	case err != nil:
		h.gate.cannot(err)
		return lksip.CallDispatch{Result: lksip.DispatchServiceUnavailable}
	}
	h.mu.Lock()
	h.visitors[id] = visitor
	h.mu.Unlock()
	return lksip.CallDispatch{Result: lksip.DispatchAccept, MediaConfig: a.line.Encryption.config(), Room: lksip.RoomConfig{
		RoomName: visitor.Room, Participant: lksip.ParticipantConfig{Identity: visitor.Identity}}}
}

// OnSessionEnd is told of each call that is over.
func (h handler) OnSessionEnd(_ context.Context, call *lksip.CallIdentifier, _ *lksip.CallState, _ string) {
	h.uac.end(call.CallID)
	h.mu.Lock()
	visitor, came := h.visitors[call.CallID]
	delete(h.visitors, call.CallID)
	h.mu.Unlock()
	if came && visitor.Gone != nil {
		visitor.Gone()
	}
}

// What else LiveKit's handler may do is of its cloud, or of a bus that several gateways share.
func (handler) GetMediaProcessor([]livekit.SIPFeature, map[string]string, string, lksip.MediaProcessorOpts) msdk.PCM16Processor {
	return nil
}
func (handler) RegisterTransferSIPParticipantTopic(string) error         { return nil }
func (handler) DeregisterTransferSIPParticipantTopic(string)             {}
func (handler) OnInboundInfo(logger.Logger, *rpc.SIPCall, lksip.Headers) {}
