package worker

import (
	"sync"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

const (
	// holdPause is the quiet after the agent's last frame before the hold sound goes on.
	holdPause = 400 * time.Millisecond
	// speakFrame is the samples of a frame to the caller.
	speakFrame = dialogue.SpeakRate / 50
)

// holdSound is a loop of four soft chords, computed once: nobody has rights to it.
var holdSound = sync.OnceValue(func() []int16 {
	const beat = 1600 * time.Millisecond
	chords := [][]float64{{261.63, 329.63, 392}, {220, 261.63, 329.63}, {174.61, 220, 261.63}, {196, 246.94, 293.66}} // C, Am, F, G
	var loop []int16
	for _, chord := range chords {
		var sum []int
		for n, freq := range chord {
			at := n * dialogue.SpeakRate / 5 // the notes follow each other
			for i, v := range audio.Tone(freq, dialogue.SpeakRate, beat-time.Duration(n)*200*time.Millisecond) {
				if at+i >= len(sum) {
					sum = append(sum, make([]int, at+i-len(sum)+1)...)
				}
				sum[at+i] += int(v) / 12
			}
		}
		for i, v := range sum { // it fades
			loop = append(loop, int16(v*(len(sum)-i)/len(sum)))
		}
	}
	return loop[:len(loop)/speakFrame*speakFrame]
})

// startHold has the caller hear the hold sound whenever the agent does not speak.
func (l *line) startHold() {
	l.output.Lock()
	defer l.output.Unlock()
	if l.hold != nil {
		return
	}
	l.hold = make(chan struct{})
	go l.playHold(l.hold)
}

// stopHold ends the hold sound.
func (l *line) stopHold() {
	l.output.Lock()
	defer l.output.Unlock()
	l.endHold()
}

// endHold is stopHold with l.output held.
func (l *line) endHold() {
	if l.hold != nil {
		close(l.hold)
		l.hold = nil
	}
}

// playHold plays the hold sound, paced by an absolute clock, until stop closes.
func (l *line) playHold(stop <-chan struct{}) {
	sound := holdSound()
	began := time.Now()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(time.Until(began.Add(time.Duration(n) * dialogue.FrameDuration))):
		}
		l.output.Lock()
		select {
		case <-stop: // meanwhile
		default:
			if time.Since(l.played) >= holdPause {
				at := n * speakFrame % len(sound)
				_ = l.send(sound[at : at+speakFrame]) // the participant has left: the call ends for that
			}
		}
		l.output.Unlock()
	}
}
