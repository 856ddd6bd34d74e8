package useragent

import (
	"bytes"
	"errors"
	"strconv"
)

var errNoMessage = errors.New("not a SIP message, or too large")

// read reads the messages of a connection (RFC 3261 18.3) until it ends, or sends anything other than messages.
func (u *UserAgent) read(f *flow) {
	buffer := make([]byte, 16<<10)
	var frames framer
	for {
		n, err := f.conn.Read(buffer)
		frames.pending = append(frames.pending, buffer[:n]...)
		for {
			message, pings, wrong := frames.next()
			for range pings {
				if f.write([]byte("\r\n")) != nil {
					return
				}
			}
			if wrong != nil {
				return
			}
			if message == nil {
				break
			}
			u.receive(message, f)
		}
		if err != nil {
			return
		}
	}
}

// framer splits a stream into messages.
type framer struct {
	pending  []byte
	searched int // bytes of pending in which no header ends
}

// next returns the next message, nil if it has not arrived completely, and how many keep-alives were before it that want an
// answer (RFC 5626 3.5.1). The error ends the stream.
func (s *framer) next() (message []byte, pings int, err error) {
	for s.searched == 0 && bytes.HasPrefix(s.pending, []byte("\r\n")) {
		if bytes.HasPrefix(s.pending, []byte("\r\n\r\n")) {
			s.pending, pings = s.pending[4:], pings+1
			continue
		}
		if len(s.pending) < 4 && bytes.HasPrefix([]byte("\r\n\r\n"), s.pending) {
			return nil, pings, nil // may become a ping
		}
		s.pending = s.pending[2:]
	}
	end := bytes.Index(s.pending[s.searched:], []byte("\r\n\r\n"))
	if end < 0 {
		if len(s.pending) > maxMessage {
			return nil, pings, errNoMessage
		}
		s.searched = max(len(s.pending)-3, 0)
		return nil, pings, nil
	}
	end += s.searched + 4
	length, err := bodyLength(s.pending[:end])
	if err != nil || end+length > maxMessage {
		return nil, pings, errNoMessage
	}
	if len(s.pending) < end+length {
		s.searched = end - 4
		return nil, pings, nil
	}
	message = s.pending[:end+length]
	s.pending, s.searched = s.pending[end+length:], 0
	return message, pings, nil
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
