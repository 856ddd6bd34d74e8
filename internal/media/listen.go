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
	// jitterDelay is how late a packet may be before its frame is filled in: jitter below it has no effect.
	jitterDelay = 60 * time.Millisecond
	// maxConcealed is how many frames in a row the decoder conceals, fading out; digital silence follows.
	maxConcealed = 3
)

// listen decodes a track's packets into Frames until the track ends, is replaced, or the participant leaves.
func (p *Participant) listen(track *webrtc.TrackRemote) {
	if p.options.OnPacket != nil {
		p.relay(track)
		return
	}
	e, err := newReceiver(p.pushFrame)
	if err != nil {
		return
	}
	buf := make([]byte, 1500)
	var packet rtp.Packet
	var path pathMonitor
	_, id := trackOwner(track)
	for p.isListening(track) {
		_ = track.SetReadDeadline(e.deadline())
		n, _, err := track.Read(buf)
		switch {
		case isTimeout(err):
			now := time.Now()
			e.fill(now)
			if p.options.Agent && path.dead(now) {
				p.requestResume(id)
			}
		case err != nil:
			return
		case packet.Unmarshal(buf[:n]) == nil && len(packet.Payload) > 0:
			now := time.Now()
			path.arrived(now)
			e.push(packet.SequenceNumber, packet.Payload, now)
		}
	}
}

// relay calls OnPacket with a track's packets until the track ends, is replaced, or the participant leaves.
func (p *Participant) relay(track *webrtc.TrackRemote) {
	buf := make([]byte, 1500)
	var packet rtp.Packet
	for p.isListening(track) {
		n, _, err := track.Read(buf)
		if err != nil {
			return
		}
		if packet.Unmarshal(buf[:n]) == nil && len(packet.Payload) > 0 {
			p.options.OnPacket(packet.Payload, time.Now())
		}
	}
}

func (p *Participant) isListening(track *webrtc.TrackRemote) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.over && p.listening == track
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

	due     time.Time // when the next frame counts as late
	missing int       // frames filled in since the last packet
}

func newReceiver(emit func([]int16)) (*receiver, error) {
	decoder, err := audio.NewDecoder(dialogue.ListenRate)
	if err != nil {
		return nil, err
	}
	return &receiver{
		decoder: decoder, emit: emit, last: listenFrame, pcm: make([]int16, audio.MaxPacketFrames*listenFrame),
		frame: make([]int16, 0, listenFrame), due: time.Now().Add(jitterDelay),
	}, nil
}

// deadline returns when fill must be called if no packet arrives.
func (e *receiver) deadline() time.Time { return e.due }

// push adds a packet as received.
func (e *receiver) push(seq uint16, payload []byte, now time.Time) {
	e.jitter.Push(seq, payload)
	e.drain(e.jitter.Next)
	e.missing, e.due = 0, now.Add(jitterDelay)
}

// fill fills in for late packets: first it releases packets that were held back behind missing ones, then as many
// frames as time has passed.
func (e *receiver) fill(now time.Time) {
	e.drain(e.jitter.Drain)
	if e.missing == 0 {
		e.due = e.due.Add(dialogue.FrameDuration - jitterDelay) // the delay itself is made up for too
	}
	for ; !e.due.After(now); e.due = e.due.Add(dialogue.FrameDuration) {
		e.missing++
		if e.missing > maxConcealed || e.decoder.Conceal(e.pcm[:listenFrame]) != nil {
			clear(e.pcm[:listenFrame])
		}
		e.deliver(e.pcm[:listenFrame])
	}
}

func (e *receiver) drain(next func() ([]byte, int, bool)) {
	for {
		payload, lost, ok := next()
		if !ok {
			return
		}
		// Frames that were filled in already count for the packets now known to be lost.
		lost = max(0, lost-e.missing)
		for i := range lost {
			var err error
			if i == lost-1 {
				err = e.decoder.DecodeFEC(payload, e.pcm[:e.last])
			} else {
				err = e.decoder.Conceal(e.pcm[:e.last])
			}
			if err != nil {
				clear(e.pcm[:e.last])
			}
			e.deliver(e.pcm[:e.last])
		}
		n, err := e.decoder.Decode(payload, e.pcm)
		if err != nil || n == 0 {
			continue // not Opus: filled in like any other pause
		}
		e.last = n
		e.deliver(e.pcm[:n])
	}
}

// deliver cuts decoded audio into frames.
func (e *receiver) deliver(pcm []int16) {
	for len(pcm) > 0 {
		n := min(len(pcm), listenFrame-len(e.frame))
		e.frame, pcm = append(e.frame, pcm[:n]...), pcm[n:]
		if len(e.frame) == listenFrame {
			e.emit(e.frame)
			e.frame = make([]int16, 0, listenFrame) // the receiver owns the other
		}
	}
}
