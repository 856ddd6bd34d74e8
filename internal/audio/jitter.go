package audio

// Jitter reorders the packets of one RTP stream. A packet in sequence is returned immediately; an early one waits until
// the missing ones have arrived or jitterDepth packets wait, when these count as lost: up to 60 ms at 20 ms per
// packet, without delay for ordered packets.
type Jitter struct {
	slots   [jitterSlots]packet
	started bool
	next    uint16 // sequence number to be given out next
	waiting int
}

type packet struct {
	full    bool
	payload []byte // kept between uses
}

const (
	jitterSlots = 16 // a power of two, so that sequence numbers map to slots across their wrap
	jitterDepth = 3
)

// Push adds a packet; seq is its RTP sequence number. The payload is copied. Duplicate and late packets are
// dropped; a distant sequence number restarts the stream, as after a change of source.
func (j *Jitter) Push(seq uint16, payload []byte) {
	ahead := int16(seq - j.next)
	switch {
	case !j.started || ahead >= jitterSlots || ahead < -100:
		j.restart(seq)
	case ahead < 0:
		return
	}
	s := &j.slots[seq%jitterSlots]
	if s.full {
		return
	}
	s.full = true
	s.payload = append(s.payload[:0], payload...)
	j.waiting++
}

func (j *Jitter) restart(seq uint16) {
	for i := range j.slots {
		j.slots[i].full = false
	}
	j.started, j.next, j.waiting = true, seq, 0
}

// Next returns the next payload, if available, valid until the next Push. lost is the number of packets before it
// that are given up.
func (j *Jitter) Next() (payload []byte, lost int, ok bool) { return j.nextPacket(jitterDepth) }

// Drain is like Next, for a stream that has paused: it does not wait for what is missing.
func (j *Jitter) Drain() (payload []byte, lost int, ok bool) { return j.nextPacket(1) }

// nextPacket skips missing packets only when at least enough others wait.
func (j *Jitter) nextPacket(enough int) (payload []byte, lost int, ok bool) {
	if j.waiting == 0 {
		return nil, 0, false
	}
	for !j.slots[(j.next+uint16(lost))%jitterSlots].full {
		lost++
	}
	if lost > 0 && j.waiting < enough {
		return nil, 0, false
	}
	s := &j.slots[(j.next+uint16(lost))%jitterSlots]
	s.full = false
	j.next += uint16(lost) + 1
	j.waiting--
	return s.payload, lost, true
}
