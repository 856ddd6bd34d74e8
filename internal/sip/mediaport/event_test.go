package mediaport

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// eventPacket is a packet of a telephone event.
type eventPacket struct {
	at        time.Duration
	seq       uint16
	timestamp uint32
	event     byte
	end       bool
	duration  uint16
}

func (p eventPacket) payload() []byte {
	flags := byte(10)
	if p.end {
		flags |= 0x80
	}
	return binary.BigEndian.AppendUint16([]byte{p.event, flags}, p.duration)
}

// pressed is the packets of a key that is pressed, each 20 ms, with three ends.
func pressed(at time.Duration, seq uint16, timestamp uint32, event byte, d time.Duration) (all []eventPacket) {
	for elapsed := frameTime; elapsed <= d; elapsed += frameTime {
		all = append(all, eventPacket{at + elapsed, seq, timestamp, event, elapsed == d, uint16(samples(8000, elapsed))})
		seq++
	}
	last := all[len(all)-1]
	for range endRepeats - 1 {
		last.seq++
		last.at += frameTime
		all = append(all, last)
	}
	return all
}

func digitsOf(packets []eventPacket) (digits []Digit) {
	r := eventReceiver{report: func(d Digit) { digits = append(digits, d) }}
	var end time.Duration
	for _, p := range packets {
		for ; end < p.at; end += frameTime {
			r.tick(beginning.Add(end))
		}
		r.push(beginning.Add(p.at), p.seq, p.timestamp, p.payload())
	}
	r.tick(beginning.Add(end + time.Second))
	return digits
}

func TestTelephoneEvents(t *testing.T) {
	const ms = time.Millisecond
	five := pressed(0, 1, 1000, 5, 100*ms)
	again := pressed(300*ms, 20, 3400, 5, 100*ms)
	hash := pressed(300*ms, 20, 3400, 11, 60*ms)
	key := func(k byte) Digit { return Digit{k, DigitEvent} }
	without := func(all []eventPacket, drop ...int) (kept []eventPacket) {
		for i, p := range all {
			if !slices.Contains(drop, i) {
				kept = append(kept, p)
			}
		}
		return kept
	}
	swapped := slices.Clone(five)
	swapped[3], swapped[4] = swapped[4], swapped[3]
	var long []eventPacket // 20 s: the duration exceeds 16 bits twice
	for elapsed := uint32(160); elapsed <= 160000; elapsed += 160 {
		segment := elapsed / 65535 * 65535
		long = append(long, eventPacket{clockDuration(uint64(elapsed), 8000), uint16(elapsed / 160), 1000 + segment, 1, elapsed == 160000, uint16(elapsed - segment)})
	}
	moving := slices.Clone(five) // a sender whose timestamp grows within the event
	for i := range moving {
		moving[i].timestamp += uint32(i) * 160
	}
	for name, test := range map[string]struct {
		packets []eventPacket
		want    []Digit
	}{
		"one":                     {five, []Digit{key('5')}},
		"only the beginning":      {five[:1], []Digit{key('5')}},
		"two":                     {slices.Concat(five, hash), []Digit{key('5'), key('#')}},
		"the same twice":          {slices.Concat(five, again), []Digit{key('5'), key('5')}},
		"only the last end":       {without(five, 4, 5), []Digit{key('5')}},
		"no end":                  {without(five, 4, 5, 6), []Digit{key('5')}},
		"no end before the same":  {slices.Concat(without(five, 4, 5, 6), again), []Digit{key('5'), key('5')}},
		"only an end":             {five[4:], []Digit{key('5')}},
		"each packet twice":       {slices.Concat(five[:1], five[:1], five[1:], five[1:]), []Digit{key('5')}},
		"an old packet after one": {slices.Concat(five, hash, five), []Digit{key('5'), key('#')}},
		"the end before another":  {swapped, []Digit{key('5')}},
		"20 seconds":              {long, []Digit{key('1')}},
		"a moving timestamp":      {moving, []Digit{key('5')}},
		"a hook flash":            {pressed(0, 1, 1, 16, 100*ms), nil},
	} {
		if got := digitsOf(test.packets); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// With 20 % of the packets lost, at most one key in fifty is missing, and none comes twice.
func TestTelephoneEventsOverABadNetwork(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var packets []eventPacket
	for i := range 500 {
		at := time.Duration(i) * 200 * time.Millisecond
		packets = append(packets, pressed(at, uint16(i*10), uint32(i*1600), byte(i%16), 100*time.Millisecond)...)
	}
	packets = slices.DeleteFunc(packets, func(eventPacket) bool { return random.IntN(5) == 0 })
	got := digitsOf(packets)
	if len(got) < 490 || len(got) > 500 {
		t.Errorf("%d keys of 500", len(got))
	}
}
