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
	// patience is how long the next packet may be late before silence takes its place: jitter below it costs nothing.
	patience = 60 * time.Millisecond
	// concealed is how many frames in a row are made up for by the decoder, which fades; then comes digital silence.
	concealed = 3
)

// listen turns a track's packets into Frames until the track ends, another takes its place or the participant is gone.
func (p *Participant) listen(track *webrtc.TrackRemote) {
	if p.options.OnPacket != nil {
		p.relay(track)
		return
	}
	e, err := newEar(p.hear)
	if err != nil {
		return
	}
	buf := make([]byte, 1500)
	var packet rtp.Packet
	for p.hears(track) {
		_ = track.SetReadDeadline(e.deadline())
		n, _, err := track.Read(buf)
		switch {
		case isTimeout(err):
			e.late(time.Now())
		case err != nil:
			return
		case packet.Unmarshal(buf[:n]) == nil && len(packet.Payload) > 0:
			e.packet(packet.SequenceNumber, packet.Payload, time.Now())
		}
	}
}

// relay hands a track's packets on as they are, until the track ends, another takes its place or the participant is gone.
func (p *Participant) relay(track *webrtc.TrackRemote) {
	buf := make([]byte, 1500)
	var packet rtp.Packet
	for p.hears(track) {
		n, _, err := track.Read(buf)
		if err != nil {
			return
		}
		if packet.Unmarshal(buf[:n]) == nil && len(packet.Payload) > 0 {
			p.options.OnPacket(packet.Payload, time.Now())
		}
	}
}

func (p *Participant) hears(track *webrtc.TrackRemote) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.over && p.listening == track
}

// hear queues a frame and never waits.
func (p *Participant) hear(frame []int16) {
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

// ear turns the packets of one sender into an unbroken row of frames: in order, lost ones made up for, pauses filled.
type ear struct {
	decoder *audio.Decoder
	jitter  audio.Jitter
	hear    func([]int16)

	pcm   []int16 // a decoded packet
	frame []int16 // being filled
	last  int     // samples in the packet before: what a lost one is taken to have had

	due     time.Time // when the frame that comes next has been waited for long enough
	missing int       // frames filled in since the last packet
}

func newEar(hear func([]int16)) (*ear, error) {
	decoder, err := audio.NewDecoder(dialogue.ListenRate)
	if err != nil {
		return nil, err
	}
	return &ear{
		decoder: decoder, hear: hear, last: listenFrame, pcm: make([]int16, audio.MaxPacketFrames*listenFrame),
		frame: make([]int16, 0, listenFrame), due: time.Now().Add(patience),
	}, nil
}

// deadline is when late must be called if no packet comes.
func (e *ear) deadline() time.Time { return e.due }

// packet takes a packet as it comes from the network.
func (e *ear) packet(seq uint16, payload []byte, now time.Time) {
	e.jitter.Push(seq, payload)
	e.drain(e.jitter.Next)
	e.missing, e.due = 0, now.Add(patience)
}

// late fills in for packets that have not come: first those that were held back because others before them are
// missing, then as many frames as time has passed.
func (e *ear) late(now time.Time) {
	e.drain(e.jitter.Drain)
	if e.missing == 0 {
		e.due = e.due.Add(dialogue.FrameDuration - patience) // what was waited for is owed too
	}
	for ; !e.due.After(now); e.due = e.due.Add(dialogue.FrameDuration) {
		e.missing++
		if e.missing > concealed || e.decoder.Conceal(e.pcm[:listenFrame]) != nil {
			clear(e.pcm[:listenFrame])
		}
		e.deliver(e.pcm[:listenFrame])
	}
}

func (e *ear) drain(next func() ([]byte, int, bool)) {
	for {
		payload, lost, ok := next()
		if !ok {
			return
		}
		// Frames that were filled in while nothing came stand for the ones now known to be lost.
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
			continue // not Opus: the pause it leaves is filled in like any other
		}
		e.last = n
		e.deliver(e.pcm[:n])
	}
}

// deliver cuts sound into frames.
func (e *ear) deliver(pcm []int16) {
	for len(pcm) > 0 {
		n := min(len(pcm), listenFrame-len(e.frame))
		e.frame, pcm = append(e.frame, pcm[:n]...), pcm[n:]
		if len(e.frame) == listenFrame {
			e.hear(e.frame)
			e.frame = make([]int16, 0, listenFrame) // the receiver owns the other
		}
	}
}
