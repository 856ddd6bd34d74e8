package mediaport

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/sip/negotiation"
)

var codecs = []negotiation.Codec{negotiation.PCMU, negotiation.PCMA, negotiation.G722, negotiation.Opus}

// A tone arrives as this tone, and as long as it was, whatever the packets' length and order.
func TestTonesArrive(t *testing.T) {
	orders := map[string]func([]packet) []packet{
		"in order": func(p []packet) []packet { return p }, "swapped": swap, "doubled": double,
		"jitter": func(p []packet) []packet { return jitter(p, 60*time.Millisecond) },
	}
	for _, codec := range codecs {
		for _, ms := range []int{10, 20, 30, 40, 60, 80} {
			ptime := time.Duration(ms) * time.Millisecond
			if codec == negotiation.Opus && (ptime == 30*time.Millisecond || ptime == 80*time.Millisecond) {
				continue // no duration of Opus
			}
			for order, change := range orders {
				for _, rate := range []int{16000, 24000} {
					t.Run(fmt.Sprintf("%s/%v/%s/%d", codec, ptime, order, rate), func(t *testing.T) {
						p := newPhone(codec, ptime)
						e := newTestReceiver(rate, p.stream)
						pause := make([]int16, 4800)
						got := e.receive(change(p.packets(t, slices.Concat(pause, audio.Tone(440, 16000, 2400*time.Millisecond), pause))))
						start, end := sounding(got, rate)
						length := audio.Duration(end-start, rate)
						if length < 2380*time.Millisecond || length > 2440*time.Millisecond {
							t.Errorf("2.4 s of a tone came as %v", length)
						}
						if part := audio.Power(got[start+rate/10:end-rate/10], 440, rate); part < 0.95 {
							t.Errorf("the tone has %.3f of the energy", part)
						}
						if q := e.stats.direction(); q.Lost != 0 {
							t.Errorf("%d packets lost", q.Lost)
						}
						if e.stats.concealed > 0 {
							t.Errorf("%v concealed", e.stats.concealed)
						}
					})
				}
			}
		}
	}
}

// sounding returns where audio begins and ends that is louder than -40 dBFS.
func sounding(pcm []int16, rate int) (start, end int) {
	step := rate / 200
	start = -1
	for i := 0; i+step <= len(pcm); i += step {
		if audio.Level(pcm[i:i+step]) > -40 {
			if start < 0 {
				start = i
			}
			end = i + step
		}
	}
	return max(0, start), end
}

// There is a frame for each 20 ms, whatever arrives.
func TestFramesWithoutPackets(t *testing.T) {
	e := newTestReceiver(16000, streamOf(negotiation.PCMU))
	e.advance(time.Second)
	if n := len(e.frames); n < 49 || n > 50 {
		t.Errorf("%d frames in a second", n)
	}
	p := newPhone(negotiation.PCMU, frameTime)
	p.at = time.Second
	e.receive(p.packets(t, audio.Tone(440, 16000, time.Second))) // and a second more
	if n := len(e.frames); n < 145 || n > 151 {
		t.Errorf("%d frames in three seconds", n)
	}
}

