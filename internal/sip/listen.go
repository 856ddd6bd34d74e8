package sip

import (
	"crypto/tls"
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

// sockets are the gateway's signalling sockets.
type sockets struct {
	udp  net.PacketConn
	tcp  net.Listener
	tls  net.Listener // nil without a certificate
	port int          // of UDP and TCP
}

// listen binds the ports of a gateway. The error names the setting of a port that is in use.
func (o GatewayOptions) listen() (s sockets, err error) {
	if !o.TLS.enabled() {
		return listen(o.host(), o.Port)
	}
	config, err := o.TLS.config(o.Logger)
	if err != nil {
		return s, err
	}
	if s, err = listen(o.host(), o.Port); err != nil {
		return s, err
	}
	secured, err := net.Listen("tcp", net.JoinHostPort(o.host(), strconv.Itoa(o.TLS.Port)))
	if err != nil {
		s.close()
		return s, portError("PARLEY_SIP_TLS_PORT", "tcp", o.TLS.Port, err)
	}
	s.tls = tls.NewListener(secured, config)
	return s, nil
}

// listen binds a port for UDP and TCP, without a host over IPv4 and IPv6; 0 chooses a port that is free for both.
func listen(host string, port int) (s sockets, err error) {
	for range 20 {
		if s.udp, err = net.ListenPacket("udp", net.JoinHostPort(host, strconv.Itoa(port))); err != nil {
			return s, portError("PARLEY_SIP_PORT", "udp", port, err)
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
	return s, portError("PARLEY_SIP_PORT", "tcp", port, err)
}

func portError(variable, network string, port int, err error) error {
	return fmt.Errorf("%s: the SIP gateway cannot use %s port %d, choose a free one: %w", variable, network, port, err)
}

func (s sockets) close() {
	_ = s.udp.Close()
	_ = s.tcp.Close()
	if s.tls != nil {
		_ = s.tls.Close()
	}
}
