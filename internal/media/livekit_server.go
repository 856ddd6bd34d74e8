package media

import (
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/livekit/livekit-server/pkg/rtc"
	"github.com/livekit/livekit-server/pkg/service"
)

// Times that LiveKit's HTTP server gives a client: for the headers, for a whole request, and between two. A connection that was
// upgraded to WebSocket has none of them.
const (
	headerTimeout  = 5 * time.Second
	arrivalTimeout = 15 * time.Second
	idleTimeout    = 2 * time.Minute
)

// limitRequests bounds how long requests may take to arrive, before the server starts. LiveKit has no setting for it.
func limitRequests(server *service.LivekitServer) error {
	field := reflect.ValueOf(server).Elem().FieldByName("httpServer")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*http.Server]() || field.IsNil() {
		return errors.New("this LiveKit has no HTTP server")
	}
	s := (*http.Server)(field.UnsafePointer())
	s.ReadHeaderTimeout, s.ReadTimeout, s.IdleTimeout = headerTimeout, arrivalTimeout, idleTimeout
	return nil
}

// webrtcConfig returns the configuration that a server creates the connections of its participants with.
func webrtcConfig(server *service.LivekitServer) (*rtc.WebRTCConfig, error) {
	manager := reflect.ValueOf(server).Elem().FieldByName("roomManager")
	if !manager.IsValid() || manager.Type() != reflect.TypeFor[*service.RoomManager]() {
		return nil, errors.New("this LiveKit has no room manager")
	}
	config := manager.Elem().FieldByName("rtcConfig")
	if !config.IsValid() || config.Type() != reflect.TypeFor[*rtc.WebRTCConfig]() {
		return nil, errors.New("this LiveKit has no WebRTC configuration")
	}
	return (*rtc.WebRTCConfig)(config.UnsafePointer()), nil
}
