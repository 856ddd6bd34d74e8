package media

import (
	"fmt"
	"sync"
	"time"

	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4/pkg/media"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// microphone is what a participant publishes: an encoder, a track, and the RTP clock (RFC 7587: 48 kHz at every rate).
type microphone struct {
	mu      sync.Mutex
	encoder *audio.Encoder
	track   *lksdk.LocalTrack
	packet  []byte
	started time.Time
	next    int64 // frame, counted from started
	base    uint32
}

const (
	opusClock     = 48000
	ticksPerFrame = opusClock / 50
	// speechGap is how far, in frames, the clock may run ahead of the frames sent before that is a pause rather than
	// unsteady pacing.
	speechGap = 4
)

func newMicrophone(track *lksdk.LocalTrack) (*microphone, error) {
	encoder, err := audio.NewEncoder(dialogue.SpeakRate)
	if err != nil {
		return nil, err
	}
	return &microphone{encoder: encoder, track: track, packet: make([]byte, audio.MaxPacket), base: 1 << 31}, nil
}

// play sends pcm as the frame that is due now. Its RTP timestamp follows on the last one's, so that unsteady pacing
// does not reach the listener, unless a pause lies between: then it takes the clock's.
func (m *microphone) play(pcm []int16, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.encoder.Encode(pcm, m.packet)
	if err != nil {
		return err
	}
	if m.started.IsZero() {
		m.started = now
	}
	if due := int64(now.Sub(m.started) / dialogue.FrameDuration); due-m.next >= speechGap {
		m.next = due
	}
	level := uint8(-min(0, max(-127, audio.Level(pcm)))) // RFC 6464
	err = m.track.WriteSample(media.Sample{
		Data: m.packet[:n], Duration: dialogue.FrameDuration, PacketTimestamp: m.base + uint32(m.next*ticksPerFrame),
	}, &lksdk.SampleWriteOptions{AudioLevel: &level})
	if err != nil {
		return fmt.Errorf("send frame: %w", err)
	}
	m.next++
	return nil
}
