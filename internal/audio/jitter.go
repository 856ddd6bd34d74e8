package audio

// Jitter puts the packets of one RTP stream back into order. A packet that follows on the last is given out at once;
// one that comes early waits until what is missing has come or jitterDepth packets wait, when it counts as lost: up to
// 60 ms at 20 ms a packet, and no delay at all on a network that keeps order.
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

// Push takes a packet; seq is its RTP sequence number. The payload is copied. Packets that come twice or too late are
// dropped; a sequence number far off starts the stream anew, as a sender does that changed its source.
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

// Next returns the payload that follows, if it is there: good until the next Push. lost is the number of packets
// missing before it, which will not be given out any more.
func (j *Jitter) Next() (payload []byte, lost int, ok bool) { return j.take(jitterDepth) }

// Drain is Next for a stream that has paused: it does not wait for what is missing.
func (j *Jitter) Drain() (payload []byte, lost int, ok bool) { return j.take(1) }

// take skips missing packets only when at least enough others wait.
func (j *Jitter) take(enough int) (payload []byte, lost int, ok bool) {
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
