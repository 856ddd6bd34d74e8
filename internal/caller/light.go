package caller

import (
	"sync/atomic"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
)

// lightLine is a participant that decodes what it hears only while that is listened to. Sixty of them must leave the
// processor to the server that they measure.
type lightLine struct {
	*media.Participant
	listening atomic.Bool
	frames    chan []int16
	decoder   *audio.Decoder // of the goroutine that packets come in
	pcm       []int16
}

func newLightLine() *lightLine {
	l := &lightLine{frames: make(chan []int16, 64), pcm: make([]int16, audio.MaxPacketFrames*dialogue.ListenRate/50)}
	l.listening.Store(true)
	return l
}

// Frames yields one frame a packet, when it comes.
func (l *lightLine) Frames() <-chan []int16 { return l.frames }

// packet takes one from the network. Packets may come when nobody takes frames any more.
func (l *lightLine) packet(payload []byte, _ time.Time) {
	var frame []int16
	if l.listening.Load() {
		frame = l.decode(payload)
	}
	select {
	case l.frames <- frame:
	default:
	}
}

// decode is nil for what is no Opus: it counts as speech, as all does that is not listened to.
func (l *lightLine) decode(payload []byte) []int16 {
	if l.decoder == nil {
		decoder, err := audio.NewDecoder(dialogue.ListenRate)
		if err != nil {
			return nil
		}
		l.decoder = decoder
	}
	n, err := l.decoder.Decode(payload, l.pcm)
	if err != nil || n == 0 {
		return nil
	}
	return append([]int16(nil), l.pcm[:n]...)
}
