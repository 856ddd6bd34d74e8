package mediaport

import (
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/audio"
	"parley/internal/sip/negotiation"
)

// write writes frames of a tone as time goes by.
func (p *fakePort) write(t testing.TB, frames int) {
	t.Helper()
	tone := audio.Tone(500, 24000, time.Duration(frames)*frameTime)
	for i := range frames {
		if err := p.Write(tone[i*480 : (i+1)*480]); err != nil {
			t.Fatal(err)
		}
		time.Sleep(frameTime)
	}
}

// Packets leave by an absolute clock, with sequence numbers and timestamps without gaps over silence, and the marker after it.
func TestPacketsLeaveByTheClock(t *testing.T) {
	for _, test := range []struct {
		codec         negotiation.Codec
		ptime, actual int // in ms
		ticks         uint32
	}{
		{negotiation.PCMU, 20, 20, 160}, {negotiation.PCMA, 10, 10, 80}, {negotiation.PCMU, 30, 30, 240}, {negotiation.G722, 20, 20, 160}, {negotiation.PCMU, 60, 60, 480},
		{negotiation.Opus, 20, 20, 960}, {negotiation.Opus, 30, 20, 960}, {negotiation.Opus, 60, 60, 2880}, {negotiation.PCMU, 0, 20, 160}, {negotiation.PCMU, 200, 60, 480},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := openFake(t)
			s := streamOf(test.codec)
			s.PacketTime = time.Duration(test.ptime) * time.Millisecond
			p.configure(t, s)
			start := time.Now()
			time.Sleep(307 * time.Millisecond)
			p.write(t, 30)
			time.Sleep(693 * time.Millisecond)
			sent := p.media.take()
			packets := parse(t, sent)
			step := time.Duration(test.actual) * time.Millisecond
			if want := int(1600 * time.Millisecond / step); len(packets) < want-1 || len(packets) > want {
				t.Errorf("%s, %v: %d packets in 1.6 s", test.codec, step, len(packets))
			}
			var markers, loud []int
			for i, q := range packets {
				if due := start.Add(time.Duration(i+1) * step); sent[i].at != due {
					t.Errorf("%s, %v: packet %d left %v late", test.codec, step, i, sent[i].at.Sub(due))
				}
				if sent[i].peer != peerRTP || q.PayloadType != s.PayloadType || q.SSRC != packets[0].SSRC {
					t.Errorf("%s: packet %d goes to %v with type %d", test.codec, i, sent[i].peer, q.PayloadType)
				}
				if i > 0 && (q.SequenceNumber != packets[i-1].SequenceNumber+1 || q.Timestamp != packets[i-1].Timestamp+test.ticks) {
					t.Errorf("%s, %v: packet %d: %d at %d after %d at %d", test.codec, step, i, q.SequenceNumber, q.Timestamp, packets[i-1].SequenceNumber, packets[i-1].Timestamp)
				}
				if q.Marker {
					markers = append(markers, i)
				}
				if test.codec == negotiation.PCMU && !silentULaw(q.Payload) {
					loud = append(loud, i)
				}
			}
			if len(markers) != 2 || markers[0] != 0 {
				t.Errorf("%s, %v: markers at %v, want the first packet and the first with sound", test.codec, step, markers)
			}
			if test.codec == negotiation.PCMU {
				if got := time.Duration(len(loud)) * step; got < 600*time.Millisecond || got > 600*time.Millisecond+2*step || loud[len(loud)-1]-loud[0] != len(loud)-1 {
					t.Errorf("%v: 600 ms of sound left in packets %v", step, loud)
				}
				if markers[1] != loud[0] {
					t.Errorf("%v: marker at %d, sound at %d", step, markers[1], loud[0])
				}
			}
			if q := p.Quality(); q.Underruns != 0 {
				t.Errorf("%s, %v: %d underruns", test.codec, step, q.Underruns)
			}
		})
	}
}

func silentULaw(payload []byte) bool {
	for _, b := range payload {
		if b|0x80 < 0xf8 {
			return false
		}
	}
	return true
}

// Audio that is written in a burst is not sent in one, and does not delay what follows for long; audio that comes too late
// leaves silence.
func TestUnevenWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openFake(t)
		p.configure(t, streamOf(negotiation.PCMU))
		tone := audio.Tone(500, 24000, time.Second)
		for i := range 50 { // all at once
			if err := p.Write(tone[i*480 : (i+1)*480]); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		sent := p.media.take()
		loud := 0
		for i, d := range parse(t, sent) {
			if !silentULaw(d.Payload) {
				loud++
			}
			if i > 0 && sent[i].at.Sub(sent[i-1].at) != frameTime {
				t.Errorf("packet %d left %v after the one before", i, sent[i].at.Sub(sent[i-1].at))
			}
		}
		if loud < 9 || loud > 11 {
			t.Errorf("%d packets of sound, want the last 200 ms", loud)
		}

		p.write(t, 10)
		time.Sleep(3 * frameTime) // too late
		p.write(t, 10)
		time.Sleep(5 * frameTime)
		if q := p.Quality(); q.Underruns == 0 {
			t.Error("no underrun is counted")
		}
		loud = 0
		for _, d := range parse(t, p.media.take()) {
			if !silentULaw(d.Payload) {
				loud++
			}
		}
		if loud < 20 || loud > 22 {
			t.Errorf("%d packets of sound, want 20", loud)
		}
	})
}

