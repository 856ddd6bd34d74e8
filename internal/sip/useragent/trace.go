package useragent

import (
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"
)

// TraceEntry is a message that was sent or received.
type TraceEntry struct {
	Time           time.Time
	CallID         string // the header's
	FromTag, ToTag string
	Sent           bool
	Transport      string
	Peer           netip.AddrPort
	StartLine      string
	Message        string // complete, with secrets and pressed keys masked
}

func (u *UserAgent) trace(m sip.Message, f *flow, sent bool) {
	if u.options.OnTrace == nil {
		return
	}
	e := TraceEntry{Time: time.Now(), Sent: sent, Transport: f.transport, Peer: f.peer, Message: mask(m)}
	if id := m.CallID(); id != nil {
		e.CallID = id.Value()
	}
	if from := m.From(); from != nil {
		e.FromTag = tag(from.Params)
	}
	if to := m.To(); to != nil {
		e.ToTag = tag(to.Params)
	}
	e.StartLine, _, _ = strings.Cut(e.Message, "\r\n")
	u.options.OnTrace(e)
}

// masks replace what is secret in a message.
var masks = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?im)^((?:Proxy-)?Authorization|(?:Proxy-)?Authentication-Info)[ \t]*:[^\r\n]*(?:\r\n[ \t][^\r\n]*)*`), "$1: ***"},
	{regexp.MustCompile(`(?i)\b(nonce|cnonce|nextnonce|opaque|response|rspauth)([ \t]*=[ \t]*)(?:"[^"\r\n]*"|[^",;\s]+)`), `$1$2"***"`}, // of a challenge
	{regexp.MustCompile(`(?i)(sips?:[^@:;>\s]*):[^@>\s]*@`), "$1:***@"},                                                                 // password of a URI
	{regexp.MustCompile(`(?i)(inline:)[^|;\s]+`), "$1***"},                                                                              // SRTP key (RFC 4568)
	{regexp.MustCompile(`(?im)^(k=|a=key-mgmt:|a=ice-pwd:)[^\r\n]*`), "$1***"},
}

// keyBodies are the content types of messages with keys that are pressed.
var keyBodies = regexp.MustCompile(`(?i)dtmf|telephone-event|kpml|digits`)

// mask returns a message without credentials, media keys and the keys that are pressed in it.
func mask(m sip.Message) string {
	text := m.String()
	if head, body, _ := strings.Cut(text, "\r\n\r\n"); body != "" && hasKeys(m) {
		text = head + "\r\n\r\n***"
	}
	for _, each := range masks {
		text = each.what.ReplaceAllString(text, each.with)
	}
	return text
}

// hasKeys reports whether the body of a message may be keys that are pressed: in INFO, whatever is no session description.
func hasKeys(m sip.Message) bool {
	kind := ""
	if hs := m.GetHeaders("Content-Type"); len(hs) > 0 {
		kind = hs[0].Value()
	}
	r, isRequest := m.(*sip.Request)
	return keyBodies.MatchString(kind) || isRequest && r.Method == sip.INFO && !strings.HasPrefix(strings.ToLower(kind), "application/sdp")
}
