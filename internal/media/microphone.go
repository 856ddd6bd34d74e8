package media

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// microphone is the published track of a participant: an encoder, a track, and the RTP clock (RFC 7587: 48 kHz at
// every rate).
type microphone struct {
	track *webrtc.TrackLocalStaticRTP

	mu             sync.Mutex
	levelExtension uint8 // id of the audio level header extension; 0 without it
	seq            uint16
	encoder        *audio.Encoder
	loss           lossEstimate
	packet         []byte
	started        time.Time
	nextFrame      int64 // frames since started
	firstTimestamp uint32
}

const (
	opusClock     = 48000
	ticksPerFrame = opusClock / 50
	// speechGap is how many frames the clock may be ahead of the sent frames before the difference counts as a pause
	// rather than uneven pacing.
	speechGap = 4
)

// newMicrophone returns a microphone for frames at a sample rate.
func newMicrophone(rate int) (*microphone, error) {
	encoder, err := audio.NewEncoder(rate)
	if err != nil {
		return nil, err
	}
	opus := webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: opusClock, Channels: 2}
	track, err := webrtc.NewTrackLocalStaticRTP(opus, "TR_"+rand.Text(), rand.Text())
	if err != nil {
		return nil, fmt.Errorf("make microphone track: %w", err)
	}
	return &microphone{
		track: track, encoder: encoder, loss: lossEstimate{expected: audio.UsualLoss}, packet: make([]byte, audio.MaxPacket), firstTimestamp: 1 << 31,
	}, nil
}

// Packet is an encoded frame of 20 ms, for audio that is sent more than once.
type Packet struct {
	Opus  []byte
	Level uint8 // audio level as in RFC 6464: 0 is full scale, each step 1 dB less, 127 silence
}

// Encode encodes consecutive frames, each 20 ms at dialogue.SpeakRate.
func Encode(frames [][]int16) ([]Packet, error) {
	encoder, err := audio.NewEncoder(dialogue.SpeakRate)
	if err != nil {
		return nil, err
	}
	packets := make([]Packet, len(frames))
	buf := make([]byte, audio.MaxPacket)
	for i, pcm := range frames {
		n, err := encoder.Encode(pcm, buf)
		if err != nil {
			return nil, err
		}
		packets[i] = Packet{bytes.Clone(buf[:n]), level(pcm)}
	}
	return packets, nil
}

func level(pcm []int16) uint8 { return uint8(-min(0, max(-127, audio.Level(pcm)))) }

// handleQuality adjusts error correction to the reported quality of a participant's connection.
func (m *microphone) handleQuality(identity string, quality livekit.ConnectionQuality) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if percent, changed := m.loss.update(identity, quality); changed {
		_ = m.encoder.ExpectLoss(percent) // the encoder accepts 0 to 100
	}
}

// setLevelExtension sets the negotiated id of the audio level extension.
func (m *microphone) setLevelExtension(extension uint8) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.levelExtension = extension
}

// playFrame encodes pcm and sends it as the current frame.
func (m *microphone) playFrame(pcm []int16, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.encoder.Encode(pcm, m.packet)
	if err != nil {
		return err
	}
	return m.send(Packet{m.packet[:n], level(pcm)}, now)
}

// playPacket sends a packet as the current frame.
func (m *microphone) playPacket(p Packet, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.send(p, now)
}

// header returns the RTP header of the current frame. Its timestamp follows the previous one, so that uneven pacing does not reach the
// listener; after a pause it follows the clock, and the marker tells listeners that they may adapt their delay (RFC 3551 4.1). m.mu is
// held.
func (m *microphone) header(now time.Time) rtp.Header {
	marker := m.started.IsZero()
	if marker {
		m.started = now
	}
	if due := int64(now.Sub(m.started) / dialogue.FrameDuration); due-m.nextFrame >= speechGap {
		m.nextFrame, marker = due, true
	}
	return rtp.Header{Version: 2, Marker: marker, SequenceNumber: m.seq, Timestamp: m.firstTimestamp + uint32(m.nextFrame*ticksPerFrame)}
}

// send sends a packet as the current frame. m.mu is held.
func (m *microphone) send(p Packet, now time.Time) error {
	packet := &rtp.Packet{Header: m.header(now), Payload: p.Opus}
	if m.levelExtension != 0 {
		loudness, err := rtp.AudioLevelExtension{Level: p.Level}.Marshal()
		if err != nil {
			return fmt.Errorf("send frame: %w", err)
		}
		if err := packet.SetExtension(m.levelExtension, loudness); err != nil {
			return fmt.Errorf("send frame: %w", err)
		}
	}
	if err := m.track.WriteRTP(packet); err != nil {
		return fmt.Errorf("send frame: %w", err)
	}
	m.seq++
	m.nextFrame++
	return nil
}
