package mediaport

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/pion/rtp"

	"parley/internal/audio"
	"parley/internal/sip/negotiation"
)

// beginning is when the tests' virtual calls begin.
var beginning = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func streamOf(c negotiation.Codec) negotiation.Stream {
	types := map[negotiation.Codec]uint8{negotiation.PCMU: 0, negotiation.PCMA: 8, negotiation.G722: 9, negotiation.Opus: 111}
	return negotiation.Stream{Codec: c, PayloadType: types[c], PacketTime: frameTime, Sends: true, Receives: true}
}

// packet is an RTP packet that arrives some time after the beginning of a call.
type packet struct {
	at      time.Duration
	header  rtp.Header
	payload []byte
}

// phone makes the packets of audio: what a phone would send.
type phone struct {
	stream negotiation.Stream
	ptime  time.Duration
	ssrc   uint32
	seq    uint16
	ts     uint32
	at     time.Duration
}

func newPhone(c negotiation.Codec, ptime time.Duration) *phone {
	return &phone{stream: streamOf(c), ptime: ptime, ssrc: 7, seq: 65500, ts: 0xfffff000}
}

// packets encodes audio of 16 kHz.
func (p *phone) packets(t testing.TB, pcm []int16) (all []packet) {
	t.Helper()
	rate := codecRate(p.stream.Codec, 16000)
	encoder, err := newEncoder(p.stream.Codec, rate)
	if err != nil {
		t.Fatal(err)
	}
	down := audio.NewResampler(16000, rate)
	pcm = down.Flush(down.Process(pcm, nil))
	for n := samples(rate, p.ptime); len(pcm) >= n; pcm = pcm[n:] {
		payload, err := encoder.encode(pcm[:n], nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, packet{p.at, rtp.Header{Version: 2, PayloadType: p.stream.PayloadType, SequenceNumber: p.seq, Timestamp: p.ts, SSRC: p.ssrc}, payload})
		p.seq++
		p.pause(p.ptime)
	}
	return all
}

// pause lets time go by without packets.
func (p *phone) pause(d time.Duration) {
	p.ts += uint32(samples(p.stream.Codec.ClockRate(), d))
	p.at += d
}

// testReceiver is a receiver in virtual time, with what it gave out.
type testReceiver struct {
	*receiver
	now    time.Time
	frames [][]int16
	digits []Digit
}

func newTestReceiver(rate int, s negotiation.Stream) *testReceiver {
	e := &testReceiver{now: beginning}
	e.receiver = newReceiver(rate, func(pcm []int16) { e.frames = append(e.frames, slices.Clone(pcm)) }, func(d Digit) { e.digits = append(e.digits, d) })
	e.configure(e.now, s)
	return e
}

// advance lets the clock tick until some time after the beginning.
func (e *testReceiver) advance(to time.Duration) {
	for end := beginning.Add(to); e.now.Before(end); {
		e.now = e.now.Add(frameTime)
		e.tick(e.now)
	}
}

// receive handles packets in the order of their arrival, and a second more.
func (e *testReceiver) receive(packets []packet) []int16 {
	slices.SortStableFunc(packets, func(a, b packet) int { return int(a.at - b.at) })
	for _, p := range packets {
		e.advance(p.at)
		at := beginning.Add(p.at)
		if at.Before(e.now) { // between two ticks
			at = e.now
		}
		e.push(at, &p.header, p.payload)
	}
	e.advance(e.now.Sub(beginning) + time.Second)
	return slices.Concat(e.frames...)
}

// loss drops each packet with a probability.
func loss(packets []packet, part float64) (kept []packet) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, p := range packets {
		if random.Float64() >= part {
			kept = append(kept, p)
		}
	}
	return kept
}

// jitter delays each packet by up to most.
func jitter(packets []packet, most time.Duration) []packet {
	random := rand.New(rand.NewPCG(5, 6))
	packets = slices.Clone(packets)
	for i := range packets {
		packets[i].at += time.Duration(random.Int64N(int64(most)))
	}
	return packets
}

// double lets each packet arrive twice.
func double(packets []packet) (all []packet) {
	for _, p := range packets {
		all = append(all, p, p)
	}
	return all
}

// swap exchanges the arrival of each two packets.
func swap(packets []packet) []packet {
	packets = slices.Clone(packets)
	for i := 0; i+1 < len(packets); i += 2 {
		packets[i].at, packets[i+1].at = packets[i+1].at, packets[i].at
	}
	return packets
}
