package useragent

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"
)

// The transports, as Via names them.
const (
	UDP = "UDP"
	TCP = "TCP"
	TLS = "TLS"
)

const (
	// maxMessage limits a message in bytes, header and body.
	maxMessage = 64 << 10
	// maxUDPRequest is the length in bytes above which requests go over TCP (RFC 3261 18.1.1).
	maxUDPRequest  = 1300
	writeTimeout   = 5 * time.Second
	connectTimeout = 10 * time.Second
)

var errFlowClosed = errors.New("the connection is closed")

// flow is the way to one peer: the UDP socket with the peer's address, or a connection. sipgo's transactions send over it. sipgo
// has transports of its own, which are not used: they keep an entry for every UDP source for ever, connect to what a Via names,
// handle the messages of a connection in any order, and log messages.
type flow struct {
	agent     *UserAgent
	transport string
	peer      netip.AddrPort
	host      string   // of the verified certificate of a TLS connection that this side has opened
	conn      net.Conn // nil for UDP

	writing sync.Mutex
	closed  chan struct{}
	once    sync.Once
}

type flowKey struct {
	transport string
	peer      netip.AddrPort
}

func (u *UserAgent) newFlow(transport string, peer netip.AddrPort, conn net.Conn) *flow {
	return &flow{agent: u, transport: transport, peer: netip.AddrPortFrom(peer.Addr().Unmap(), peer.Port()), conn: conn, closed: make(chan struct{})}
}

// WriteMsg sends a message.
func (f *flow) WriteMsg(m sip.Message) error {
	data := []byte(m.String())
	f.agent.trace(m, f, true)
	if f.conn == nil {
		f.agent.mu.Lock()
		packets := f.agent.packets
		f.agent.mu.Unlock()
		if packets == nil {
			return errFlowClosed
		}
		_, err := packets.WriteTo(data, net.UDPAddrFromAddrPort(f.peer))
		return err
	}
	return f.write(data)
}

func (f *flow) write(data []byte) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	if err := f.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err := f.conn.Write(data)
	return err
}

// LocalAddr, Ref, TryClose and Close are those of sip.Connection. A flow is closed by its reader, not by transactions.

// LocalAddr returns the socket's address.
func (f *flow) LocalAddr() net.Addr {
	if f.conn != nil {
		return f.conn.LocalAddr()
	}
	return f.agent.packets.LocalAddr()
}

// Ref does nothing.
func (f *flow) Ref(int) int { return 1 }

// TryClose does nothing.
func (f *flow) TryClose() (int, error) { return 1, nil }

// Close does nothing.
func (f *flow) Close() error { return nil }

func (f *flow) close() {
	f.once.Do(func() {
		close(f.closed)
		if f.conn != nil {
			_ = f.conn.Close()
		}
	})
}

// isOpen reports whether messages may be sent.
func (f *flow) isOpen() bool {
	select {
	case <-f.closed:
		return false
	default:
		return true
	}
}

func (f *flow) reliable() bool { return f.transport != UDP }

// ServeUDP reads messages from a socket until it is closed. Messages over UDP are sent from it.
func (u *UserAgent) ServeUDP(c net.PacketConn) error {
	u.mu.Lock()
	if u.closed {
		u.mu.Unlock()
		_ = c.Close()
		return ErrClosed
	}
	u.packets, u.ports[UDP] = c, portOf(c.LocalAddr())
	u.running.Add(1)
	u.mu.Unlock()
	defer u.running.Done()
	buffer := make([]byte, maxMessage)
	for {
		n, from, err := c.ReadFrom(buffer)
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			if u.isClosed() {
				return nil
			}
			var temporary net.Error
			if errors.As(err, &temporary) {
				continue // an ICMP error of an earlier message, or a datagram that is too large
			}
			return err
		}
		peer, ok := addrPort(from)
		if !ok || n < 8 { // keep-alives
			continue
		}
		u.receive(buffer[:n], u.newFlow(UDP, peer, nil))
	}
}

// ServeTCP accepts connections until the listener is closed.
func (u *UserAgent) ServeTCP(l net.Listener) error { return u.serve(TCP, l) }

// ServeTLS accepts connections of a TLS listener until it is closed.
func (u *UserAgent) ServeTLS(l net.Listener) error { return u.serve(TLS, l) }

func (u *UserAgent) serve(transport string, l net.Listener) error {
	u.mu.Lock()
	if u.closed {
		u.mu.Unlock()
		_ = l.Close()
		return ErrClosed
	}
	u.closers[l], u.ports[transport] = true, portOf(l.Addr())
	u.running.Add(1)
	u.mu.Unlock()
	defer u.running.Done()
	for {
		c, err := l.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) || u.isClosed() {
				return nil
			}
			return err
		}
		peer, ok := addrPort(c.RemoteAddr())
		if !ok || u.open(u.newFlow(transport, peer, c)) != nil {
			_ = c.Close()
		}
	}
}

func (u *UserAgent) isClosed() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.closed
}

// open makes a connection usable, and reads its messages.
func (u *UserAgent) open(f *flow) error {
	key := flowKey{f.transport, f.peer}
	started := u.start(func() {
		u.read(f)
		f.close()
		u.mu.Lock()
		if u.flows[key] == f {
			delete(u.flows, key)
		}
		u.mu.Unlock()
		u.abort(f)
	})
	if !started {
		return ErrClosed
	}
	u.mu.Lock()
	u.flows[key] = f
	closed := u.closed
	u.mu.Unlock()
	if closed {
		f.close()
	}
	return nil
}

// connected returns the open connection to a peer, or opens one; over UDP, the way to it. A TLS connection is used for the host
// that its certificate was verified for.
func (u *UserAgent) connected(ctx context.Context, transport string, peer netip.AddrPort, host string) (*flow, error) {
	if transport == UDP {
		u.mu.Lock()
		usable := u.packets != nil
		u.mu.Unlock()
		if !usable {
			return nil, errors.New("there is no UDP socket")
		}
		return u.newFlow(UDP, peer, nil), nil
	}
	if f := u.existing(transport, peer, host); f != nil {
		return f, nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	c, err := u.options.Connect(ctx, transport, peer, host)
	if err != nil {
		return nil, err
	}
	f := u.newFlow(transport, peer, c)
	f.host = host
	if err := u.open(f); err != nil {
		_ = c.Close()
		return nil, err
	}
	return f, nil
}

// existing returns the open connection to a peer; nil if there is none.
func (u *UserAgent) existing(transport string, peer netip.AddrPort, host string) *flow {
	u.mu.Lock()
	defer u.mu.Unlock()
	f := u.flows[flowKey{transport, netip.AddrPortFrom(peer.Addr().Unmap(), peer.Port())}]
	if f == nil || !f.isOpen() || transport == TLS && f.host != host {
		return nil
	}
	return f
}

func portOf(a net.Addr) int {
	if at, ok := addrPort(a); ok {
		return int(at.Port())
	}
	return 0
}

func addrPort(a net.Addr) (netip.AddrPort, bool) {
	at, err := netip.ParseAddrPort(a.String())
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port()), err == nil
}

// port returns the port that peers reach this side at over a transport.
func (u *UserAgent) port(transport string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, t := range []string{transport, UDP, TCP, TLS} {
		if p := u.ports[t]; p != 0 {
			return p
		}
	}
	return 0
}
