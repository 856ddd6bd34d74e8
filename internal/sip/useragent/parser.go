package useragent

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"github.com/emiago/sipgo/sip"
)

// compactNames are the long forms of header names that sipgo reads as names of their own (RFC 3261 7.3.3 and extensions).
var compactNames = map[string]string{"k": "Supported", "e": "Content-Encoding", "o": "Event", "s": "Subject", "u": "Allow-Events",
	"x": "Session-Expires", "r": "Refer-To", "b": "Referred-By", "y": "Identity"}

// newParser returns a parser that keeps a header it cannot read as text, so that the message can be answered.
func newParser() *sip.Parser {
	headers := map[string]sip.HeaderParser{}
	for name, parse := range sip.DefaultHeadersParser() {
		headers[name] = func(header []byte, text string) (sip.Header, error) {
			h, err := parse(header, text)
			if err == nil || err.Error() == "comma detected" { // sipgo's way to say that another value follows
				return h, err
			}
			return sip.NewHeader(string(header), text), nil
		}
	}
	for _, name := range []string{"refer-to", "referred-by"} { // read where they are needed, with their parameters
		delete(headers, name)
	}
	for short, name := range compactNames {
		headers[short] = func(_ []byte, text string) (sip.Header, error) { return sip.NewHeader(name, text), nil }
	}
	p := sip.NewParser(sip.WithHeadersParsers(headers))
	p.MaxMessageLength = maxMessage
	return p
}

// errUnreadable is the error of a request that has headers but is not understood; it is answered with 400.
var errUnreadable = errors.New("the request cannot be read")

// parse reads a message. With errUnreadable the request is what could be read of it.
func (u *UserAgent) parse(data []byte) (m sip.Message, err error) {
	defer func() {
		if recover() != nil { // a fault of the parser must not end the process
			m, err = nil, errNoMessage
		}
	}()
	data = bytes.TrimLeft(data, "\r\n")
	m, err = u.parser.ParseSIP(data)
	if err == nil {
		return m, nil
	}
	if m != nil && (errors.Is(err, sip.ErrParseReadBodyIncomplete) || errors.Is(err, sip.ErrParseEOF)) {
		return m, errUnreadable
	}
	line, rest, _ := bytes.Cut(data, []byte("\r\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 3 || !strings.HasPrefix(strings.ToUpper(fields[len(fields)-1]), "SIP/") || strings.HasPrefix(strings.ToUpper(fields[0]), "SIP/") {
		return nil, err
	}
	m, _, err = u.parser.Parse(append([]byte(fields[0]+" sip:invalid.invalid SIP/2.0\r\n"), rest...), false)
	if m == nil || err != nil && !errors.Is(err, sip.ErrParseReadBodyIncomplete) {
		return nil, errNoMessage
	}
	if r, ok := m.(*sip.Request); ok && len(fields) == 3 && err == nil {
		if scheme, _, found := strings.Cut(fields[1], ":"); found && otherScheme.MatchString(scheme) {
			r.Recipient = sip.Uri{Scheme: strings.ToLower(scheme)} // sipgo reads letters only
			return r, nil
		}
	}
	return m, errUnreadable
}

// otherScheme is that of a URI which is none of SIP.
var otherScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*[0-9+.-][A-Za-z0-9+.-]*$`)
