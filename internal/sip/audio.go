package sip

import (
	"encoding/binary"
	"net"
	"net/netip"
	"sync"

	"github.com/livekit/media-sdk/rtp"
	"github.com/livekit/mediatransportutil/pkg/rtcconfig"
	"github.com/livekit/protocol/logger"
	lksip "github.com/livekit/sip/pkg/sip"
)

// maxStreams bounds the RTP streams (SSRC) of a call: LiveKit keeps a goroutine for each until the call is over.
const maxStreams = 64

// rtpHeader is the least length of an RTP packet (RFC 3550 5.1).
const rtpHeader = 12

// audioSocket is the UDP socket of a call's audio. It takes packets of one source: the address that the session
// description names, or else the first port of the same host that sends one; a source behind a NAT is only known by
// its packets. The source is fixed until the description changes, and audio goes there.
type audioSocket struct {
	*net.UDPConn
	// loose says that a host named by a description may be behind a NAT, so that any other may send for it.
	loose func(netip.Addr) bool

	mu      sync.Mutex
	remote  netip.AddrPort // that the session description names
	source  netip.AddrPort // whose packets are taken; zero while none came
	streams map[uint32]bool
}

// listenAudio opens a socket on an even port (RFC 3550 11) of the address that signalling is bound to.
func (o GatewayOptions) listenAudio(ports rtcconfig.PortRange) (lksip.UDPConn, error) {
	at := netip.IPv4Unspecified()
	if o.LoopbackOnly {
		at = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	c, err := rtp.ListenUDPEvenPortRange(ports.Start, ports.End, at)
	if err != nil {
		return nil, err
	}
	return newAudioSocket(c, func(a netip.Addr) bool { return a.IsPrivate() && !o.AllowPrivateNetworks }), nil
}

func newAudioSocket(c *net.UDPConn, loose func(netip.Addr) bool) *audioSocket {
	return &audioSocket{UDPConn: c, loose: loose, streams: map[uint32]bool{}}
}

// Negotiated receives the address that the other side's session description names.
func (s *audioSocket) Negotiated(remote netip.AddrPort) {
	s.mu.Lock()
	defer s.mu.Unlock()
	remote = netip.AddrPortFrom(remote.Addr().Unmap(), remote.Port())
	if remote != s.remote {
		s.remote, s.source = remote, netip.AddrPort{}
	}
}

// ReadFromUDPAddrPort returns the next packet that is taken.
func (s *audioSocket) ReadFromUDPAddrPort(p []byte) (n int, from netip.AddrPort, err error) {
	for {
		n, from, err = s.UDPConn.ReadFromUDPAddrPort(p)
		if err != nil || s.takes(p[:n], from) {
			return n, from, err
		}
	}
}

// takes reports whether a packet is of the call.
func (s *audioSocket) takes(packet []byte, from netip.AddrPort) bool {
	if len(packet) < rtpHeader || packet[0]>>6 != 2 {
		return false
	}
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	stream := binary.BigEndian.Uint32(packet[8:])
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case from == s.source:
	case from == s.remote: // what was negotiated comes before what was guessed
	case !s.source.IsValid() && s.remote.IsValid() && (from.Addr() == s.remote.Addr() || s.loose(s.remote.Addr())):
	default:
		return false
	}
	if !s.streams[stream] {
		if len(s.streams) >= maxStreams {
			return false
		}
		s.streams[stream] = true
	}
	s.source = from
	return true
}

// WriteToUDPAddrPort sends a packet to the call's source, or to where the description says while none came. Nothing goes
// to the unspecified address, which means silence (RFC 3264 8.4).
func (s *audioSocket) WriteToUDPAddrPort(p []byte, to netip.AddrPort) (int, error) {
	s.mu.Lock()
	if s.source.IsValid() {
		to = s.source
	}
	s.mu.Unlock()
	if to.Addr().IsUnspecified() {
		return len(p), nil
	}
	return s.UDPConn.WriteToUDPAddrPort(p, to)
}

// Close keeps the port bound for a while, lest the next call hears what a peer still sends.
func (s *audioSocket) Close() error {
	go lksip.DrainPort(logger.GetDiscardLogger(), s.UDPConn, rtpDrain, rtpDrain, nil)
	return nil
}
