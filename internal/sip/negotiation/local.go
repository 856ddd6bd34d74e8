package negotiation

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// local is a description of this side.
type local struct {
	version     uint64 // of o=; 0 for no description
	lines       []line // all m= lines of the session
	audio       int    // the line that is used; the others have port 0
	formats     []format
	direction   direction
	held        bool // by this side, as the direction says
	packetTime  time.Duration
	keys        []*Key
	multiplexed bool
}

// line is an m= line. Its formats are those of the other side, for lines that are not used.
type line struct {
	kind, profile string
	formats       []string
}

// formats are those that an answer names.
func (c choice) formats() []format {
	formats := []format{c.payload}
	if c.events {
		formats = append(formats, c.event)
	}
	if c.noiseFilled {
		formats = append(formats, static[3])
	}
	return formats
}

// has reports whether a format's encoding is in the description.
func (l local) has(f format) bool {
	return slices.ContainsFunc(l.formats, func(own format) bool { return own.same(f) })
}

// payload returns the description's payload type for a format's encoding.
func (l local) payload(f format) uint8 {
	at := slices.IndexFunc(l.formats, func(own format) bool { return own.same(f) })
	return l.formats[at].payload
}

// same reports whether two formats have the same encoding.
func (f format) same(g format) bool {
	return f.codec() != "" && f.codec() == g.codec() || f.name == g.name && f.rate == g.rate
}

// equal reports whether two descriptions are the same but for their versions.
func (l local) equal(m local) bool {
	return l.body(netip.AddrPort{}) == m.body(netip.AddrPort{})
}

// render writes the description with a session's id.
func (l local) render(id uint64, at netip.AddrPort) []byte {
	return fmt.Appendf(nil, "v=0\r\no=- %d %d %s\r\n%s", id, l.version, connection(at.Addr()), l.body(at))
}

// connection is an address as o= and c= name it.
func connection(a netip.Addr) string {
	if a.Is6() {
		return "IN IP6 " + a.String()
	}
	return "IN IP4 " + a.String()
}

// body writes what follows the origin.
func (l local) body(at netip.AddrPort) string {
	var b strings.Builder
	fmt.Fprintf(&b, "s=-\r\nc=%s\r\nt=0 0\r\n", connection(at.Addr()))
	for i, m := range l.lines {
		if i != l.audio {
			fmt.Fprintf(&b, "m=%s 0 %s %s\r\n", m.kind, m.profile, strings.Join(m.formats, " "))
			continue
		}
		l.writeAudio(&b, m, at.Port())
	}
	return b.String()
}

func (l local) writeAudio(b *strings.Builder, m line, port uint16) {
	payloads := make([]string, len(l.formats))
	for i, f := range l.formats {
		payloads[i] = strconv.Itoa(int(f.payload))
	}
	fmt.Fprintf(b, "m=audio %d %s %s\r\n", port, m.profile, strings.Join(payloads, " "))
	for _, k := range l.keys {
		fmt.Fprintf(b, "a=%s\r\n", k.line())
	}
	for _, f := range l.formats {
		for _, text := range f.lines() {
			fmt.Fprintf(b, "a=%s\r\n", text)
		}
	}
	fmt.Fprintf(b, "a=ptime:%d\r\n", l.packetTime.Milliseconds())
	if l.multiplexed {
		b.WriteString("a=rtcp-mux\r\n")
	}
	fmt.Fprintf(b, "a=%s\r\n", l.direction)
}

// splitControl splits the value of a=rtcp (RFC 3605) into its port and, if it has one, its address.
func splitControl(value string) (port, host string) {
	fields := strings.Fields(value)
	switch len(fields) {
	case 0:
		return "", ""
	case 4:
		return fields[0], fields[3]
	}
	return fields[0], ""
}
