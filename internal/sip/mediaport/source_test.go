package mediaport

import (
	"net/netip"
	"testing"

	"parley/internal/sip/negotiation"
)

// attempt is a packet of a stream, and whether it is accepted.
type attempt struct {
	from string
	ok   bool
}

// RTP is accepted from one source: the negotiated address, or the first port of its host, or any host if it may be behind a
// NAT.
func TestOneSource(t *testing.T) {
	for name, test := range map[string]struct {
		remote   string
		attempts []attempt
	}{
		"the address in the description": {"198.51.100.1:4000", []attempt{{"198.51.100.1:4000", true}, {"198.51.100.1:5000", false}, {"203.0.113.1:4000", false}}},
		"another port of its host":       {"198.51.100.1:4000", []attempt{{"198.51.100.1:5000", true}, {"198.51.100.1:5001", false}, {"198.51.100.1:4000", true}, {"198.51.100.1:5000", false}}},
		"another host":                   {"198.51.100.1:4000", []attempt{{"203.0.113.1:4000", false}, {"198.51.100.1:4000", true}}},
		"behind a NAT":                   {"10.0.0.1:4000", []attempt{{"203.0.113.1:9000", true}, {"203.0.113.2:9000", false}, {"203.0.113.1:9001", false}, {"203.0.113.1:9000", true}}},
		"mapped":                         {"198.51.100.1:4000", []attempt{{"[::ffff:198.51.100.1]:4000", true}}},
		"IPv6":                           {"[2001:db8::1]:4000", []attempt{{"[2001:db8::1]:4000", true}, {"[2001:db8::2]:4000", false}}},
		"no address":                     {"0.0.0.0:4000", []attempt{{"203.0.113.1:9000", false}, {"0.0.0.0:4000", false}}},
	} {
		s := &source{mayBeNATed: netip.Addr.IsPrivate, streams: map[uint32]struct{}{}}
		s.negotiate(negotiation.Stream{Remote: netip.MustParseAddrPort(test.remote)})
		for _, a := range test.attempts {
			from := netip.MustParseAddrPort(a.from)
			ok := s.admits(from) && s.pin(from, 7)
			if ok != a.ok {
				t.Errorf("%s: packet from %s: %v", name, a.from, ok)
			}
			if to, _ := s.target(); ok && to != unmap(from) {
				t.Errorf("%s: audio goes to %v", name, to)
			}
		}
	}
}

// The source is learned anew when the description changes; hold keeps it.
func TestSourceOverNegotiations(t *testing.T) {
	s := &source{mayBeNATed: netip.Addr.IsPrivate, streams: map[uint32]struct{}{}}
	inside, outside, moved := netip.MustParseAddrPort("10.0.0.1:4000"), netip.MustParseAddrPort("203.0.113.1:9000"), netip.MustParseAddrPort("203.0.113.9:9")
	negotiate := func(remote netip.AddrPort) { s.negotiate(negotiation.Stream{Remote: remote}) }
	negotiate(inside)
	if to, ok := s.target(); !ok || to != inside {
		t.Errorf("before the first packet: to %v, %v", to, ok)
	}
	s.pin(outside, 1)
	negotiate(nowhereRTP)
	if to, ok := s.target(); ok {
		t.Errorf("on hold: to %v", to)
	}
	negotiate(inside)
	if to, ok := s.target(); !ok || to != outside {
		t.Errorf("resumed: to %v, %v", to, ok)
	}
	if s.admits(moved) {
		t.Error("a packet of another source is accepted")
	}
	negotiate(netip.MustParseAddrPort("10.0.0.1:4002"))
	if !s.admits(moved) {
		t.Error("a packet of a new source is not accepted after a new description")
	}
}

// A call has a limited number of streams.
func TestStreamsAreLimited(t *testing.T) {
	s := &source{streams: map[uint32]struct{}{}}
	for i := range uint32(maxStreams) {
		if !s.pin(peerRTP, i) {
			t.Fatalf("stream %d is not accepted", i)
		}
	}
	if s.pin(peerRTP, maxStreams) {
		t.Error("one more stream is accepted")
	}
	if !s.pin(peerRTP, 3) {
		t.Error("a known stream is not accepted")
	}
}

// RTCP goes to the negotiated address, or where it comes from.
func TestSourceOfReports(t *testing.T) {
	s := &source{mayBeNATed: netip.Addr.IsPrivate, streams: map[uint32]struct{}{}}
	s.negotiate(negotiation.Stream{Remote: peerRTP, Control: peerRTCP})
	other, stranger := netip.AddrPortFrom(peerRTP.Addr(), 5555), netip.MustParseAddrPort("203.0.113.1:9000")
	if to, ok := s.controlTarget(); !ok || to != peerRTCP {
		t.Errorf("to %v, %v", to, ok)
	}
	if s.admitsControl(stranger) || !s.admitsControl(other) {
		t.Error("RTCP is accepted from another host, or not from another port")
	}
	s.pinControl(other)
	if to, ok := s.controlTarget(); !ok || to != other {
		t.Errorf("to %v, %v", to, ok)
	}
	s.negotiate(negotiation.Stream{Remote: netip.MustParseAddrPort("10.0.0.1:4000"), Control: netip.MustParseAddrPort("10.0.0.1:4001")})
	s.pin(stranger, 1)
	if to, ok := s.controlTarget(); ok {
		t.Errorf("to %v, inside a NAT", to)
	}
	if !s.admitsControl(netip.AddrPortFrom(stranger.Addr(), 9001)) {
		t.Error("RTCP of the host that RTP comes from is not accepted")
	}
}
