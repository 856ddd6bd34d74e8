// Package negotiation is the offer/answer model of SDP (RFC 3264, RFC 6337) for the one audio stream of a phone call.
package negotiation

import (
	"net/netip"
	"time"
)

// Stream is the audio stream that both sides have agreed on. It is a value: each completed exchange of offer and answer
// returns a new one.
type Stream struct {
	Codec       Codec
	PayloadType uint8 // of the codec, in packets that this side sends
	// ReceivePayloadType is that in packets of the other side. It differs if the answer to an offer of this side numbers the
	// codec anew (RFC 3264 5.1).
	ReceivePayloadType uint8

	EventPayloadType        uint8 // of telephone-event (RFC 4733); 0 if it was not agreed on
	ReceiveEventPayloadType uint8 // as ReceivePayloadType
	EventClockRate          int   // in Hz: 8000 or 48000

	ComfortNoise bool // the other side sends and takes comfort noise (RFC 3389, payload type 13)

	PacketTime time.Duration // of packets that this side sends: 10 to 60 ms

	// Remote is where RTP is sent, and Control where RTCP is. They are zero if the other side named no address (c=0.0.0.0).
	Remote, Control netip.AddrPort
	Multiplexed     bool // RTCP arrives on the port of RTP (RFC 5761)

	Sends, Receives bool // directions of this side; neither while the call is on hold with a=inactive

	LocalKey, RemoteKey *Key // of SRTP (RFC 4568); nil for plain RTP
}

// Held reports whether the other side has put the call on hold: it does not take this side's audio.
func (s Stream) Held() bool { return !s.Sends }

// Codec is an audio codec by its name in SDP.
type Codec string

// The codecs that Parley speaks on the phone.
const (
	PCMU Codec = "PCMU"
	PCMA Codec = "PCMA"
	G722 Codec = "G722"
	Opus Codec = "opus"
)

// ClockRate returns the rate of the codec's RTP timestamps in Hz. G.722's is 8000, although it samples at 16 kHz
// (RFC 3551 4.5.2).
func (c Codec) ClockRate() int {
	if c == Opus {
		return 48000
	}
	return 8000
}

// SampleRate returns the rate in Hz at which the codec's audio is taken and given.
func (c Codec) SampleRate() int {
	switch c {
	case Opus, G722:
		return 16000
	}
	return 8000
}

// Key is a master key of SRTP (RFC 3711) with its profile's name in a=crypto (RFC 4568).
type Key struct {
	Tag    int
	Suite  string // such as AES_CM_128_HMAC_SHA1_80
	Secret []byte // master key and salt, concatenated
	// Identifier is the master key identifier (MKI) that the packets of this key carry; nil for none.
	Identifier []byte
}
