package api

import (
	"context"
	"net/http"

	"parley/internal/api/wire"
	"parley/internal/auth"
)

// MediaPorts are the ports on which the embedded media server receives audio; zero for an outside one.
type MediaPorts struct{ UDP, TCP int }

type mediaServerBody struct {
	Mode    string `json:"mode" enum:"embedded,outside" doc:"Whether the media server is this server's own, or an outside LiveKit." example:"embedded"`
	UDPPort *int   `json:"udp_port" nullable:"true" doc:"Port for callers' media over UDP; null for an outside LiveKit." example:"7882"`
	TCPPort *int   `json:"tcp_port" nullable:"true" doc:"Port for callers' media over TCP; null for an outside LiveKit." example:"7881"`
}

func (s *Server) registerMediaServer() {
	wire.Register(s.router, wire.Operation{
		ID: "get-media-server", Method: http.MethodGet, Path: "/api/v1/media-server", Tag: "Calls", Scope: "calls:write",
		Summary: "Get how callers reach the media server", Description: "Returns the ports that a caller's firewall has to allow. Signalling uses the `url` in the response to starting a call.",
	}, func(context.Context, auth.Principal, *struct{}) (*wire.Answer[mediaServerBody], error) {
		body := mediaServerBody{Mode: "outside"}
		if ports := s.deps.MediaPorts; ports != (MediaPorts{}) {
			body = mediaServerBody{"embedded", &ports.UDP, &ports.TCP}
		}
		return wire.NewAnswer(body), nil
	})
}