// A pause of the sender without packets lasts as long as its timestamps say. What a slow network delays is not lost.
func TestPauses(t *testing.T) {
	tone := audio.Tone(440, 16000, 600*time.Millisecond)
	for name, test := range map[string]struct {
		pause time.Duration // in timestamps
		delay time.Duration // of the packets after it
		want  time.Duration // between the tones
	}{
		"of 400 ms":               {400 * time.Millisecond, 0, 400 * time.Millisecond},
		"of 3 s":                  {3 * time.Second, 0, 3 * time.Second},
		"a network of 300 ms":     {0, 300 * time.Millisecond, 200 * time.Millisecond}, // what was given out until the packets came
		"both":                    {time.Second, 150 * time.Millisecond, time.Second},
		"a jump of 100 s of time": {100 * time.Second, -99 * time.Second, 900 * time.Millisecond},
	} {
		p := newPhone(negotiation.PCMU, frameTime)
		packets := p.packets(t, tone)
		p.pause(test.pause)
		p.at += test.delay
		e := newTestReceiver(16000, p.stream)
		got := e.receive(append(packets, p.packets(t, tone)...))
		var quiet, longest int
		for i, step := 0, 80; i+step <= len(got); i += step {
			if quiet += step; audio.Level(got[i:i+step]) > -50 {
				if quiet > longest && i > 16000/2 {
					longest = quiet
				}
				quiet = 0
			}
		}
		if d := audio.Duration(longest, 16000); d < test.want-100*time.Millisecond || d > test.want+100*time.Millisecond {
			t.Errorf("%s: %v between the tones, want %v", name, d, test.want)
		}
		if q := e.stats.direction(); q.Lost > 0 || e.stats.concealed > 0 {
			t.Errorf("%s: %d lost, %v concealed", name, q.Lost, e.stats.concealed)
		}
	}
}

// A stream may begin anew at any time, with another source, sequence number or timestamp.
func TestNewBeginnings(t *testing.T) {
	for name, change := range map[string]func(*phone){
		"SSRC":                    func(p *phone) { p.ssrc = 8 },
		"SSRC, sequence and time": func(p *phone) { p.ssrc, p.seq, p.ts = 8, 100, 77 },
		"sequence":                func(p *phone) { p.seq += 30000 },
		"sequence, backwards":     func(p *phone) { p.seq -= 10000 },
		"sequence, a bit back":    func(p *phone) { p.seq -= 200 },
		"timestamp":               func(p *phone) { p.ts += 1 << 30 },
		"timestamp, backwards":    func(p *phone) { p.ts -= 1 << 20 },
	} {
		p := newPhone(negotiation.PCMA, frameTime)
		packets := p.packets(t, audio.Tone(440, 16000, time.Second))
		change(p)
		packets = append(packets, p.packets(t, audio.Tone(660, 16000, time.Second))...)
		e := newTestReceiver(16000, p.stream)
		got := e.receive(packets)
		start, end := sounding(got, 16000)
		if d := audio.Duration(end-start, 16000); d < 1850*time.Millisecond || d > 2100*time.Millisecond {
			t.Errorf("%s: 2 s of sound came as %v", name, d)
		}
		if part := audio.Power(got[start+1600:start+14400], 440, 16000); part < 0.95 {
			t.Errorf("%s: the first tone has %.3f of the energy", name, part)
		}
		if part := audio.Power(got[end-14400:end-1600], 660, 16000); part < 0.95 {
			t.Errorf("%s: the second tone has %.3f of the energy", name, part)
		}
	}
}

// Comfort noise sounds at its level until the next audio.
func TestComfortNoise(t *testing.T) {
	p := newPhone(negotiation.PCMU, frameTime)
	packets := p.packets(t, audio.Tone(440, 16000, 500*time.Millisecond))
	noise := packets[len(packets)-1]
	for i := range 3 {
		noise.header.PayloadType, noise.header.SequenceNumber, noise.header.Timestamp, noise.at, noise.payload = noisePayload, p.seq, p.ts, p.at, []byte{60}
		packets = append(packets, noise)
		p.seq++
		p.pause(time.Duration(200*(i+1)) * time.Millisecond)
	}
	packets = append(packets, p.packets(t, audio.Tone(660, 16000, 500*time.Millisecond))...)
	got := newTestReceiver(16000, p.stream).receive(packets)
	if level := audio.Level(got[16000*7/10 : 16000*15/10]); level < -62 || level > -58 {
		t.Errorf("noise at %.1f dBFS, want -60", level)
	}
	start, end := sounding(got, 16000)
	if d := audio.Duration(end-start, 16000); d < 2150*time.Millisecond || d > 2280*time.Millisecond {
		t.Errorf("2.2 s of tone, noise and tone came as %v", d)
	}
	var n noiseSource
	for level, want := range map[byte]float64{0: -loudestNoise, 60: -60, 127: -faintestNoise, 0x80 | 60: -60} {
		n.level(level)
		if got := audio.Level(n.append(16000, nil)); got < want-5 || got > want+2 {
			t.Errorf("noise of level %d has %.1f dBFS", level, got)
		}
	}
}

