package sip

import (
	"bytes"
	"net/netip"
)

// guardSession returns a session description (RFC 8866) in which every address that is not permitted, or is no IPv4
// address, is replaced by the one that the message came from: those of connections (c=), and the origin's (o=), which LiveKit
// takes without any. An audio socket finds the port behind a NAT by the first packet.
func guardSession(body []byte, source netip.Addr, permits func(netip.Addr) bool) []byte {
	good := func(field []byte) bool {
		named, _, _ := bytes.Cut(field, []byte("/")) // a TTL, of multicast
		address, err := netip.ParseAddr(string(named))
		return err == nil && address.Is4() && !address.IsMulticast() && (address == source || address.IsUnspecified() || permits(address))
	}
	var guarded []byte
	for line := range bytes.FieldsFuncSeq(body, func(r rune) bool { return r == '\r' || r == '\n' }) {
		fields := bytes.Fields(line)
		switch last := len(fields) - 1; {
		case bytes.HasPrefix(line, []byte("c=")) && (last != 2 || !good(fields[last])):
			line = []byte("c=IN IP4 " + source.String())
		case bytes.HasPrefix(line, []byte("o=")) && last != 5:
			line = []byte("o=- 0 0 IN IP4 " + source.String())
		case bytes.HasPrefix(line, []byte("o=")) && !good(fields[last]):
			line = bytes.Join(append(append([][]byte{}, fields[:3]...), []byte("IN IP4 "+source.String())), []byte(" "))
		}
		guarded = append(append(guarded, line...), "\r\n"...)
	}
	return guarded
}
