package mediaport

import (
	"errors"
	"net/netip"
	"slices"
	"sync"
	"testing"
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

// await waits until something holds for what a party received.
func (p *party) await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testLimit); ; time.Sleep(frameTime) {
		p.mu.Lock()
		done := holds()
		p.mu.Unlock()
		if done {
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
		a.await(t, "the tone of b over "+string(codec), a.hasTone(800))
		b.await(t, "the tone of a over "+string(codec), b.hasTone(500))
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
