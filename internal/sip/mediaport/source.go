package mediaport

import (
	"net/netip"
	"sync"

	"parley/internal/sip/negotiation"
)

// maxStreams limits the RTP streams (SSRC) of a call.
const maxStreams = 64

// source decides which packets belong to the call, and where packets are sent. RTP is accepted from one source: the
// address in the session description, or else the first port of the same host that sends a valid packet, because a source
// behind a NAT is only known by its packets. The source stays fixed until the description changes; audio is sent to it.
type source struct {
	// mayBeNATed reports whether the host in a description may be behind a NAT, so that packets from any host are
	// accepted for it.
	mayBeNATed func(netip.Addr) bool

	mu             sync.Mutex
	held           bool           // the description names no address
	remote         netip.AddrPort // from the last session description that named one
	learned        netip.AddrPort // of accepted packets; zero before the first
	control        netip.AddrPort // of RTCP, as remote
	learnedControl netip.AddrPort
	streams        map[uint32]struct{}
}

func unmap(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// negotiate sets the addresses of the other side's session description. One without an address (c=0.0.0.0) keeps the
// source, for the time when the call is resumed.
func (s *source) negotiate(stream negotiation.Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	remote, control := unmap(stream.Remote), unmap(stream.Control)
	if s.held = !usable(remote); s.held {
		return
	}
	if remote != s.remote {
		s.remote, s.learned = remote, netip.AddrPort{}
		s.learnedControl = netip.AddrPort{}
	}
	if control != s.control {
		s.control, s.learnedControl = control, netip.AddrPort{}
	}
}

func usable(a netip.AddrPort) bool { return a.IsValid() && a.Port() != 0 && !a.Addr().IsUnspecified() }

// admits reports whether RTP of this address may belong to the call.
func (s *source) admits(from netip.AddrPort) bool {
	from = unmap(from)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case from == s.learned:
	case from == s.remote: // the negotiated address has priority over a learned one
	case !s.learned.IsValid() && s.remote.IsValid() && (from.Addr() == s.remote.Addr() || s.mayBeNATed(s.remote.Addr())):
	default:
		return false
	}
	return true
}

// pin makes the address of a valid packet the source of the call. It reports false for the first packet of a stream more
// than a call may have.
func (s *source) pin(from netip.AddrPort, ssrc uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.streams[ssrc]; !known {
		if len(s.streams) >= maxStreams {
			return false
		}
		s.streams[ssrc] = struct{}{}
	}
	s.learned = unmap(from)
	return true
}

// admitsControl is like admits, for RTCP on its own port: it may also come from the host that RTP comes from.
func (s *source) admitsControl(from netip.AddrPort) bool {
	from = unmap(from)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case from == s.learnedControl, from == s.control:
	case s.learnedControl.IsValid() || !s.remote.IsValid():
		return false
	case from.Addr() == s.control.Addr(), s.learned.IsValid() && from.Addr() == s.learned.Addr():
	default:
		return false
	}
	return true
}

func (s *source) pinControl(from netip.AddrPort) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.learnedControl = unmap(from)
}

// target returns where RTP is sent: to the source, or to the address in the description before any packet arrived. It is
// false where the description names no address, which means hold (RFC 3264 8.4).
func (s *source) target() (netip.AddrPort, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.learned.IsValid() {
		return s.learned, !s.held
	}
	return s.remote, !s.held && s.remote.IsValid()
}

// controlTarget is like target, for RTCP on its own port. A peer behind a NAT that has sent no RTCP has no address for it.
func (s *source) controlTarget() (netip.AddrPort, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.learnedControl.IsValid():
		return s.learnedControl, true
	case !usable(s.control), s.learned.IsValid() && s.learned.Addr() != s.control.Addr():
		return netip.AddrPort{}, false
	}
	return s.control, true
}
