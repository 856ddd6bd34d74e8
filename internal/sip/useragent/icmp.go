package useragent

import (
	"errors"
	"net"
	"syscall"
	"time"
)

// keepAlive is a datagram without a message (RFC 5626 3.5.1), which peers ignore or answer with a line break.
const keepAlive = "\r\n\r\n"

// awaitICMP ends the requests of a UDP flow that have no response as soon as the network reports that nobody listens at the peer's
// port, or that there is no way to it (RFC 3261 18.4), so that the next target is tried at once. The system reports that on
// connected sockets only, and the one of all flows is not: a keep-alive is sent from a socket that is. To forge such a report,
// somebody on another way would have to guess its port.
func (u *UserAgent) awaitICMP(f *flow) {
	u.mu.Lock()
	_, ofSystem := u.packets.(*net.UDPConn)
	u.mu.Unlock()
	if !ofSystem {
		return
	}
	u.start(func() {
		c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(f.peer))
		if err != nil {
			return
		}
		defer c.Close()
		if !u.closing(c) {
			return
		}
		defer u.notClosing(c)
		_ = c.SetDeadline(time.Now().Add(nextTarget))
		if _, err = c.Write([]byte(keepAlive)); err == nil {
			_, err = c.Read(make([]byte, len(keepAlive)))
		}
		if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH) {
			u.abort(f)
		}
	})
}

// closing has Close close c, too. It reports false if the user agent is closed.
func (u *UserAgent) closing(c net.Conn) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closers[c] = true
	return !u.closed
}

func (u *UserAgent) notClosing(c net.Conn) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.closers, c)
}
