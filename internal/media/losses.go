package media

import (
	"github.com/livekit/protocol/livekit"

	"parley/internal/audio"
)

// losses says how much loss is to be expected, from what the media server tells of the connections in the room, both
// speaker's and listener's: nobody else sees what is lost on the way from it to the listener. It grades each every
// 5 s, mostly by what stays lost after all was asked for again: excellent is up to 3 % or so, which concealment makes
// up for.
type losses struct {
	expected int // percent; as usual until something is told
	known    map[string]livekit.ConnectionQuality
}

// heavyLoss is expected of poor connections, in percent; more correction would leave too little for the speech itself.
const heavyLoss = 25

// report takes a participant's quality and returns the percentage to expect from now on, and whether it is another
// than before.
func (l *losses) report(identity string, quality livekit.ConnectionQuality) (percent int, changed bool) {
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
