package media

import (
	"github.com/livekit/protocol/livekit"

	"parley/internal/audio"
)

// lossEstimate is the packet loss to expect, from the connection quality that the media server reports for the
// room's participants, speaker and listener; a sender cannot measure the listener's loss itself. The server grades
// each every 5 s, mostly by loss that remains after retransmission: excellent is up to 3 %, which concealment
// covers.
type lossEstimate struct {
	expected int // percent; the default until a report arrives
	known    map[string]livekit.ConnectionQuality
}

// heavyLoss is the loss assumed for poor connections, in percent; a higher one would leave too few bits for the
// speech itself.
const heavyLoss = 25

// update records a participant's quality, and returns the loss to expect and whether it has changed.
func (l *lossEstimate) update(identity string, quality livekit.ConnectionQuality) (percent int, changed bool) {
	if l.known == nil {
		l.known = map[string]livekit.ConnectionQuality{}
	}
	l.known[identity] = quality
	for _, quality := range l.known {
		switch quality {
		case livekit.ConnectionQuality_EXCELLENT:
		case livekit.ConnectionQuality_GOOD:
			percent = max(percent, audio.UsualLoss)
		default:
			percent = max(percent, heavyLoss)
		}
	}
	changed = percent != l.expected
	l.expected = percent
	return percent, changed
}
