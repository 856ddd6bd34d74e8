package media

import (
	"errors"
	"net"
	"os"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

const (
	listenFrame = dialogue.ListenRate / 50 // samples
	// jitterDelay is how late a packet may be before its frame is concealed, and phoneDelay how late one of a phone may be: its gateway
	// holds packets behind a missing one for up to 100 ms, and what was concealed meanwhile would be heard beside them.
	jitterDelay, phoneDelay = 60 * time.Millisecond, 160 * time.Millisecond
	// maxConcealed is the most consecutive frames that the decoder conceals, fading out; digital silence follows.
	maxConcealed = 3
)

// receiveTrack decodes a track's packets into Frames until the track ends, is replaced, or the participant leaves.
func (p *Participant) receiveTrack(track *webrtc.TrackRemote, delay time.Duration) {
	if p.options.OnPacket != nil {
		p.relayPackets(track)
		return
	}
	r, err := newReceiver(p.pushFrame, delay)
	if err != nil {
		return
	}
	buf := make([]byte, 1500)
	var packet rtp.Packet
	var path pathMonitor
	_, id := trackOwner(track)
	for p.isSubscribed(track) {
		_ = track.SetReadDeadline(r.deadline())
		n, _, err := track.Read(buf)
		switch {
		case isTimeout(err):
			now := time.Now()
			r.fillMissing(now)
			if p.options.Agent && path.isResumeDue(now) {
				p.requestResume(id)
			}
		case err != nil:
			return
		case packet.Unmarshal(buf[:n]) == nil && len(packet.Payload) > 0:
			now := time.Now()
			path.recordPacket(now)
			r.push(packet.SequenceNumber, packet.Payload, now)
		}
	}
}

// relayPackets calls OnPacket with a track's packets until the track ends, is replaced, or the participant leaves.
func (p *Participant) relayPackets(track *webrtc.TrackRemote) {
	buf := make([]byte, 1500)
	var packet rtp.Packet
	for p.isSubscribed(track) {
		n, _, err := track.Read(buf)
		if err != nil {
			return
		}
		if packet.Unmarshal(buf[:n]) == nil && len(packet.Payload) > 0 {
			p.options.OnPacket(packet.Payload, time.Now())
		}
	}
}

func (p *Participant) isSubscribed(track *webrtc.TrackRemote) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.ended && p.subscribed == track
}

// pushFrame queues a frame without blocking.
func (p *Participant) pushFrame(frame []int16) {
	if p.options.OnFrame != nil {
		p.options.OnFrame(frame)
	}
	for {
		select {
		case p.frames <- frame:
			return
		default:
		}
		select {
		case <-p.frames:
		default:
		}
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// receiver converts the packets of one sender into a continuous sequence of frames: reordered, with lost packets
// concealed and pauses filled with silence.
type receiver struct {
	decoder *audio.Decoder
	jitter  audio.Jitter
	emit    func([]int16)

	pcm   []int16 // a decoded packet
	frame []int16 // being filled
	last  int     // samples in the previous packet, assumed of a lost one

	delay   time.Duration // how late a packet may be
	due     time.Time     // when the next frame counts as late
	missing int           // frames filled in since the last packet
}

func newReceiver(emit func([]int16), delay time.Duration) (*receiver, error) {
	decoder, err := audio.NewDecoder(dialogue.ListenRate)
	if err != nil {
		return nil, err
	}
	return &receiver{
		decoder: decoder, emit: emit, last: listenFrame, pcm: make([]int16, audio.MaxPacketFrames*listenFrame),
		frame: make([]int16, 0, listenFrame), delay: delay, due: time.Now().Add(delay),
	}, nil
}

// deadline returns when fill must be called if no packet arrives.
func (r *receiver) deadline() time.Time { return r.due }

// push adds a packet as received.
func (r *receiver) push(seq uint16, payload []byte, now time.Time) {
	r.jitter.Push(seq, payload)
	r.decodePackets(r.jitter.Next)
	r.missing, r.due = 0, now.Add(r.delay)
}

// fillMissing conceals late packets: first it decodes packets that the jitter buffer held back behind missing ones, then
// it adds frames for the time that has passed.
func (r *receiver) fillMissing(now time.Time) {
	r.decodePackets(r.jitter.Drain)
	if r.missing == 0 {
		r.due = r.due.Add(dialogue.FrameDuration - r.delay) // the delay is filled too
	}
	for ; !r.due.After(now); r.due = r.due.Add(dialogue.FrameDuration) {
		r.missing++
		if r.missing > maxConcealed || r.decoder.Conceal(r.pcm[:listenFrame]) != nil {
			clear(r.pcm[:listenFrame])
		}
		r.appendFrames(r.pcm[:listenFrame])
	}
}

// decodePackets decodes the packets that next returns, and conceals those lost before each.
func (r *receiver) decodePackets(next func() ([]byte, int, bool)) {
	for {
		payload, lost, ok := next()
		if !ok {
			return
		}
		// Frames that fillMissing added stand for packets that are lost.
		lost = max(0, lost-r.missing)
		for i := range lost {
			var err error
			if i == lost-1 {
				err = r.decoder.DecodeFEC(payload, r.pcm[:r.last])
			} else {
				err = r.decoder.Conceal(r.pcm[:r.last])
			}
			if err != nil {
				clear(r.pcm[:r.last])
			}
			r.appendFrames(r.pcm[:r.last])
		}
		n, err := r.decoder.Decode(payload, r.pcm)
		if err != nil || n == 0 {
			continue // not Opus: concealed as a pause
		}
		r.last = n
		r.appendFrames(r.pcm[:n])
	}
}

// appendFrames splits decoded audio into frames and emits them.
func (r *receiver) appendFrames(pcm []int16) {
	for len(pcm) > 0 {
		n := min(len(pcm), listenFrame-len(r.frame))
		r.frame, pcm = append(r.frame, pcm[:n]...), pcm[n:]
		if len(r.frame) == listenFrame {
			r.emit(r.frame)
			r.frame = make([]int16, 0, listenFrame) // emit's receiver owns the other
		}
	}
}
