package sip

import (
	"bytes"
	"errors"
	"net"
	"strconv"
)

// maxMessage limits a message's header, and its body, in bytes.
const maxMessage = 64 << 10

var errNoMessage = errors.New("not a SIP message, or too large")

// boundedConn is a connection that fails when it receives anything other than SIP messages within maxMessage.
type boundedConn struct {
	net.Conn
	scanner messageScanner
}

func (m *boundedConn) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if wrong := m.scanner.scan(p[:n]); wrong != nil {
		return 0, wrong
	}
	return n, err
}

// messageScanner follows the messages of a stream (RFC 3261 18.3).
type messageScanner struct {
	header   []byte // of the current message, as far as received
	body     int    // bytes of the current body still to come
	complete bool   // the header of a message has arrived
}

// arriving reports whether a message has begun and not ended.
func (m *messageScanner) arriving() bool { return len(m.header) > 0 || m.body > 0 }

func (m *messageScanner) scan(p []byte) error {
	for len(p) > 0 {
		if m.body > 0 {
			n := min(m.body, len(p))
			m.body, p = m.body-n, p[n:]
			continue
		}
		if len(m.header) == 0 {
			p = bytes.TrimLeft(p, "\r\n") // keep-alives (RFC 5626 3.5.1)
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
		m.body, m.header, p, m.complete = length, m.header[:0], p[end-before:], true
	}
	return nil
}

// bodyLength returns a header's Content-Length; 0 without one.
func bodyLength(header []byte) (length int, err error) {
	found := false
	for line := range bytes.SplitSeq(header, []byte("\r\n")) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		name = bytes.TrimSpace(name)
		if !bytes.EqualFold(name, []byte("Content-Length")) && !bytes.EqualFold(name, []byte("l")) {
			continue
		}
		length, err = strconv.Atoi(string(bytes.TrimSpace(value)))
		if err != nil || found || length < 0 || length > maxMessage { // two lengths could be read differently by different parsers
			return 0, errNoMessage
		}
		found = true
	}
	return length, nil
}
