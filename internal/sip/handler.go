package sip

import (
	"context"

	msdk "github.com/livekit/media-sdk"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
	"github.com/livekit/protocol/rpc"
	lksip "github.com/livekit/sip/pkg/sip"
)

// handler answers what LiveKit's client and server ask.
type handler struct{ *Gateway }

// GetAuthCredentials turns inbound calls away: no number is answered here.
func (handler) GetAuthCredentials(context.Context, *rpc.SIPCall) (lksip.AuthInfo, error) {
	return lksip.AuthInfo{Result: lksip.AuthNotFound}, nil
}

// DispatchCall is asked for calls that GetAuthCredentials lets in.
func (handler) DispatchCall(context.Context, *lksip.CallInfo) lksip.CallDispatch {
	return lksip.CallDispatch{Result: lksip.DispatchNoRuleReject}
}

// OnSessionEnd is told of each call that is over.
func (h handler) OnSessionEnd(_ context.Context, call *lksip.CallIdentifier, _ *lksip.CallState, _ string) {
	h.uac.end(call.CallID)
}

// What else LiveKit's handler may do is of its cloud, or of a bus that several gateways share.
func (handler) GetMediaProcessor([]livekit.SIPFeature, map[string]string, string, lksip.MediaProcessorOpts) msdk.PCM16Processor {
	return nil
}
func (handler) RegisterTransferSIPParticipantTopic(string) error         { return nil }
func (handler) DeregisterTransferSIPParticipantTopic(string)             {}
func (handler) OnInboundInfo(logger.Logger, *rpc.SIPCall, lksip.Headers) {}
