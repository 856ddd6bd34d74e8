package mediaport

import (
	"net/netip"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pion/rtp"

	"parley/internal/sip/negotiation"
)

// fakeConn is a socket in virtual time.
type fakeConn struct {
	in      chan datagram
	expired chan struct{}
	once    sync.Once

	mu     sync.Mutex
	sent   []datagram
	closed bool
}

// datagram is a packet that was sent or arrives.
type datagram struct {
	at   time.Time
	data []byte
	peer netip.AddrPort
}

func newFakeConn() *fakeConn {
	return &fakeConn{in: make(chan datagram, 1000), expired: make(chan struct{})}
}

func (c *fakeConn) ReadFromUDPAddrPort(p []byte) (int, netip.AddrPort, error) {
	select {
	case d := <-c.in:
		return copy(p, d.data), d.peer, nil
	case <-c.expired:
		return 0, netip.AddrPort{}, os.ErrDeadlineExceeded
	}
}

func (c *fakeConn) WriteToUDPAddrPort(p []byte, to netip.AddrPort) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, datagram{time.Now(), slices.Clone(p), to})
	return len(p), nil
}

func (c *fakeConn) SetReadDeadline(time.Time) error {
	c.once.Do(func() { close(c.expired) })
	return nil
}

func (c *fakeConn) SetReadBuffer(int) error { return nil }

func (c *fakeConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return nil
}

// take returns what was sent since the last call.
func (c *fakeConn) take() []datagram {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.sent = nil }()
	return c.sent
}

var (
	peerRTP, peerRTCP = netip.MustParseAddrPort("192.0.2.7:4000"), netip.MustParseAddrPort("192.0.2.7:4001")
	nowhereRTP        = netip.MustParseAddrPort("0.0.0.0:4000")
)

// fakePort is a port in virtual time, for audio of 24 kHz.
type fakePort struct {
	*Port
	media, control *fakeConn
	frames         int
	digits         []Digit
}

func openFake(t testing.TB) *fakePort {
	p := &fakePort{media: newFakeConn(), control: newFakeConn()}
	p.Port = newPort(Options{
		ReceiveRate: 16000, SendRate: 24000,
		OnFrame: func([]int16) { p.frames++ },
		OnDigit: func(d Digit) { p.digits = append(p.digits, d) },
	}, p.media, p.control, 30000)
	t.Cleanup(p.Close)
	return p
}

func (p *fakePort) configure(t testing.TB, s negotiation.Stream) {
	t.Helper()
	if !s.Remote.IsValid() {
		s.Remote, s.Control = peerRTP, peerRTCP
	}
	if err := p.Configure(s); err != nil {
		t.Fatal(err)
	}
}

// parse returns the RTP packets among datagrams.
func parse(t testing.TB, sent []datagram) (packets []rtp.Packet) {
	t.Helper()
	for _, d := range sent {
		var p rtp.Packet
		if err := p.Unmarshal(d.data); err != nil {
			t.Fatal(err)
		}
		packets = append(packets, p)
	}
	return packets
}
