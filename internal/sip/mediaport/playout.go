package mediaport

import (
	"time"

	"parley/internal/audio"
)

const (
	// mostQueued bounds the audio that waits in a playout: more than the longest wait for a missing packet.
	mostQueued = 400 * time.Millisecond

	// playoutWindow is the time over which the shortest wait of audio shows that a network has become better.
	playoutWindow = 10 * time.Second

	// catchUp is the part of its duration by which audio is played earlier while it waits longer than it has to.
	catchUp = 20
)

// playout plays audio at the pace at which it was spoken. What comes in time passes at once. What comes in a burst, after packets
// that the network held back or lost, waits until its predecessors have been played: the listener then hears no pause at the
// next hole of the same length. As the network becomes better, the wait becomes shorter.
type playout struct {
	rate int // in Hz
	emit func(pcm []int16)

	now    time.Time
	next   time.Time // when the audio that was played last ends
	queue  []queuedAudio
	queued time.Duration
	spare  [][]int16

	shortest time.Duration // wait since windowAt
	windowAt time.Time
	surplus  time.Duration // of the wait, to be caught up
}

// queuedAudio is audio that waits.
type queuedAudio struct {
	pcm []int16
	at  time.Time // of arrival
}

// advance sets the time, and plays what is due.
func (p *playout) advance(now time.Time) {
	p.now = now
	for len(p.queue) > 0 && !p.isEarly(p.queue[0].pcm) {
		p.playFirst()
	}
}

// add plays audio when it is due. It is copied if it waits.
func (p *playout) add(pcm []int16) {
	if len(pcm) == 0 {
		return
	}
	if len(p.queue) == 0 && !p.isEarly(pcm) {
		p.play(pcm, 0)
		return
	}
	var waiting []int16
	if n := len(p.spare); n > 0 {
		waiting, p.spare = p.spare[n-1], p.spare[:n-1]
	}
	p.queue = append(p.queue, queuedAudio{append(waiting[:0], pcm...), p.now})
	p.queued += p.duration(pcm)
	for p.queued > mostQueued {
		p.next = p.now
		p.playFirst()
	}
}

// flush plays all that waits.
func (p *playout) flush() {
	for len(p.queue) > 0 {
		p.playFirst()
	}
}

// isEmpty reports whether no audio waits.
func (p *playout) isEmpty() bool { return len(p.queue) == 0 }

func (p *playout) duration(pcm []int16) time.Duration { return audio.Duration(len(pcm), p.rate) }

// isEarly reports whether audio would be played before its predecessor has ended. Half of its own duration is the unevenness of a
// good network.
func (p *playout) isEarly(pcm []int16) bool { return p.next.Sub(p.now) > p.duration(pcm)/2 }

func (p *playout) playFirst() {
	first := p.queue[0]
	p.queue = p.queue[:copy(p.queue, p.queue[1:])]
	p.queued -= p.duration(first.pcm)
	p.play(first.pcm, p.now.Sub(first.at))
	p.spare = append(p.spare, first.pcm)
}

// play plays audio that has waited for a time.
func (p *playout) play(pcm []int16, waited time.Duration) {
	d := p.duration(pcm)
	if p.shortest = min(p.shortest, waited); p.now.Sub(p.windowAt) >= playoutWindow {
		p.surplus, p.shortest, p.windowAt = p.shortest, waited, p.now
	}
	step := d
	if waited > 0 && p.surplus > 0 {
		step -= d / catchUp
		p.surplus -= d / catchUp
	}
	if waited == 0 || p.now.Sub(p.next) > d { // a packet begins the pace anew, and so does the end of a hole
		p.next = p.now
	}
	p.next = p.next.Add(step)
	p.emit(pcm)
}
