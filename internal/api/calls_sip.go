package api

import (
	"context"
	"net/http"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/sip"
)

type sipMessageBody struct {
	Timestamp wire.Time     `json:"timestamp" doc:"When the message was sent or received."`
	Direction string        `json:"direction" enum:"received,sent" doc:"Whether the gateway received or sent the message." example:"received"`
	SIPCallID string        `json:"sip_call_id" doc:"Call-ID of the message. A call that is transferred has one for each leg." example:"a84b4c76e66710@pbx.example.com"`
	Transport sip.Transport `json:"transport" enum:"udp,tcp,tls" doc:"Transport of the message." example:"udp"`
	Peer      string        `json:"peer" doc:"IP address and port of the other side." example:"203.0.113.7:5060"`
	StartLine string        `json:"start_line" doc:"First line of the message." example:"SIP/2.0 200 OK"`
	Message   string        `json:"message" doc:"The message, the first 16 KiB. Credentials, media keys, pressed keys and the values of the trunk's own headers are masked." example:"SIP/2.0 200 OK\r\nCSeq: 1 INVITE\r\n"`
}

const sipMessagesKept = " Empty unless the operator has the messages stored (`PARLEY_SIP_TRACE`), and after a day."

func (s *Server) registerSIPMessages() {
	wire.Register(s.router, wire.Operation{
		ID: "get-call-sip-messages", Method: http.MethodGet, Path: "/api/v1/calls/{id}/sip-messages", Tag: "Calls", Scope: "calls:read", AlsoScope: "sip:read",
		Summary:     "Get a call's SIP messages",
		Description: "Lists in order the SIP messages that the gateway and the trunk exchanged for the call, at most 1,000." + sipMessagesKept,
		Errors:      []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*wire.Answer[[]sipMessageBody], error) {
		if _, err := s.seen(ctx, who, in.ID); err != nil {
			return nil, err
		}
		messages, err := s.sip(who).CallMessages(ctx, in.ID.String())
		return showMessages(messages), err
	})
	wire.Register(s.router, wire.Operation{
		ID: "get-phone-number-sip-messages", Method: http.MethodGet, Path: "/api/v1/phone-numbers/{id}/sip-messages", Tag: "Phone numbers", Scope: "calls:read", AlsoScope: "sip:read", LiveOnly: true,
		Summary: "Get the SIP messages of refused calls",
		Description: "Lists in order the newest SIP messages, at most 1,000, of calls to the number that came from its trunk and were refused before they became calls of the API: " +
			"over a limit, with media that cannot be agreed on, or without an agent that could answer. Ten such calls a minute are stored." + sipMessagesKept,
		Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *phoneNumberIn) (*wire.Answer[[]sipMessageBody], error) {
		messages, err := s.sip(who).RefusedMessages(ctx, in.ID.String())
		return showMessages(messages), err
	})
}

func showMessages(messages []sip.Message) *wire.Answer[[]sipMessageBody] {
	bodies := make([]sipMessageBody, len(messages))
	for i, m := range messages {
		bodies[i] = sipMessageBody{Timestamp: wire.Time(m.CreatedAt), Direction: "received", SIPCallID: m.SIPCallID, Transport: m.Transport, Peer: m.Peer, StartLine: m.StartLine, Message: m.Text}
		if m.Sent {
			bodies[i].Direction = "sent"
		}
	}
	return wire.NewAnswer(bodies)
}
