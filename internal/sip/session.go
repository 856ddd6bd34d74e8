package sip

import (
	"bytes"
	"net/netip"
)

// guardSession returns a session description (RFC 8866) in which every address that is not permitted
// is replaced by the message's source: in connections (c=) and in the origin (o=), which LiveKit uses without one.
// The audio socket finds a port behind a NAT by its first packet.
func guardSession(body []byte, source netip.Addr, permits func(netip.Addr) bool) []byte {
	isPermitted := func(field []byte) bool {
		named, _, _ := bytes.Cut(field, []byte("/")) // a multicast TTL
		address, err := netip.ParseAddr(string(named))
		return err == nil && !address.IsMulticast() && (address == source || address.IsUnspecified() || permits(address))
	}
	named := "IN IP4 " + source.String()
	if source.Is6() {
		named = "IN IP6 " + source.String()
	}
	var guarded []byte
	for line := range bytes.FieldsFuncSeq(body, func(r rune) bool { return r == '\r' || r == '\n' }) {
		fields := bytes.Fields(line)
		switch last := len(fields) - 1; {
		case bytes.HasPrefix(line, []byte("c=")) && (last != 2 || !isPermitted(fields[last])):
			line = []byte("c=" + named)
		case bytes.HasPrefix(line, []byte("o=")) && last != 5:
			line = []byte("o=- 0 0 " + named)
		case bytes.HasPrefix(line, []byte("o=")) && !isPermitted(fields[last]):
			line = bytes.Join(append(append([][]byte{}, fields[:3]...), []byte(named)), []byte(" "))
		}
		guarded = append(append(guarded, line...), "\r\n"...)
	}
	return guarded
}

// accepts reports whether the audio in a session description matches the trunk's encryption setting. LiveKit
// answers the first audio stream, in plain RTP unless it encrypts. A description without audio is left to LiveKit.
func (e MediaEncryption) accepts(body []byte) bool {
	audio, secured, keys := false, false, false
	for line := range bytes.FieldsFuncSeq(body, func(r rune) bool { return r == '\r' || r == '\n' }) {
		switch fields := bytes.Fields(line); {
		case audio && bytes.HasPrefix(line, []byte("m=")):
			return e.acceptsStream(secured, keys)
		case len(fields) > 2 && string(fields[0]) == "m=audio":
			audio, secured = true, bytes.Contains(fields[2], []byte("SAVP")) // RFC 3711, RFC 5124
		case audio && bytes.HasPrefix(line, []byte("a=crypto:")): // RFC 4568
			keys = true
		}
	}
	return !audio || e.acceptsStream(secured, keys)
}

// acceptsStream decides on a stream by its profile (secured) and its keys.
func (e MediaEncryption) acceptsStream(secured, keys bool) bool {
	switch e {
	case EncryptionRequire:
		return keys
	case EncryptionAllow:
		return keys || !secured
	}
	return !secured
}
