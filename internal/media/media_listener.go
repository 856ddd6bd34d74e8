package media

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pion/stun/v3"
)

const (
	// firstPacketTimeout bounds the arrival of a connection's first packet.
	firstPacketTimeout = 10 * time.Second
	// maxFirstPacket is the size of that packet, in bytes.
	maxFirstPacket = 512
	// maxUnassigned is how many connections may wait for their first packet; a further one replaces the oldest.
	maxUnassigned = 500
	// maxPerCall is how many TCP connections a call may have. Clients have one for each pair of candidates.
	maxPerCall = 16
)

// mediaListener accepts the TCP connections for media whose first packet, a STUN binding request (RFC 8489) in TCP framing
// (RFC 4571), names a call that is open. It closes all others.
type mediaListener struct {
	*net.TCPListener
	assigned chan net.Conn
	closed   chan struct{}

	mu         sync.Mutex
	unassigned []net.Conn     // the oldest first
	calls      map[string]int // connections, by user name fragment
}

func newMediaListener(l *net.TCPListener) *mediaListener {
	m := &mediaListener{TCPListener: l, assigned: make(chan net.Conn), closed: make(chan struct{}), calls: map[string]int{}}
	go m.accept()
	return m
}

// Accept returns the next connection of a call.
func (m *mediaListener) Accept() (net.Conn, error) {
	select {
	case conn := <-m.assigned:
		return conn, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *mediaListener) open(call string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[call] += 0
}

func (m *mediaListener) remove(call string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.calls, call)
}

// accept accepts connections until the listener is closed.
func (m *mediaListener) accept() {
	defer close(m.closed)
	for {
		conn, err := m.TCPListener.Accept()
		if err != nil {
			return
		}
		m.mu.Lock()
		if len(m.unassigned) >= maxUnassigned {
			_ = m.unassigned[0].Close()
			m.unassigned = m.unassigned[1:]
		}
		m.unassigned = append(m.unassigned, conn)
		m.mu.Unlock()
		go m.assign(conn)
	}
}

// assign reads a connection's first packet and assigns the connection to its call, or closes it.
func (m *mediaListener) assign(conn net.Conn) {
	first, call := readFirstPacket(conn)
	m.mu.Lock()
	m.unassigned = slices.DeleteFunc(m.unassigned, func(c net.Conn) bool { return c == conn })
	connections, open := m.calls[call]
	open = open && connections < maxPerCall
	if open {
		m.calls[call]++
	}
	m.mu.Unlock()
	if !open {
		_ = conn.Close()
		return
	}
	assigned := &mediaConn{Conn: conn, first: bytes.NewReader(first), release: sync.OnceFunc(func() { m.release(call) })}
	select {
	case m.assigned <- assigned:
	case <-m.closed:
		_ = assigned.Close()
	}
}

func (m *mediaListener) release(call string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls[call] > 0 {
		m.calls[call]--
	}
}

// readFirstPacket returns a connection's first packet with its framing, and the user name fragment in it; "" for none.
func readFirstPacket(conn net.Conn) (packet []byte, fragment string) {
	if conn.SetReadDeadline(time.Now().Add(firstPacketTimeout)) != nil {
		return nil, ""
	}
	packet = make([]byte, 2, 2+maxFirstPacket)
	if _, err := io.ReadFull(conn, packet); err != nil {
		return nil, ""
	}
	length := int(binary.BigEndian.Uint16(packet))
	if length > maxFirstPacket {
		return nil, ""
	}
	packet = packet[:2+length]
	if _, err := io.ReadFull(conn, packet[2:]); err != nil {
		return nil, ""
	}
	request, name := &stun.Message{Raw: slices.Clone(packet[2:])}, stun.Username{}
	if request.Decode() != nil || request.Type != stun.BindingRequest || name.GetFrom(request) != nil || conn.SetReadDeadline(time.Time{}) != nil {
		return nil, ""
	}
	fragment, _, _ = strings.Cut(string(name), ":")
	return packet, fragment
}

// mediaConn is a connection of a call, from its first packet on.
type mediaConn struct {
	net.Conn
	first   *bytes.Reader
	release func()
}

func (c *mediaConn) Read(p []byte) (int, error) {
	if c.first.Len() > 0 {
		return c.first.Read(p)
	}
	return c.Conn.Read(p)
}

// Close closes the connection, which then counts no more.
func (c *mediaConn) Close() error {
	c.release()
	return c.Conn.Close()
}
