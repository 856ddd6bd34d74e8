package mediaport

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/audio"
	"parley/internal/sip/negotiation"
)

// testLimit bounds how long a test waits for something.
const testLimit = 5 * time.Minute

// party is a port on the loopback interface with what it received.
type party struct {
	*Port
	mu     sync.Mutex
	pcm    []int16
	digits []Digit
}

func openParty(t testing.TB) *party {
	t.Helper()
	p := &party{}
	port, err := Open(Options{
		Ports: PortRange{20000, 60000}, LoopbackOnly: true, ReceiveRate: 16000, SendRate: 24000,
		OnFrame: func(pcm []int16) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.pcm = append(p.pcm, pcm...)
		},
		OnDigit: func(d Digit) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.digits = append(p.digits, d)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Port = port
	t.Cleanup(port.Close)
	return p
}

// connect configures two parties for each other.
func connect(t testing.TB, a, b *party, s negotiation.Stream) {
	t.Helper()
	for _, p := range [][2]*party{{a, b}, {b, a}} {
		s := s
		s.Remote, s.Control = loopbackPort(p[1].LocalPort()), loopbackPort(p[1].LocalPort()+1)
		if p[0] == b {
			s.LocalKey, s.RemoteKey = s.RemoteKey, s.LocalKey
		}
		if err := p[0].Configure(s); err != nil {
			t.Fatal(err)
		}
	}
}

func loopbackPort(port int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port))
}

// talk writes audio of 24 kHz in frames as time goes by.
func (p *party) talk(t testing.TB, pcm []int16) {
	t.Helper()
	ticker := time.NewTicker(frameTime)
	defer ticker.Stop()
	for frame := range slices.Chunk(pcm, audio.FrameLength(24000)) {
		<-ticker.C
		if err := p.Write(frame); err != nil {
			t.Fatal(err)
		}
	}
}

// await waits until something holds.
func await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testLimit); ; time.Sleep(frameTime) {
		if holds() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not come", what)
		}
	}
}

func (p *party) hasTone(freq float64) func() bool {
	return func() bool {
		const size = 3200
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.pcm) >= size && audio.Power(p.pcm[len(p.pcm)-size:], freq, 16000) > 0.9
	}
}

// Each party receives the tone of the other, with each codec, and through a change of codec.
func TestCall(t *testing.T) {
	a, b := openParty(t), openParty(t)
	for _, codec := range append(codecs, negotiation.PCMU) {
		connect(t, a, b, streamOf(codec))
		var talking sync.WaitGroup
		for freq, p := range map[float64]*party{500: a, 800: b} {
			talking.Go(func() { p.talk(t, audio.Tone(freq, 24000, time.Second)) })
		}
		await(t, "the tone of b over "+string(codec), a.hasTone(800))
		await(t, "the tone of a over "+string(codec), b.hasTone(500))
		talking.Wait()
	}
	a.Close()
	b.Close()
	if err := a.Write(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("write to a closed port: %v", err)
	}
	if err := a.Configure(streamOf(negotiation.PCMU)); !errors.Is(err, ErrClosed) {
		t.Errorf("configure a closed port: %v", err)
	}
}

// The audio chain says what goes through what.
func TestChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openFake(t)
		for _, test := range []struct {
			change func(*negotiation.Stream)
			want   string
		}{
			{func(s *negotiation.Stream) { s.EventPayloadType = 101 },
				"port 30000: RTP(0) -> Reorder(40ms to 100ms) -> PCMU(decode, 8000 Hz) -> Events(101) -> Conceal -> Resample(8000 to 16000) -> frames(16000 Hz); " +
					"frames(24000 Hz) -> Resample(24000 to 8000) -> PCMU(encode, 8000 Hz) -> RTP(0, 20ms)"},
			{func(s *negotiation.Stream) {
				s.LocalKey, s.RemoteKey = newKey(t, "AES_CM_128_HMAC_SHA1_80"), newKey(t, "AES_CM_128_HMAC_SHA1_80")
			},
				"port 30000: SRTP -> RTP(0) -> Reorder(40ms to 100ms) -> PCMU(decode, 8000 Hz) -> Tones -> Conceal -> Resample(8000 to 16000) -> frames(16000 Hz); " +
					"frames(24000 Hz) -> Resample(24000 to 8000) -> PCMU(encode, 8000 Hz) -> RTP(0, 20ms) -> SRTP"},
			{func(s *negotiation.Stream) {
				s.Codec, s.PayloadType, s.PacketTime = negotiation.Opus, 111, 60*time.Millisecond
			},
				"port 30000: RTP(111) -> Reorder(40ms to 100ms) -> opus(decode, 16000 Hz) -> Tones -> frames(16000 Hz); frames(24000 Hz) -> opus(encode, 24000 Hz) -> RTP(111, 60ms)"},
			{func(s *negotiation.Stream) { s.Sends, s.Receives = false, false }, "port 30000: nothing received; nothing sent"},
		} {
			s := streamOf(negotiation.PCMU)
			test.change(&s)
			p.configure(t, s)
			if got := p.String(); got != test.want {
				t.Errorf("%s\nwant\n%s", got, test.want)
			}
		}
	})
}

// A closed port stays bound for a while, without a goroutine, and may be closed again; one that was never configured, too.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, configured := range []bool{true, false} {
			p := openFake(t)
			if configured {
				p.configure(t, streamOf(negotiation.PCMU))
			}
			p.Close()
			p.Close()
			for _, want := range []bool{false, true} {
				time.Sleep(drainTime * 3 / 5)
				for _, c := range []*fakeConn{p.media, p.control} {
					c.mu.Lock()
					if c.closed != want {
						t.Errorf("configured %v: closed %v, want %v", configured, c.closed, want)
					}
					c.mu.Unlock()
				}
			}
		}
	})
}

// Ports come in pairs of an even and an odd one, each pair once, until none is left.
func TestPorts(t *testing.T) {
	options := Options{LoopbackOnly: true, ReceiveRate: 16000, SendRate: 24000, OnFrame: func([]int16) {}}
	for first := 30001; ; first += 100 { // where another program has none
		options.Ports = PortRange{first, first + 6}
		var seen []int
		for range 4 {
			if p, err := Open(options); err == nil {
				seen = append(seen, p.LocalPort())
				t.Cleanup(p.Close)
			} else if len(seen) == 3 && strings.Contains(err.Error(), "in use") {
				slices.Sort(seen)
				if !slices.Equal(seen, []int{first + 1, first + 3, first + 5}) {
					t.Errorf("ports %v of %d to %d", seen, first, first+6)
				}
				return
			}
		}
		if first > 60000 {
			t.Fatal("no three pairs of ports are free")
		}
	}
}

func TestUnusableOptions(t *testing.T) {
	frames := func([]int16) {}
	for want, o := range map[string]Options{
		"44100 Hz":       {ReceiveRate: 16000, SendRate: 44100, OnFrame: frames},
		"0 Hz":           {SendRate: 16000, OnFrame: frames},
		"no OnFrame":     {ReceiveRate: 16000, SendRate: 16000},
		"30001 to 30001": {ReceiveRate: 16000, SendRate: 16000, OnFrame: frames, Ports: PortRange{30001, 30001}},
	} {
		if _, err := Open(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
