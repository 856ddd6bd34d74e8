package negotiation

import (
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Bounds on what is read of the other side's description.
const (
	maxDescription = 64 << 10 // bytes
	maxMedia       = 32       // m= lines
	maxFormats     = 64       // of an m= line
)

// description is what a session description (RFC 8866) says that matters here. It is read line by line, in any order and
// with any line ends, because peers send lines where the grammar has no place for them, which pion/sdp refuses.
type description struct {
	section // of the session
	media   []media
}

// section is what the session and each of its media may both say.
type section struct {
	connection string // address of c=, without the family; "" if there is none
	attributes []attribute
}

type attribute struct{ name, value string }

// media is an m= line and what follows it.
type media struct {
	section
	kind, profile string
	port          int
	formats       []string
}

// parse reads a description. The error is a Refusal.
func parse(body []byte) (d description, err error) {
	if len(body) > maxDescription {
		return d, malformed("The session description is too large.")
	}
	current, begun := &d.section, false
	for line := range strings.FieldsFuncSeq(string(body), func(r rune) bool { return r == '\r' || r == '\n' }) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		key, value, found := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !found || len(key) != 1:
			return d, malformed("A line of the session description has no type.")
		case !begun && key != "v":
			return d, malformed("The session description does not begin with v=0.")
		case key == "v":
			if begun || value != "0" {
				return d, malformed("The session description is not of version 0.")
			}
			begun = true
		case key == "c":
			if fields := strings.Fields(value); len(fields) == 3 && current.connection == "" {
				current.connection, _, _ = strings.Cut(fields[2], "/") // without a multicast TTL
			}
		case key == "a":
			name, value, _ := strings.Cut(value, ":")
			current.attributes = append(current.attributes, attribute{strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)})
		case key == "m":
			m, err := parseMedia(value)
			if err != nil || len(d.media) == maxMedia {
				return d, malformed("An m= line of the session description cannot be read, or there are too many.")
			}
			d.media = append(d.media, m)
			current = &d.media[len(d.media)-1].section
		}
	}
	if !begun {
		return d, malformed("The session description is empty.")
	}
	return d, nil
}

func parseMedia(value string) (m media, err error) {
	fields := strings.Fields(value)
	if len(fields) < 3 || len(fields)-3 > maxFormats {
		return m, malformed("An m= line has too few or too many fields.")
	}
	port, _, _ := strings.Cut(fields[1], "/")
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return m, err
	}
	return media{kind: strings.ToLower(fields[0]), port: int(n), profile: fields[2], formats: fields[3:]}, nil
}

// value returns an attribute of the medium, or else of the session.
func (d description) value(m media, name string) (value string, ok bool) {
	for _, s := range []section{m.section, d.section} {
		for _, a := range s.attributes {
			if a.name == name {
				return a.value, true
			}
		}
	}
	return "", false
}

// direction returns what the other side does: its attribute, by default sendrecv, less receiving without an address, which was
// the way to hold a call in RFC 2543.
func (d description) direction(m media) direction {
	found := sendrecv
search:
	for _, s := range []section{m.section, d.section} {
		for _, a := range s.attributes {
			if way, ok := directions[a.name]; ok {
				found = way
				break search
			}
		}
	}
	address, err := netip.ParseAddr(d.host(m))
	if err != nil || !address.IsUnspecified() {
		return found
	}
	if found == sendrecv {
		return inactive
	}
	return direction{sends: found.sends}
}

// host returns the address that the medium is received at.
func (d description) host(m media) string {
	if m.connection != "" {
		return m.connection
	}
	return d.connection
}

// packetTime returns how long the packets are that the other side wants to receive, within 10 to 60 ms.
func (d description) packetTime(m media, codec Codec, usual time.Duration) time.Duration {
	wanted := usual
	if t := d.milliseconds(m, "ptime"); t > 0 {
		wanted = t
	}
	if longest := d.milliseconds(m, "maxptime"); longest > 0 {
		wanted = min(wanted, longest)
	}
	wanted = max(min(wanted, maxPacketTime).Truncate(minPacketTime), minPacketTime)
	if codec == Opus && wanted%(20*time.Millisecond) != 0 { // RFC 6716 2.1.4: no frames of 30 or 50 ms
		wanted = max(wanted.Truncate(20*time.Millisecond), minPacketTime)
	}
	return wanted
}

func (d description) milliseconds(m media, name string) time.Duration {
	value, _ := d.value(m, name)
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n >= 1 && n <= 1000) {
		return 0
	}
	return time.Duration(n * float64(time.Millisecond))
}

// direction is the flow of audio as one side sees it.
type direction struct{ sends, receives bool }

var (
	sendrecv = direction{true, true}
	inactive = direction{}

	directions = map[string]direction{"sendrecv": sendrecv, "sendonly": {sends: true}, "recvonly": {receives: true}, "inactive": inactive}
)

// reversed is the direction as the other side sees it.
func (d direction) reversed() direction { return direction{d.receives, d.sends} }

func (d direction) and(e direction) direction {
	return direction{d.sends && e.sends, d.receives && e.receives}
}

func (d direction) String() string {
	for name, way := range directions {
		if way == d {
			return name
		}
	}
	return ""
}
