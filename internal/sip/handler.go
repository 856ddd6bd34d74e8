package sip

import (
	"context"
	"errors"
	"sync"
	"time"

	msdk "github.com/livekit/media-sdk"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
	"github.com/livekit/protocol/rpc"
	lksip "github.com/livekit/sip/pkg/sip"
)

// Reception takes the calls that come in.
type Reception interface {
	// Line is who answers a number, in E.164; ErrNoLine when nobody does.
	Line(ctx context.Context, number string) (Line, error)
	// Answer makes a call of it. from is the caller's number, in E.164; "" when it is not told. ErrNoLine when nobody can
	// answer, any other error when that may pass.
	Answer(ctx context.Context, l Line, from string) (Visitor, error)
}

// Visitor is a caller who rang here.
type Visitor struct {
	Room, Identity string // that the caller's participant is to be; the room is there
	Gone           func() // called when the caller has hung up, or was hung up
}

const (
	// receptionWait bounds what a caller waits for who answers.
	receptionWait = 5 * time.Second
	// receptions is how many callers are asked after at once. Strangers can send any number.
	receptions = 64
	// realm is what credentials of inbound calls are for (RFC 7616).
	realm = "parley"
)

var errCrowded = errors.New("too many callers are being asked after")

// handler answers what LiveKit's client and server ask.
type handler struct {
	*Gateway
	desks chan struct{} // one for each caller who is asked after

	mu       *sync.Mutex
	visitors map[string]Visitor // by LiveKit's id of their call
}

func newHandler(g *Gateway) handler {
	return handler{Gateway: g, desks: make(chan struct{}, receptions), mu: new(sync.Mutex), visitors: map[string]Visitor{}}
}

// GetAuthCredentials says what a call that comes in must show. The caller of a number that nobody answers gets 404, and
// 503 when that cannot be found out now.
func (h handler) GetAuthCredentials(ctx context.Context, c *rpc.SIPCall) (lksip.AuthInfo, error) {
	line, err := h.line(ctx, c)
	switch {
	case errors.Is(err, ErrNoLine):
		return lksip.AuthInfo{Result: lksip.AuthNotFound}, nil
	case err != nil:
		h.cannot(ctx, err)
		return lksip.AuthInfo{}, err
	case line.Username != "" && line.Password != "":
		return lksip.AuthInfo{Result: lksip.AuthPassword, Auth: lksip.InboundAuth{Username: line.Username, Password: line.Password, Realm: realm}}, nil
	}
	return lksip.AuthInfo{Result: lksip.AuthAccept}, nil
}

// DispatchCall makes a call of what GetAuthCredentials let in.
func (h handler) DispatchCall(ctx context.Context, info *lksip.CallInfo) lksip.CallDispatch {
	line, err := h.line(ctx, info.Call)
	var visitor Visitor
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, receptionWait)
		defer cancel()
		visitor, err = h.options.Reception.Answer(ctx, line, Number(info.Call.GetFrom().GetUser()))
	}
	switch {
	case errors.Is(err, ErrNoLine):
		return lksip.CallDispatch{Result: lksip.DispatchNoRuleReject}
	case err != nil:
		h.cannot(ctx, err)
		return lksip.CallDispatch{Result: lksip.DispatchServiceUnavailable}
	}
	h.mu.Lock()
	h.visitors[info.Call.GetLkCallId()] = visitor
	h.mu.Unlock()
	return lksip.CallDispatch{Result: lksip.DispatchAccept, Room: lksip.RoomConfig{
		RoomName: visitor.Room, Participant: lksip.ParticipantConfig{Identity: visitor.Identity}}}
}

func (h handler) cannot(ctx context.Context, err error) {
	h.options.Logger.WarnContext(ctx, "a phone call that came in cannot be answered", "component", "sip", "error", personal.ReplaceAllString(err.Error(), "…"))
}

// line finds who answers a call: by the number that is asked for, or else the one that it is addressed to.
func (h handler) line(ctx context.Context, c *rpc.SIPCall) (Line, error) {
	number := Number(c.GetAddress().GetUser())
	if number == "" {
		number = Number(c.GetTo().GetUser())
	}
	if number == "" || h.options.Reception == nil {
		return Line{}, ErrNoLine
	}
	select {
	case h.desks <- struct{}{}:
		defer func() { <-h.desks }()
	default:
		return Line{}, errCrowded
	}
	ctx, cancel := context.WithTimeout(ctx, receptionWait)
	defer cancel()
	return h.options.Reception.Line(ctx, number)
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
