package srtp

import "time"

// What a session takes of the remote side, of a kind of packet: at once, and further ones a second. A voice call has 50 a second.
const maxPackets, packetsPerSecond = 2000, 1000

// packetRate is a token bucket. It belongs to the goroutine that reads.
type packetRate struct {
	tokens float64
	at     time.Time
}

// allow reports whether a packet that has arrived is taken.
func (r *packetRate) allow(now time.Time) bool {
	if r.at.IsZero() {
		r.tokens = maxPackets
	} else {
		r.tokens = min(maxPackets, r.tokens+now.Sub(r.at).Seconds()*packetsPerSecond)
	}
	r.at = now
	if r.tokens < 1 {
		return false
	}
	r.tokens--
	return true
}
