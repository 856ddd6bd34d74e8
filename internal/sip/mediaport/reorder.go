package mediaport

import "time"

const (
	// reorderSlots is the number of packets that may wait: a power of two, so that sequence numbers map to slots across
	// their wrap.
	reorderSlots = 64

	// minWait, firstWait and maxWait bound the time that a missing packet is waited for.
	minWait, firstWait, maxWait = 40 * time.Millisecond, 60 * time.Millisecond, 100 * time.Millisecond

	// waitDecay is the time without reordering after which the wait becomes shorter.
	waitDecay = 5 * time.Second

	// misordered is how far behind a sequence number may be to count as late; further behind, it begins the stream anew
	// (MAX_MISORDER of RFC 3550 A.1 is 100; a burst that a network held back is longer).
	misordered = 3000

	// lateRun is the number of packets in sequence, all of them late, that begin the stream anew.
	lateRun = 5
)

// arrival is what became of a packet in a reorder buffer.
type arrival uint8

const (
	buffered arrival = iota
	duplicate
	late    // the packet was given up before
	distant // the sequence number begins a new stream
)

// reorderBuffer puts the packets of one RTP stream in order. A packet in sequence is returned immediately; one after a hole
// waits until the missing packets have arrived, or until the wait is over and these count as lost. The wait follows the
// reordering that was seen.
type reorderBuffer struct {
	slots   [reorderSlots]slot
	started bool
	next    uint16 // sequence number to be returned next
	waiting int

	received uint64 // bit i: next-1-i arrived
	wait     time.Duration
	hole     time.Time     // arrival of the first packet after the hole at next; zero without one
	givenUp  time.Time     // hole of the packets that were lost last
	seen     time.Time     // when reordering was seen last
	length   time.Duration // of a packet

	lateNext uint16 // sequence number that would continue a run of late packets
	lateRun  int
}

// slot is a packet that waits.
type slot struct {
	full      bool
	at        time.Time // of arrival
	timestamp uint32
	kind      payloadKind
	payload   []byte // kept between uses
}

// push adds a packet. The payload is copied.
func (b *reorderBuffer) push(now time.Time, seq uint16, timestamp uint32, kind payloadKind, payload []byte) arrival {
	if !b.started {
		b.start(now, seq)
	}
	ahead := int(int16(seq - b.next))
	switch {
	case ahead >= reorderSlots || ahead < -misordered:
		return distant
	case ahead < 0:
		return b.pushLate(now, seq, -ahead-1)
	}
	s := &b.slots[seq%reorderSlots]
	if s.full {
		return duplicate
	}
	b.lateRun = 0
	s.full, s.at, s.timestamp, s.kind = true, now, timestamp, kind
	s.payload = append(s.payload[:0], payload...)
	b.waiting++
	switch {
	case ahead > 0 && b.hole.IsZero():
		b.hole = now
	case ahead == 0 && !b.hole.IsZero():
		b.learn(now, now.Sub(b.hole))
		b.hole = time.Time{}
	}
	return buffered
}

func (b *reorderBuffer) pushLate(now time.Time, seq uint16, behind int) arrival {
	if behind < 64 && b.received&(1<<behind) != 0 {
		return duplicate
	}
	if behind < 64 {
		b.received |= 1 << behind
		b.learn(now, now.Sub(b.givenUp))
	}
	if seq != b.lateNext {
		b.lateRun = 0
	}
	b.lateNext = seq + 1
	if b.lateRun++; b.lateRun >= lateRun {
		return distant
	}
	return late
}

// learn adapts the wait to a packet that came so much later than the first one after it.
func (b *reorderBuffer) learn(now time.Time, lateness time.Duration) {
	b.seen = now
	b.wait = max(b.wait, min(lateness*3/2, maxWait))
}

// start begins a stream at a sequence number. What waits is discarded.
func (b *reorderBuffer) start(now time.Time, seq uint16) {
	for i := range b.slots {
		b.slots[i].full = false
	}
	b.started, b.next, b.waiting, b.received, b.lateRun = true, seq, 0, 0, 0
	b.hole, b.givenUp, b.seen = time.Time{}, time.Time{}, now
	if b.wait == 0 {
		b.wait = firstWait
	}
}

// pop returns the next packet, if there is one, valid until the next push. missing is the number of packets before it
// that are given up.
func (b *reorderBuffer) pop(now time.Time) (s *slot, missing int, ok bool) {
	if b.waiting == 0 {
		return nil, 0, false
	}
	if b.slots[b.next%reorderSlots].full {
		return b.takeSlot(0), 0, true
	}
	if now.Sub(b.hole) < b.timeout() {
		return nil, 0, false
	}
	b.givenUp = b.hole
	return b.takeNext()
}

// timeout returns how long a missing packet is waited for: at least until one that changed places with its successor
// must have come.
func (b *reorderBuffer) timeout() time.Duration {
	return max(b.wait, min(b.length+frameTime, maxWait))
}

// flush is like pop, for a stream that has ended: it does not wait for what is missing.
func (b *reorderBuffer) flush() (s *slot, missing int, ok bool) {
	if b.waiting == 0 {
		return nil, 0, false
	}
	return b.takeNext()
}

func (b *reorderBuffer) takeNext() (s *slot, missing int, ok bool) {
	for !b.slots[(b.next+uint16(missing))%reorderSlots].full {
		missing++
	}
	return b.takeSlot(missing), missing, true
}

func (b *reorderBuffer) takeSlot(missing int) *slot {
	s := &b.slots[(b.next+uint16(missing))%reorderSlots]
	s.full = false
	b.waiting--
	b.received = b.received<<(missing+1) | 1
	b.next += uint16(missing) + 1
	b.hole = time.Time{}
	for i := 0; b.waiting > 0; i++ { // the next hole began when the packet after it arrived
		if n := &b.slots[(b.next+uint16(i))%reorderSlots]; n.full {
			if i > 0 {
				b.hole = n.at
			}
			break
		}
	}
	return s
}

// relax shortens the wait of a stream that has been in order for some time.
func (b *reorderBuffer) relax(now time.Time) {
	if now.Sub(b.seen) >= waitDecay && b.wait > minWait {
		b.seen, b.wait = now, max(minWait, b.wait-10*time.Millisecond)
	}
}
