package sip

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

// Limits on what remote peers may open.
const (
	maxConnections = 256              // concurrent TCP connections …
	maxPerAddress  = 64               // … and those of one address
	connectionIdle = 10 * time.Minute // without a byte; calls that continue open a new connection
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

// limitedListener limits its connections in all and by address, closes connections that are idle, and waits when the process has no
// file descriptors left.
type limitedListener struct {
	net.Listener
	slots     chan struct{}
	addresses useCounter
	closed    chan struct{}
	once      sync.Once
}

func limitListener(l net.Listener) *limitedListener {
	return &limitedListener{Listener: l, slots: make(chan struct{}, maxConnections), addresses: useCounter{inUse: map[string]int{}}, closed: make(chan struct{})}
}

func (g *limitedListener) Accept() (net.Conn, error) {
	for {
		select {
		case g.slots <- struct{}{}:
		case <-g.closed:
			return nil, net.ErrClosed
		}
		c, err := g.Listener.Accept()
		if err == nil {
			from := c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr()
			if release, ok := g.addresses.acquire(quota{limitedAs(from), maxPerAddress}); ok {
				return &limitedConn{Conn: c, release: sync.OnceFunc(func() { release(); <-g.slots })}, nil
			}
			_ = c.Close()
			<-g.slots
			continue
		}
		<-g.slots
		if errors.Is(err, net.ErrClosed) {
			return nil, err
		}
		select {
		case <-time.After(acceptPause):
		case <-g.closed:
			return nil, net.ErrClosed
		}
	}
}

func (g *limitedListener) Close() error {
	g.once.Do(func() { close(g.closed) })
	return g.Listener.Close()
}

// limitedConn is an accepted connection.
type limitedConn struct {
	net.Conn
	release func()
}

func (g *limitedConn) Read(p []byte) (int, error) {
	if err := g.SetReadDeadline(time.Now().Add(connectionIdle)); err != nil {
		return 0, err
	}
	return g.Conn.Read(p)
}

func (g *limitedConn) Close() error {
	g.release()
	return g.Conn.Close()
}
