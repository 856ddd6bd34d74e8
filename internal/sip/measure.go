package sip

import (
	"bytes"
	"errors"
	"net"
	"strconv"
)

// maxMessage bounds a message's header, and its body. What is larger is no call: LiveKit's stack itself would keep all of a
// message that never ends.
const maxMessage = 64 << 10

var errNoMessage = errors.New("this is no SIP message, or too large a one")

// measured is a connection that ends when what comes over it is no message within bounds.
type measured struct {
	net.Conn
	measure measure
}

func (m *measured) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if wrong := m.measure.take(p[:n]); wrong != nil {
		return 0, wrong
	}
	return n, err
}

// measure follows the messages of a stream (RFC 3261 18.3).
type measure struct {
	header []byte // of the message that comes, as far as it has come
	body   int    // what is still to come of the message's body
}

func (m *measure) take(p []byte) error {
	for len(p) > 0 {
		if m.body > 0 {
			n := min(m.body, len(p))
			m.body, p = m.body-n, p[n:]
			continue
		}
		if len(m.header) == 0 {
			p = bytes.TrimLeft(p, "\r\n") // what keeps a connection alive (RFC 5626 3.5.1)
		}
		before := len(m.header)
		m.header = append(m.header, p[:min(len(p), maxMessage-before)]...)
		searched := max(before-3, 0)
		end := bytes.Index(m.header[searched:], []byte("\r\n\r\n"))
		if end < 0 {
			if len(m.header) == maxMessage {
				return errNoMessage
			}
			return nil
		}
		end += searched + 4
		length, err := bodyLength(m.header[:end])
		if err != nil {
			return err
		}
		m.body, m.header, p = length, m.header[:0], p[end-before:]
	}
	return nil
}

// bodyLength is what a header says of the body's length; 0 when it says nothing.
func bodyLength(header []byte) (length int, err error) {
	said := false
	for line := range bytes.SplitSeq(header, []byte("\r\n")) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		name = bytes.TrimSpace(name)
		if !bytes.EqualFold(name, []byte("Content-Length")) && !bytes.EqualFold(name, []byte("l")) {
			continue
		}
		length, err = strconv.Atoi(string(bytes.TrimSpace(value)))
		if err != nil || said || length < 0 || length > maxMessage { // said twice, it would mean one thing here and another there
			return 0, errNoMessage
		}
		said = true
	}
	return length, nil
}
