package worker

import (
	"context"
	"sync"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/fault"
	"parley/internal/sound"
	"parley/internal/voice"
)

const (
	// holdPause is the quiet after the agent's last frame before the hold sound goes on.
	holdPause = 400 * time.Millisecond
	// holdLoad limits how long a tenant's hold sound may take to load, while the caller hears nothing.
	holdLoad = 2 * time.Second
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

// Sounds has the tenants' sounds, and bundled ones.
type Sounds interface {
	// Loop returns a tenant's sound by its name, or not_found.
	Loop(ctx context.Context, tenantID, name string) (*sound.Loop, error)
	// Source returns a tenant's sound by its name, or else a bundled one, or not_found.
	Source(ctx context.Context, tenantID, name string) (sound.Source, error)
}

// sounds has a tenant's sounds, for voice.Sounds.
type sounds struct {
	sounds   Sounds
	tenantID string
}

func (s sounds) Sound(ctx context.Context, name string) (voice.SoundSource, error) {
	source, err := s.sounds.Source(ctx, s.tenantID, name)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return source, err
}

// holdPlayer plays what a caller on hold hears.
type holdPlayer interface {
	// next returns the next 20 ms at dialogue.SpeakRate, which are valid until the next call.
	next() []int16
}

// serverHold plays the sound of this server.
type serverHold struct{ at int }

func (h *serverHold) next() []int16 {
	loop := holdSound()
	at := h.at % len(loop)
	h.at = at + speakFrame
	return loop[at:h.at]
}

// tenantHold plays a sound of the tenant, and that of this server once the tenant's has failed.
type tenantHold struct {
	player *sound.Player // nil after that
	failed func(error)
	server serverHold
}

func (h *tenantHold) next() []int16 {
	if h.player != nil {
		pcm, err := h.player.Next()
		if err == nil {
			return pcm
		}
		h.failed(err)
		h.player = nil
	}
	return h.server.next()
}

// holdPlayer returns the player of an agent's hold sound; "" is that of this server, as is one that cannot be loaded.
func (s *session) holdPlayer(agent, name string) holdPlayer {
	if name == "" {
		return new(serverHold)
	}
	failed := func(err error) {
		message := "the hold sound " + name + " could not be loaded: the sound of this server is played"
		if fault.Is(err, fault.NotFound) {
			message = "there is no hold sound " + name + " any more: the sound of this server is played"
		} else {
			s.log.WarnContext(s.trace, "failed to load a hold sound", "sound", name, "error", err)
		}
		s.journal.Problem(voice.Problem{Service: voice.Workflow, Message: message, Agent: agent, At: time.Now()})
	}
	ctx, cancel := context.WithTimeout(s.trace, holdLoad)
	defer cancel()
	loop, err := s.w.options.Sounds.Loop(ctx, s.call.TenantID, name)
	if err == nil {
		var player *sound.Player
		if player, err = loop.Player(); err == nil {
			return &tenantHold{player: player, failed: failed}
		}
	}
	failed(err)
	return new(serverHold)
}

// startHold has the caller hear the hold sound whenever the agent does not speak. load is called once, before the first frame.
func (l *line) startHold(load func() holdPlayer) {
	l.output.Lock()
	defer l.output.Unlock()
	if l.hold != nil {
		return
	}
	l.hold = make(chan struct{})
	go l.playHold(l.hold, load)
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
func (l *line) playHold(stop <-chan struct{}, load func() holdPlayer) {
	player := load()
	began := time.Now()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(time.Until(began.Add(time.Duration(n) * dialogue.FrameDuration))):
		}
		frame := player.next()
		l.output.Lock()
		select {
		case <-stop: // meanwhile
		default:
			if time.Since(l.played) >= holdPause {
				_ = l.send(frame) // the participant has left: the call ends for that
			}
		}
		l.output.Unlock()
	}
}
