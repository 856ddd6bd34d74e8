package media

import (
	"fmt"
	"net"

	"github.com/livekit/livekit-server/pkg/service"
	"github.com/pion/ice/v4"
)

// Queues of a TCP connection for media, as LiveKit has them.
const (
	receiveQueue = 50      // packets
	sendBuffer   = 4 << 20 // bytes
)

// limitTCPPort replaces the handling of a server's TCP port for media, before the server starts: LiveKit's own has no limits, and
// queues 400 kB of each connection that belongs to no call. LiveKit has no setting for it.
func limitTCPPort(server *service.LivekitServer) error {
	config, err := webrtcConfig(server)
	if err != nil || config.TCPMuxListener == nil {
		return err
	}
	address := config.TCPMuxListener.Addr().(*net.TCPAddr)
	if err := config.TCPMuxListener.Close(); err != nil {
		return err
	}
	if config.TCPMuxListener, err = net.ListenTCP("tcp", address); err != nil {
		return fmt.Errorf("PARLEY_RTC_TCP_PORT: %w", err)
	}
	listener := newMediaListener(config.TCPMuxListener)
	config.SettingEngine.SetICETCPMux(&callMux{listener: listener, TCPMuxDefault: ice.NewTCPMuxDefault(ice.TCPMuxParams{
		Listener: listener, ReadBufferSize: receiveQueue, WriteBufferSize: sendBuffer,
	})})
	return nil
}

// callMux assigns TCP connections to calls by the user name fragment (RFC 8839, section 5.4) of their first packet, and admits those
// of its calls alone.
type callMux struct {
	*ice.TCPMuxDefault
	listener *mediaListener
}

// GetConnByUfrag opens the port to a call.
func (m *callMux) GetConnByUfrag(ufrag string, isIPv6 bool, local net.IP) (net.PacketConn, error) {
	m.listener.open(ufrag)
	conn, err := m.TCPMuxDefault.GetConnByUfrag(ufrag, isIPv6, local)
	if err != nil {
		return nil, err
	}
	return limitPacketsOf(conn), nil
}

// RemoveConnByUfrag closes the port to a call.
func (m *callMux) RemoveConnByUfrag(ufrag string) {
	m.listener.remove(ufrag)
	m.TCPMuxDefault.RemoveConnByUfrag(ufrag)
}
