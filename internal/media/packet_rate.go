package media

import (
	"net"

	"github.com/livekit/livekit-server/pkg/service"
	"github.com/pion/ice/v4"
	"golang.org/x/time/rate"
)

// Rate of the packets that a connection of a participant takes: what may come at once, and further ones a second. A voice has 50 a second,
// and data come in packets of 1.2 kB.
const maxPackets, packetsPerSecond = 1000, 400

// limitPackets has a server drop further packets over UDP before they are decrypted, before the server starts. LiveKit has no setting
// for it, and spends a processor on the data that one caller can send.
func limitPackets(server *service.LivekitServer) error {
	config, err := webrtcConfig(server)
	if err != nil || config.UDPMux == nil {
		return err
	}
	config.UDPMux = limitedMux{config.UDPMux}
	config.SettingEngine.SetICEUDPMux(config.UDPMux)
	return nil
}

// limitedMux assigns packets to limited connections.
type limitedMux struct{ ice.UDPMux }

// GetConn returns the connection of a participant.
func (m limitedMux) GetConn(ufrag string, address net.Addr) (net.PacketConn, error) {
	conn, err := m.UDPMux.GetConn(ufrag, address)
	if err != nil {
		return nil, err
	}
	return limitPacketsOf(conn), nil
}

// limitedConn is a connection that drops what comes too fast.
type limitedConn struct {
	net.PacketConn
	packets *rate.Limiter
}

func limitPacketsOf(conn net.PacketConn) net.PacketConn {
	return limitedConn{conn, rate.NewLimiter(packetsPerSecond, maxPackets)}
}

// ReadFrom returns the next packet that is within the rate.
func (c limitedConn) ReadFrom(p []byte) (n int, from net.Addr, err error) {
	for {
		if n, from, err = c.PacketConn.ReadFrom(p); err != nil || c.packets.Allow() {
			return n, from, err
		}
	}
}
