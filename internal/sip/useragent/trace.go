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
	Time      time.Time
	CallID    string // the header's
	Sent      bool
	Transport string
	Peer      netip.AddrPort
	StartLine string
	Message   string // complete, with credentials and media keys masked
}

var (
	credentialLines = regexp.MustCompile(`(?im)^((?:Proxy-)?Authorization[ \t]*:).*?(\r?)$`)
	keyLines        = regexp.MustCompile(`(?im)^(a=crypto:[^\r\n]*?inline:)[^\r\n|]*`)
)

func (u *UserAgent) trace(m sip.Message, f *flow, sent bool) {
	if u.options.OnTrace == nil {
		return
	}
	e := TraceEntry{Time: time.Now(), Sent: sent, Transport: f.transport, Peer: f.peer, Message: mask(m.String())}
	if id := m.CallID(); id != nil {
		e.CallID = id.Value()
	}
	e.StartLine, _, _ = strings.Cut(e.Message, "\r\n")
	u.options.OnTrace(e)
}

// mask replaces the values of credentials and of keys in session descriptions.
func mask(message string) string {
	return keyLines.ReplaceAllString(credentialLines.ReplaceAllString(message, "$1 ***$2"), "$1***")
}
