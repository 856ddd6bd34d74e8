package mediaport

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/audio"
	"parley/internal/hearing/corpus"
	"parley/internal/sip/negotiation"
)

// Keys that one side dials are the digits of the other, as events or as tones, with each codec.
func TestDigitsBetweenPorts(t *testing.T) {
	for _, codec := range codecs {
		for _, events := range []struct {
			payloadType uint8
			clock       int
			source      DigitSource
		}{{101, 8000, DigitEvent}, {101, 48000, DigitEvent}, {0, 0, DigitInband}} {
			for _, ptime := range []int{10, 20, 30, 60} {
				t.Run(fmt.Sprintf("%s/%s/%d/%d ms", codec, events.source, events.clock, ptime), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						const dialled = "1590*#aw22"
						source := events.source
						p := openFake(t)
						s := streamOf(codec)
						s.EventPayloadType, s.EventClockRate, s.PacketTime = events.payloadType, events.clock, time.Duration(ptime)*time.Millisecond
						p.configure(t, s)
						e := newTestReceiver(16000, s)
						if err := p.SendDigits(dialled); err != nil {
							t.Fatal(err)
						}
						time.Sleep(4 * time.Second)
						var sequence uint16
						ends := map[uint32]int{} // by the event's timestamp
						for i, d := range p.media.take() {
							q := parse(t, []datagram{d})[0]
							if i > 0 && q.SequenceNumber != sequence+1 {
								t.Errorf("%d follows %d", q.SequenceNumber, sequence)
							}
							sequence = q.SequenceNumber
							if q.PayloadType == 101 && q.Payload[1]&0x80 != 0 {
								ends[q.Timestamp]++
								if d := clockDuration(uint64(binary.BigEndian.Uint16(q.Payload[2:])), events.clock); d < 70*time.Millisecond || d > 150*time.Millisecond {
									t.Errorf("an event of %v", d)
								}
							}
							for ; e.now.Before(d.at); e.now = e.now.Add(10 * time.Millisecond) {
								e.tick(e.now)
							}
							e.push(d.at, &q.Header, q.Payload)
						}
						for timestamp, n := range ends {
							if n != endRepeats {
								t.Errorf("the end of event %d is said %d times", timestamp, n)
							}
						}
						var got []byte
						for _, d := range e.digits {
							got = append(got, d.Key)
							if d.Source != source {
								t.Errorf("digit %+v", d)
							}
						}
						if want := strings.ReplaceAll(strings.ToUpper(dialled), "W", ""); string(got) != want {
							t.Errorf("dialled %s, received %s", want, got)
						}
					})
				})
			}
		}
	}
}

// What is no key is an error that names it; more than may wait is one, too.
func TestUnusableDigits(t *testing.T) {
	p := openFake(t)
	if err := p.SendDigits("12x"); err == nil || !strings.Contains(err.Error(), "'x'") {
		t.Errorf("an x: %v", err)
	}
	if err := p.SendDigits(strings.Repeat("1", maxDigits)); err != nil {
		t.Error(err)
	}
	if err := p.SendDigits("1"); err == nil || !strings.Contains(err.Error(), "128") {
		t.Errorf("too many: %v", err)
	}
}

// sine returns a sample of a tone at a level in dBFS.
func sine(level, freq float64, i, rate int) float64 {
	return 32768 * math.Sqrt2 * math.Pow(10, level/20) * math.Sin(2*math.Pi*freq*float64(i)/float64(rate))
}

// keyTones returns the two tones of a key, with a factor for each frequency and a level in dBFS for each tone.
func keyTones(key byte, d time.Duration, detune, low, high float64, rate int) []int16 {
	f1, f2 := tonesOf(key)
	pcm := make([]int16, samples(rate, d))
	for i := range pcm {
		pcm[i] = int16(sine(low, f1*detune, i, rate) + sine(high, f2*detune, i, rate))
	}
	return pcm
}

