package mediaport

import (
	"encoding/binary"
	"strings"
	"time"
)

// Digit is a key that the other side presses. It is reported as soon as it is recognised, however long it is held.
type Digit struct {
	Key    byte // 0 to 9, *, #, A to D
	Source DigitSource
}

// DigitSource is how a digit arrived.
type DigitSource string

const (
	DigitEvent  DigitSource = "event"  // telephone-event (RFC 4733)
	DigitInband DigitSource = "inband" // tones in the audio
)

// keys are the events 0 to 15 of RFC 4733 (3.2).
const keys = "0123456789*#ABCD"

const (
	// eventTimeout ends an event whose last packets were lost: packets of an event are at most 50 ms apart
	// (RFC 4733 2.5.1.2).
	eventTimeout = 200 * time.Millisecond

	// segmentLength is the least duration, in timestamp units, after which a new timestamp continues an event that
	// exceeds the 16 bits of a duration (RFC 4733 2.5.1.3).
	segmentLength = 0xf000

	// eventWindow bounds, in timestamp units, how far behind the last event an old packet may be.
	eventWindow = 1 << 20

	// endRepeats is the number of packets that repeat an event's end.
	endRepeats = 3
)

// eventReceiver puts the packets of telephone events together. An event is known by its timestamp; its packets may be
// lost, doubled and reordered.
type eventReceiver struct {
	report func(Digit)

	known    bool // an event was received: the fields below are of the last one
	active   bool // it has not ended
	event    byte
	start    uint32 // its timestamp; of its last segment if it is long
	duration uint32 // of its last segment
	end      uint16 // sequence number of its end
	at       time.Time
}

// push handles a packet.
func (r *eventReceiver) push(now time.Time, seq uint16, timestamp uint32, payload []byte) {
	if len(payload) < 4 || int(payload[0]) >= len(keys) {
		return
	}
	event, end, duration := payload[0], payload[1]&0x80 != 0, uint32(binary.BigEndian.Uint16(payload[2:]))
	ahead := int32(timestamp - r.start)
	switch {
	case r.known && timestamp == r.start:
		if !r.active {
			return
		}
		r.duration = max(r.duration, duration)
	case r.known && ahead < 0 && ahead > -eventWindow:
		return
	case r.active && event == r.event && ahead >= segmentLength && ahead <= 0xffff:
		r.start, r.duration = timestamp, duration
	case r.active && event == r.event && duration > r.duration: // a sender that moves the timestamp within an event
		r.start, r.duration = timestamp, duration
	case r.known && !r.active && end && event == r.event && duration == r.duration && seq-r.end <= endRepeats:
		return // the same, of repeated ends
	default:
		r.known, r.active, r.event, r.start, r.duration = true, true, event, timestamp, duration
		r.report(Digit{Key: keys[event], Source: DigitEvent})
	}
	r.at = now
	if end {
		r.end, r.active = seq, false
	}
}

// tick ends an event whose end was lost.
func (r *eventReceiver) tick(now time.Time) {
	if now.Sub(r.at) >= eventTimeout {
		r.active = false
	}
}

// reset forgets timestamps, for a new stream.
func (r *eventReceiver) reset() { r.known, r.active = false, false }

// covers reports whether the audio of a timestamp is the key's tone.
func (r *eventReceiver) covers(timestamp uint32) bool {
	after := int32(timestamp - r.start)
	return r.active || r.known && after >= 0 && after < int32(r.duration)
}

// clockDuration returns how long so many units of a clock in Hz last.
func clockDuration(units uint64, clock int) time.Duration {
	return time.Duration(units) * time.Second / time.Duration(clock)
}

// eventOf returns the event of a key, which may be a lower-case letter.
func eventOf(key byte) (event byte, ok bool) {
	i := strings.IndexByte(keys, strings.ToUpper(string(key))[0])
	return byte(i), i >= 0
}