// A change of codec in mid-call is heard at no place: no sample jumps further than those of the tone do.
func TestChangesOfCodec(t *testing.T) {
	p := newPhone(negotiation.PCMU, frameTime)
	e := newTestReceiver(16000, p.stream)
	tone := audio.Tone(300, 16000, 400*time.Millisecond)
	for i := range tone { // without its ramps
		tone[i] = int16(8192 * math.Sin(2*math.Pi*300*float64(i)/16000))
	}
	var got []int16
	for _, codec := range []negotiation.Codec{negotiation.PCMU, negotiation.PCMA, negotiation.G722, negotiation.Opus, negotiation.PCMU, negotiation.Opus, negotiation.G722} {
		if codec.ClockRate() != p.stream.Codec.ClockRate() {
			p.ssrc++
		}
		p.stream = streamOf(codec)
		e.configure(e.now, p.stream)
		for _, packet := range p.packets(t, tone[:6400-320]) { // the encoders' delay is cut
			e.advance(packet.at)
			e.push(e.now, &packet.header, packet.payload)
		}
		got = slices.Concat(e.frames...)
	}
	largest, at := 0, 0
	for i := 1600; i+1 < len(got); i++ {
		if d := int(got[i]) - int(got[i-1]); max(d, -d) > largest {
			largest, at = max(d, -d), i
		}
	}
	const ofTone = 2 * math.Pi * 300 / 16000 * 8192
	if float64(largest) > 2.5*ofTone {
		t.Errorf("a jump of %d at %v of %v, the tone's is %.0f", largest, audio.Duration(at, 16000), audio.Duration(len(got), 16000), ofTone)
	}
}

// The static codecs are understood without being agreed on; other types are not.
func TestOtherPayloadTypes(t *testing.T) {
	for _, codec := range []negotiation.Codec{negotiation.PCMA, negotiation.G722} {
		p := newPhone(codec, frameTime)
		e := newTestReceiver(16000, streamOf(negotiation.PCMU))
		got := e.receive(p.packets(t, audio.Tone(440, 16000, time.Second)))
		start, end := sounding(got, 16000)
		if audio.Power(got[start:end], 440, 16000) < 0.9 {
			t.Errorf("%s is not understood", codec)
		}
	}
	p := newPhone(negotiation.PCMU, frameTime)
	p.stream.PayloadType = 77
	e := newTestReceiver(16000, streamOf(negotiation.PCMU))
	if level := audio.Level(e.receive(p.packets(t, audio.Tone(440, 16000, time.Second)))); level > -90 {
		t.Errorf("an unknown payload type sounds at %.1f dBFS", level)
	}
}

// The audio path allocates nothing for a packet.
func TestReceivingAllocatesNothing(t *testing.T) {
	for _, codec := range codecs {
		p := newPhone(codec, frameTime)
		packets := p.packets(t, audio.Tone(440, 16000, 4*time.Second))
		r := newReceiver(16000, func([]int16) {}, func(Digit) {})
		r.configure(beginning, p.stream)
		i := 0
		step := func() {
			q := &packets[i]
			r.push(beginning.Add(q.at), &q.header, q.payload)
			r.tick(beginning.Add(q.at))
			i++
		}
		for range 50 {
			step()
		}
		if n := testing.AllocsPerRun(100, step); n > 0 {
			t.Errorf("%s: %v allocations for a packet", codec, n)
		}
	}
}
