package sip

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"

	"github.com/livekit/media-sdk/rtp"
	"github.com/livekit/mediatransportutil/pkg/rtcconfig"
	"github.com/livekit/protocol/logger"
	lksip "github.com/livekit/sip/pkg/sip"
)

// maxStreams limits the RTP streams (SSRC) of a call: LiveKit keeps a goroutine for each until the call ends.
const maxStreams = 64

// rtpHeader is the minimum length of an RTP packet (RFC 3550 5.1).
const rtpHeader = 12

// audioSocket is the UDP socket of a call's audio. It accepts packets from one source: the address in the session
// description, or else the first port of the same host that sends one, because a source behind a NAT is only known
// by its packets. The source stays fixed until the description changes; audio is sent to it.
type audioSocket struct {
	*net.UDPConn
	// mayBeNATed reports whether the host in a description may be behind a NAT, so that packets from any host are
	// accepted for it.
	mayBeNATed func(netip.Addr) bool

	mu      sync.Mutex
	remote  netip.AddrPort // from the session description
	source  netip.AddrPort // of accepted packets; zero before the first
	streams map[uint32]bool
}

// listenAudio opens a socket on an even port (RFC 3550 11) of the signalling address.
func (o GatewayOptions) listenAudio(ports rtcconfig.PortRange) (lksip.UDPConn, error) {
	at := netip.IPv6Unspecified() // of both families
	if o.LoopbackOnly {
		at = loopback
	}
	c, err := rtp.ListenUDPEvenPortRange(ports.Start, ports.End, at)
	if errors.Is(err, syscall.EAFNOSUPPORT) { // a machine without IPv6
		c, err = rtp.ListenUDPEvenPortRange(ports.Start, ports.End, netip.IPv4Unspecified())
	}
	if err != nil {
		return nil, err
	}
	return newAudioSocket(c, func(a netip.Addr) bool { return a.IsPrivate() && !o.AllowPrivateNetworks }), nil
}

func newAudioSocket(c *net.UDPConn, loose func(netip.Addr) bool) *audioSocket {
	return &audioSocket{UDPConn: c, mayBeNATed: loose, streams: map[uint32]bool{}}
}

// Negotiated sets the address in the other side's session description.
func (s *audioSocket) Negotiated(remote netip.AddrPort) {
	s.mu.Lock()
	defer s.mu.Unlock()
	remote = netip.AddrPortFrom(remote.Addr().Unmap(), remote.Port())
	if remote != s.remote {
		s.remote, s.source = remote, netip.AddrPort{}
	}
}

// ReadFromUDPAddrPort returns the next accepted packet.
func (s *audioSocket) ReadFromUDPAddrPort(p []byte) (n int, from netip.AddrPort, err error) {
	for {
		n, from, err = s.UDPConn.ReadFromUDPAddrPort(p)
		if err != nil || s.accepts(p[:n], from) {
			return n, from, err
		}
	}
}

// accepts reports whether a packet belongs to the call.
func (s *audioSocket) accepts(packet []byte, from netip.AddrPort) bool {
	if len(packet) < rtpHeader || packet[0]>>6 != 2 {
		return false
	}
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	stream := binary.BigEndian.Uint32(packet[8:])
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case from == s.source:
	case from == s.remote: // the negotiated address has priority over a learned one
	case !s.source.IsValid() && s.remote.IsValid() && (from.Addr() == s.remote.Addr() || s.mayBeNATed(s.remote.Addr())):
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

// WriteToUDPAddrPort sends a packet to the call's source, or to the address in the description before any packet
// arrived. Nothing is sent to the unspecified address, which means hold (RFC 3264 8.4).
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

// Close keeps the port bound for rtpDrain, so that the next call does not receive packets that a peer still sends.
func (s *audioSocket) Close() error {
	go lksip.DrainPort(logger.GetDiscardLogger(), s.UDPConn, rtpDrain, rtpDrain, nil)
	return nil
}