// Tones within the limits of ITU-T Q.24 are keys, and others are not.
func TestTonesOfKeys(t *testing.T) {
	const ms = time.Millisecond
	for _, rate := range []int{8000, 16000, 24000} {
		for name, test := range map[string]struct {
			d                 time.Duration
			detune, low, high float64
			found             bool
		}{
			"as it should be":          {100 * ms, 1, -12, -12, true},
			"40 ms":                    {41 * ms, 1, -12, -12, true},
			"23 ms":                    {23 * ms, 1, -12, -12, false},
			"a second":                 {1000 * ms, 1, -12, -12, true},
			"1.5 % too high":           {100 * ms, 1.015, -12, -12, true},
			"1.5 % too low":            {100 * ms, 0.985, -12, -12, true},
			"4 % too high":             {100 * ms, 1.04, -12, -12, false},
			"4 % too low":              {100 * ms, 0.96, -12, -12, false},
			"faint":                    {100 * ms, 1, -34, -34, true},
			"too faint":                {100 * ms, 1, -56, -56, false},
			"the high tone 7 dB less":  {100 * ms, 1, -10, -17, true},
			"the low tone 3 dB less":   {100 * ms, 1, -13, -10, true},
			"the high tone 12 dB less": {100 * ms, 1, -8, -20, false},
			"one tone alone":           {100 * ms, 1, -12, -90, false},
		} {
			var found []byte
			detector := newToneDetector(rate, func(d Digit) { found = append(found, d.Key) })
			pause := make([]int16, samples(rate, 41*ms))
			for i := range len(keys) { // with a shortest pause, at all positions within a block
				detector.push(keyTones(keys[i], test.d, test.detune, test.low, test.high, rate))
				detector.push(pause)
			}
			detector.push(pause)
			want := ""
			if test.found {
				want = keys
			}
			if string(found) != want {
				t.Errorf("%d Hz, %s: %s, want %q", rate, name, found, want)
			}
		}
	}
}

// Speech and music are no keys.
func TestTalkOff(t *testing.T) {
	const seconds = 120
	for _, language := range corpus.Languages {
		voice, err := corpus.Voice(corpus.Held, language, 1, seconds, 0.2)
		if err != nil {
			t.Fatal(err)
		}
		for _, rate := range []int{8000, 16000} {
			var found []Digit
			pcm := voice.PCM()
			pcm = audio.NewResampler(corpus.Rate, rate).Process(pcm, nil)
			newToneDetector(rate, func(d Digit) { found = append(found, d) }).push(pcm)
			if len(found) > 0 {
				t.Errorf("%s, %d Hz: %v in %d s of speech", language, rate, found, seconds)
			}
		}
	}
	for i := range corpus.Pieces(corpus.Held) {
		music, err := corpus.Music(corpus.Held, i)
		if err != nil {
			t.Fatal(err)
		}
		var found []Digit
		newToneDetector(corpus.Rate, func(d Digit) { found = append(found, d) }).push(music.PCM())
		if len(found) > 1 {
			t.Errorf("%v in a piece of music of %.0f s", found, float64(len(music))/corpus.Rate)
		}
	}
}

// The agent does not hear the keys' tones: those that accompany an event not at all, in-band ones only until they are found.
func TestTonesAreRemoved(t *testing.T) {
	five := keyTones('5', 200*time.Millisecond, 1, -12, -12, 16000)
	pause := make([]int16, 8000)
	for _, events := range []bool{false, true} {
		p := newPhone(negotiation.PCMU, frameTime)
		packets := p.packets(t, slices.Concat(pause, five, pause))
		if events {
			p.stream.EventPayloadType, p.stream.EventClockRate = 101, 8000
			for i := range packets {
				q := &packets[i].header
				q.SequenceNumber += uint16(min(max(0, i-25), 10))
			}
			for i := range 10 { // beside the tone
				q := packets[25+i]
				q.header.PayloadType = 101
				q.header.SequenceNumber--
				q.payload = eventPacket{event: 5, end: i == 9, duration: uint16(160 * (i + 1))}.payload()
				if i == 0 {
					q.header.SequenceNumber = packets[24].header.SequenceNumber + 1
				}
				q.header.Timestamp = packets[25].header.Timestamp
				packets = append(packets, q)
			}
			for i := range packets {
				if packets[i].header.PayloadType == 0 && i >= 25 && i < 35 {
					packets[i].at += time.Millisecond
					packets[i].header.SequenceNumber++
				}
			}
		}
		e := newTestReceiver(16000, p.stream)
		got := e.receive(packets)
		if len(e.digits) != 1 || e.digits[0].Key != '5' {
			t.Errorf("events %v: digits %v", events, e.digits)
		}
		start, end := sounding(got, 16000)
		if d := audio.Duration(end-start, 16000); d > 60*time.Millisecond || events && d > 0 {
			t.Errorf("events %v: %v of the tone remain", events, d)
		}
	}
}

// A key that is held while the codec changes is one key.
func TestKeyHeldWhileTheCodecChanges(t *testing.T) {
	s := streamOf(negotiation.PCMU)
	s.EventPayloadType = 0
	e := newTestReceiver(16000, s)
	for _, codec := range []negotiation.Codec{negotiation.PCMU, negotiation.G722} {
		e.useChain(kindOf[codec])
		e.play(keyTones('5', 100*time.Millisecond, 1, -12, -12, e.chain.rate), false)
	}
	e.play(make([]int16, e.chain.rate/5), false)
	e.play(keyTones('5', 100*time.Millisecond, 1, -12, -12, e.chain.rate), false)
	if len(e.digits) != 2 {
		t.Errorf("keys %v, want one that is held and one after it", e.digits)
	}
}
