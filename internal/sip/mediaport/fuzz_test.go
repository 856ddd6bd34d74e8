package mediaport

import (
	"net/netip"
	"testing"
	"time"

	"parley/internal/sip/negotiation"
)

// openQuiet returns a port in virtual time whose packets are given to it by hand.
func openQuiet(t testing.TB, s negotiation.Stream) *Port {
	t.Helper()
	p := newPort(Options{ReceiveRate: 16000, SendRate: 16000, OnFrame: func([]int16) {}}, newFakeConn(), newFakeConn(), 30000)
	s.Remote, s.Control = peerRTP, peerRTCP
	p.source.negotiate(s)
	if err := p.configureReceiving(s); err != nil {
		t.Fatal(err)
	}
	return p
}

// Whatever arrives, nothing fails and nothing grows.
func FuzzPackets(f *testing.F) {
	f.Add(rtpPacket(f, 7, 1), uint8(0))
	f.Add([]byte{0x80, 200, 0, 6, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, uint8(1))
	f.Add([]byte{0x80, 101, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 5, 0x80, 0, 100}, uint8(2))
	f.Add([]byte{0xbf, 13, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 5}, uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, configuration uint8) {
		s := streamOf(codecs[int(configuration)%len(codecs)])
		s.Multiplexed = configuration&4 != 0
		if configuration&8 != 0 {
			s.EventPayloadType, s.EventClockRate = 101, 8000
		}
		if configuration&16 != 0 {
			s.RemoteKey = newKey(t, "AES_CM_128_HMAC_SHA1_80")
		}
		p := openQuiet(t, s)
		now := beginning
		for i := 0; i < len(data); i += 64 { // a packet, and its pieces
			for _, from := range []netip.AddrPort{peerRTP, peerRTCP} {
				now = now.Add(10 * time.Millisecond)
				p.handleMedia(now, data[i:], from)
				p.handleControl(now, data[i:], from, from == peerRTP)
				p.receive.tick(now)
			}
		}
		if n := len(p.source.streams); n > maxStreams {
			t.Errorf("%d streams", n)
		}
		if n := len(p.receive.tail); n >= 320 {
			t.Errorf("%d samples wait", n)
		}
	})
}

// A flood of packets of all kinds costs no memory that grows with it.
func TestFloodsDoNotGrow(t *testing.T) {
	s := streamOf(negotiation.PCMU)
	s.EventPayloadType, s.EventClockRate = 101, 8000
	p := openQuiet(t, s)
	flood := func() {
		packet := rtpPacket(t, 7, 0)
		for i := range 20000 {
			packet[1] = [...]byte{0, 8, 9, 13, 101, 77}[i%6]
			packet[2], packet[3] = byte(i>>3), byte(i*7)
			packet[5], packet[6] = byte(i>>5), byte(i*13)
			packet[9], packet[11] = byte(i>>9), byte(i>>4)
			p.handleMedia(beginning.Add(time.Duration(i)*time.Millisecond), packet, peerRTP)
		}
	}
	flood()
	held := func() int { return cap(p.receive.tail) + cap(p.receive.spare[0]) + cap(p.receive.spare[1]) }
	before := held()
	for range 3 {
		flood()
	}
	if after := held(); after > before {
		t.Errorf("buffers of %d samples grow to %d", before, after)
	}
	if n := len(p.source.streams); n > maxStreams {
		t.Errorf("%d streams", n)
	}
}
