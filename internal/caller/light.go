package caller

import (
	"sync/atomic"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
)

// lightLine is a participant that decodes received audio only on demand, so that sixty of them leave the processor
// to the server under test.
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

// Frames returns one frame per packet, at its arrival.
func (l *lightLine) Frames() <-chan []int16 { return l.frames }

// handlePacket handles a received packet. Packets may arrive after the last frame was read.
func (l *lightLine) handlePacket(payload []byte, _ time.Time) {
	var frame []int16
	if l.listening.Load() {
		frame = l.decode(payload)
	}
	select {
	case l.frames <- frame:
	default:
	}
}

// decode returns nil for invalid Opus, which counts as speech like all audio that is not decoded.
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
