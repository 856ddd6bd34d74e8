package api

import (
	"encoding/binary"
	"io"
	"time"
)

// A STUN binding request (RFC 8489, section 5) in TCP framing (RFC 4571): the
// length of the packet in two bytes, then its type, its length, and the magic
// cookie.
const (
	stunStart      = 10 // bytes
	bindingRequest = 0x0001
	magicCookie    = 0x2112a442
	maxFirstPacket = 512 // bytes, more than any client's binding request has
)

// serveMedia serves the connection if the n bytes that were read into b first
// begin a binding request, and returns 0 and io.EOF at its end; otherwise it
// returns what there is for net/http, whose timeout for headers applies.
func (c *serverConn) serveMedia(b []byte, n int, err error) (int, error) {
	media := c.media
	c.media = nil
	for n < stunStart && n < len(b) && framed(b[:n]) && err == nil {
		var more int
		more, err = c.TCPConn.Read(b[n:])
		n += more
	}
	if err != nil || !isBindingRequest(b[:n]) {
		return n, err
	}
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		return 0, err
	}
	media(c.TCPConn, b[:n])
	return 0, io.EOF
}

// framed reports whether the bytes may begin a short packet in TCP framing. No
// HTTP request does: it begins with a letter.
func framed(b []byte) bool { return b[0] <= maxFirstPacket>>8 }

func isBindingRequest(b []byte) bool {
	return len(b) >= stunStart && framed(b) && binary.BigEndian.Uint16(b[2:]) == bindingRequest && binary.BigEndian.Uint32(b[6:]) == magicCookie
}
