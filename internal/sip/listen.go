package sip

import (
	"fmt"
	"net"
	"strconv"
	"time"
)

// Limits on what remote peers may open.
const (
	maxConnections = 256              // concurrent TCP connections …
	maxPerAddress  = 64               // … and those of one address
	connectionIdle = 10 * time.Minute // without a byte; calls that continue open a new connection
	messageTimeout = 20 * time.Second // for a message to arrive in full, the first one from the connection on
	acceptPause    = 50 * time.Millisecond
	// receiveBuffer is the size of the UDP receive buffer, for bursts.
	receiveBuffer = 4 << 20
)

// sockets are the gateway's signalling sockets, on one port.
type sockets struct {
	udp  net.PacketConn
	tcp  net.Listener
	port int
}

// listen binds the port for UDP and TCP, without a host over IPv4 and IPv6; 0 chooses a port that is free for both.
func listen(host string, port int) (s sockets, err error) {
	for range 20 {
		if s.udp, err = net.ListenPacket("udp", net.JoinHostPort(host, strconv.Itoa(port))); err != nil {
			return s, portError("udp", port, err)
		}
		s.port = s.udp.LocalAddr().(*net.UDPAddr).Port
		if s.tcp, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(s.port))); err == nil {
			_ = s.udp.(*net.UDPConn).SetReadBuffer(receiveBuffer) // the kernel may grant less
			return s, nil
		}
		_ = s.udp.Close()
		if port != 0 {
			break
		}
	}
	return s, portError("tcp", port, err)
}

func portError(network string, port int, err error) error {
	return fmt.Errorf("PARLEY_SIP_PORT: the SIP gateway cannot use %s port %d, choose a free one: %w", network, port, err)
}

func (s sockets) close() {
	_ = s.udp.Close()
	_ = s.tcp.Close()
}
