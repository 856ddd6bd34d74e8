package sip

import (
	"errors"
	"net"
	"sync"
	"time"
)

// limitedListener limits its connections in all and by address, closes connections that are idle or send anything
// other than SIP messages, and waits when the process has no file descriptors left,. When all are in use, a
// new connection replaces the one that has been idle longest among those of the address that has most of them, unless that address has a
// call: many addresses keep nobody out either.
type limitedListener struct {
	net.Listener
	hasCall func(address string) bool // as limitedAs writes it
	closed  chan struct{}
	once    sync.Once

	mu    sync.Mutex
	conns map[string][]*limitedConn // by address
	open  int
}

func limitListener(l net.Listener, hasCall func(address string) bool) *limitedListener {
	return &limitedListener{Listener: l, hasCall: hasCall, closed: make(chan struct{}), conns: map[string][]*limitedConn{}}
}

func (g *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		switch {
		case err == nil:
			if accepted := g.admit(c); accepted != nil {
				return accepted, nil
			}
			continue
		case errors.Is(err, net.ErrClosed):
			return nil, err
		}
		select {
		case <-time.After(acceptPause):
		case <-g.closed:
			return nil, net.ErrClosed
		}
	}
}

// admit returns the connection within the limits, or closes it and returns nil.
func (g *limitedListener) admit(c net.Conn) *limitedConn {
	now := time.Now()
	admitted := &limitedConn{boundedConn: boundedConn{Conn: c}, listener: g, address: limitedAs(c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr()), read: now, due: now.Add(messageTimeout)}
	g.mu.Lock()
	replaced, ok := g.makeRoom(admitted.address)
	if ok {
		g.conns[admitted.address] = append(g.conns[admitted.address], admitted)
		g.open++
	}
	g.mu.Unlock()
	if replaced != nil {
		_ = replaced.Close()
	}
	if !ok {
		_ = c.Close()
		return nil
	}
	return admitted
}

// makeRoom reports whether an address may have another connection, and removes the one that it replaces, nil for none; g.mu is held.
func (g *limitedListener) makeRoom(address string) (replaced *limitedConn, ok bool) {
	switch {
	case len(g.conns[address]) >= maxPerAddress:
		return nil, false
	case g.open < maxConnections:
		return nil, true
	}
	for from, conns := range g.conns {
		idlest := conns[0]
		for _, c := range conns {
			if c.read.Before(idlest.read) {
				idlest = c
			}
		}
		most := 0
		if replaced != nil {
			most = len(g.conns[replaced.address])
		}
		if (len(conns) > most || len(conns) == most && idlest.read.Before(replaced.read)) && !g.hasCall(from) {
			replaced = idlest
		}
	}
	if replaced == nil || len(g.conns[address]) >= len(g.conns[replaced.address]) {
		return nil, false
	}
	g.remove(replaced)
	return replaced, true
}

// remove removes a connection; g.mu is held.
func (g *limitedListener) remove(c *limitedConn) {
	conns := g.conns[c.address]
	for i, each := range conns {
		if each == c {
			conns[i] = conns[len(conns)-1]
			g.conns[c.address] = conns[:len(conns)-1]
			g.open--
		}
	}
	if len(g.conns[c.address]) == 0 {
		delete(g.conns, c.address)
	}
}

func (g *limitedListener) Close() error {
	g.once.Do(func() { close(g.closed) })
	return g.Listener.Close()
}

// limitedConn is an accepted connection.
type limitedConn struct {
	boundedConn
	listener *limitedListener
	address  string

	due  time.Time // of the message that is arriving, zero for none; used by Read only
	read time.Time // when the last byte arrived; listener.mu guards it
}

func (c *limitedConn) Read(p []byte) (int, error) {
	deadline := c.due
	if deadline.IsZero() {
		deadline = time.Now().Add(connectionIdle)
	}
	if err := c.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	n, err := c.boundedConn.Read(p)
	now := time.Now()
	switch {
	case !c.scanner.arriving() && c.scanner.complete:
		c.due = time.Time{}
	case c.due.IsZero():
		c.due = now.Add(messageTimeout)
	}
	c.listener.mu.Lock()
	c.read = now
	c.listener.mu.Unlock()
	return n, err
}

func (c *limitedConn) Close() error {
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.mu.Unlock()
	return c.boundedConn.Close()
}
