package sip

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

// Bounds of what others may open.
const (
	maxConnections = 256              // over TCP at once …
	maxPerAddress  = 64               // … and of one address
	connectionIdle = 10 * time.Minute // without a byte; calls that go on open a new one
	acceptPause    = 50 * time.Millisecond
	// receiveBuffer is what waits of messages over UDP while strangers send many.
	receiveBuffer = 4 << 20
)

// sockets are the gateway's own, for signalling, on one port. Nothing is read before open.
type sockets struct {
	udp  net.PacketConn
	tcp  net.Listener
	port int
	open func()
}

// listen binds the port for UDP and TCP; 0 takes one that is free for both.
func listen(host string, port int) (s sockets, err error) {
	ready := make(chan struct{})
	s.open = sync.OnceFunc(func() { close(ready) })
	for range 20 {
		if s.udp, err = net.ListenPacket("udp4", net.JoinHostPort(host, strconv.Itoa(port))); err != nil {
			return s, taken("udp", port, err)
		}
		s.port = s.udp.LocalAddr().(*net.UDPAddr).Port
		if s.tcp, err = net.Listen("tcp4", net.JoinHostPort(host, strconv.Itoa(s.port))); err == nil {
			_ = s.udp.(*net.UDPConn).SetReadBuffer(receiveBuffer) // the kernel may allow less
			s.udp, s.tcp = held{s.udp, ready}, heldListener{s.tcp, ready}
			return s, nil
		}
		_ = s.udp.Close()
		if port != 0 {
			break
		}
	}
	return s, taken("tcp", port, err)
}

func taken(network string, port int, err error) error {
	return fmt.Errorf("PARLEY_SIP_PORT: the SIP gateway cannot use %s port %d, choose a free one: %w", network, port, err)
}

func (s sockets) close() {
	_ = s.udp.Close()
	_ = s.tcp.Close()
	s.open()
}

// held is a socket whose packets wait until ready is closed.
type held struct {
	net.PacketConn
	ready <-chan struct{}
}

func (h held) ReadFrom(p []byte) (int, net.Addr, error) {
	<-h.ready
	return h.PacketConn.ReadFrom(p)
}

// heldListener is a listener whose connections wait until ready is closed.
type heldListener struct {
	net.Listener
	ready <-chan struct{}
}

func (h heldListener) Accept() (net.Conn, error) {
	<-h.ready
	return h.Listener.Accept()
}

// guarded is a listener that strangers cannot wear out: it holds so many connections at once, in all and of an address,
// closes those that are idle or carry no messages, and waits when the process is out of descriptors, where LiveKit would end
// it.
type guarded struct {
	net.Listener
	slots     chan struct{}
	addresses capacity
	closed    chan struct{}
	once      sync.Once
}

func guard(l net.Listener) *guarded {
	return &guarded{Listener: l, slots: make(chan struct{}, maxConnections), addresses: capacity{taken: map[string]int{}}, closed: make(chan struct{})}
}

func (g *guarded) Accept() (net.Conn, error) {
	for {
		select {
		case g.slots <- struct{}{}:
		case <-g.closed:
			return nil, net.ErrClosed
		}
		c, err := g.Listener.Accept()
		if err == nil {
			host, _, _ := net.SplitHostPort(c.RemoteAddr().String())
			if leave, fits := g.addresses.take(seat{host, maxPerAddress}); fits {
				return &guest{Conn: &measured{Conn: c}, leave: sync.OnceFunc(func() { leave(); <-g.slots })}, nil
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

func (g *guarded) Close() error {
	g.once.Do(func() { close(g.closed) })
	return g.Listener.Close()
}

// guest is a connection that a stranger made.
type guest struct {
	net.Conn
	leave func()
}

func (g *guest) Read(p []byte) (int, error) {
	if err := g.SetReadDeadline(time.Now().Add(connectionIdle)); err != nil {
		return 0, err
	}
	return g.Conn.Read(p)
}

func (g *guest) Close() error {
	g.leave()
	return g.Conn.Close()
}