// When the machine was too late for some packets, those whose audio waits follow at once, and the timestamps of others are left out.
func TestPacketsThatWereDueBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openFake(t)
		p.configure(t, streamOf(negotiation.PCMU))
		time.Sleep(frameTime / 2) // between two packets
		p.write(t, 10)
		p.media.take()
		tone := audio.Tone(500, 24000, 80*time.Millisecond)
		for i := range 4 {
			if err := p.Write(tone[i*480 : (i+1)*480]); err != nil {
				t.Fatal(err)
			}
		}
		p.sendMedia(time.Now(), 6*frameTime)
		got := parse(t, p.media.take())
		if len(got) != 4 {
			t.Fatalf("%d packets follow, want 4", len(got))
		}
		for i, d := range got {
			if silentULaw(d.Payload) {
				t.Errorf("packet %d is silent", i)
			}
			want := uint32(160)
			if i == 3 {
				want += 2 * 160 // for which there is no audio
			}
			if i > 0 && (d.Timestamp-got[i-1].Timestamp != want || d.SequenceNumber != got[i-1].SequenceNumber+1) {
				t.Errorf("packet %d follows %d samples later", i, d.Timestamp-got[i-1].Timestamp)
			}
		}
	})
}

// Nothing is sent on hold or without an address; afterwards, packets go on where the clock is.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openFake(t)
		s := streamOf(negotiation.PCMU)
		p.configure(t, s)
		time.Sleep(time.Second + frameTime/4) // between two packets
		last := parse(t, p.media.take())[49]
		held := s
		held.Sends = false
		p.configure(t, held)
		p.write(t, 10)
		time.Sleep(800 * time.Millisecond)
		if sent := p.media.take(); len(sent) > 0 {
			t.Errorf("%d packets while held", len(sent))
		}
		nowhere := s
		nowhere.Remote, nowhere.Control = nowhereRTP, nowhereRTP
		p.configure(t, nowhere)
		time.Sleep(time.Second)
		if sent := p.media.take(); len(sent) > 0 {
			t.Errorf("%d packets without an address", len(sent))
		}
		p.configure(t, s)
		time.Sleep(frameTime)
		packets := parse(t, p.media.take())
		if len(packets) != 1 || !packets[0].Marker || packets[0].Timestamp-last.Timestamp != 101*160 || packets[0].SSRC != last.SSRC {
			t.Errorf("after 2 s on hold: %v, before %v", packets, last)
		}
		synctest.Wait()
		if p.frames < 140 {
			t.Errorf("%d frames in 3 s", p.frames)
		}
	})
}

// In silence, comfort noise replaces audio where it was agreed on.
func TestComfortNoiseIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openFake(t)
		s := streamOf(negotiation.PCMU)
		s.ComfortNoise = true
		p.configure(t, s)
		time.Sleep(2 * time.Second)
		var noises, others int
		for _, q := range parse(t, p.media.take()) {
			if q.PayloadType == noisePayload {
				noises++
			} else {
				others++
			}
		}
		if noises < 8 || noises > 10 || others != 10 {
			t.Errorf("%d packets of noise and %d others in 2 s of silence", noises, others)
		}
		p.write(t, 5)
		time.Sleep(frameTime)
		marked := 0
		for _, q := range parse(t, p.media.take()) {
			if q.Marker && q.PayloadType == 0 {
				marked++
			}
		}
		if marked != 1 {
			t.Errorf("%d markers at the beginning of sound", marked)
		}
	})
}

// A machine that stood still sends no burst, and its timestamps go on with the time.
func TestNoBurstAfterAStandstill(t *testing.T) {
	s := newSender(24000)
	if err := s.configure(streamOf(negotiation.PCMU)); err != nil {
		t.Fatal(err)
	}
	first, _ := s.next(beginning, 0)
	before := parse(t, []datagram{{data: append([]byte(nil), first...)}})[0]
	second, _ := s.next(beginning.Add(time.Second), 49)
	after := parse(t, []datagram{{data: second}})[0]
	if after.Timestamp-before.Timestamp != 50*160 || after.SequenceNumber != before.SequenceNumber+1 || !after.Marker {
		t.Errorf("after a second: %v, before %v", after, before)
	}
}
