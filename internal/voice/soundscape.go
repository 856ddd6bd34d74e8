package voice

import (
	"context"
	"math"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/voice/playout"
)

const (
	// defaultVolume is the volume of background sounds in decibels, and defaultThinkingAfter the silence before a thinking sound.
	defaultVolume, defaultThinkingAfter = -20.0, 800 * time.Millisecond
	// ambienceFade and thinkingFade are how many frames a sound takes to begin; it ends within thinkingFade.
	ambienceFade, thinkingFade = 50, 5
	// soundLoad limits how long a sound may take to load.
	soundLoad = 10 * time.Second
)

// Sounds finds sounds by name.
type Sounds interface {
	// Sound returns a sound; nil if there is none. It may take long.
	Sound(ctx context.Context, name string) (SoundSource, error)
}

// SoundSource gives a sound in frames of 20 ms at dialogue.SpeakRate, without end. A frame is valid until the next call.
type SoundSource interface {
	Next() ([]int16, error)
}

// soundscape is what the caller hears besides the agent's speech: ambience, and a sound while the agent thinks.
type soundscape struct {
	ambience, thinking soundLayer
	talks              bool          // caller and agent talk, so that they may be heard
	after              time.Duration // silence before thinking is heard
	nextAt             time.Time     // when the next frame is due while the agent does not speak
	mixed              [dialogue.SpeakRate / 50]int16
	loaded             chan loadedSound
}

// soundLayer is one of these sounds.
type soundLayer struct {
	name   string // "" for none
	source SoundSource
	gain   float64
	fade   int  // frames from silence to gain
	on     bool // it is to be heard
	level  int  // of fade
}

// loadedSound is a sound that was loaded for a layer.
type loadedSound struct {
	layer  *soundLayer
	name   string
	source SoundSource
	err    error
}

func newSoundscape() *soundscape {
	return &soundscape{ambience: soundLayer{fade: ambienceFade}, thinking: soundLayer{fade: thinkingFade}, loaded: make(chan loadedSound)}
}

// applySounds begins to load the current agent's sounds. One that is heard already goes on.
func (s *Session) applySounds(ctx context.Context) {
	c, scape := s.router.Config(), s.output.soundscape
	ambience, thinking := agent.Ambience{}, agent.ThinkingSound{}
	if c.Ambience != nil {
		ambience = *c.Ambience
	}
	if c.ThinkingSound != nil {
		thinking = *c.ThinkingSound
	}
	scape.after = defaultThinkingAfter
	if thinking.AfterMS != nil {
		scape.after = time.Duration(*thinking.AfterMS) * time.Millisecond
	}
	s.applySound(ctx, &scape.ambience, ambience.Sound, ambience.VolumeDB)
	s.applySound(ctx, &scape.thinking, thinking.Sound, thinking.VolumeDB)
}

func (s *Session) applySound(ctx context.Context, l *soundLayer, name string, volume *float64) {
	l.gain = math.Pow(10, defaultVolume/20)
	if volume != nil {
		l.gain = math.Pow(10, *volume/20)
	}
	if l.name == name || s.options.Sounds == nil {
		return
	}
	l.name, l.source, l.level = name, nil, 0
	if name == "" {
		return
	}
	s.work.Go(func() {
		limited, cancel := context.WithTimeout(ctx, soundLoad)
		defer cancel()
		source, err := s.options.Sounds.Sound(limited, name)
		select {
		case s.output.soundscape.loaded <- loadedSound{l, name, source, err}:
		case <-ctx.Done():
		}
	})
}

// setSound handles a sound that was loaded.
func (s *Session) setSound(l loadedSound) {
	switch {
	case l.layer.name != l.name: // another agent has the call
	case l.err == nil && l.source != nil:
		l.layer.source = l.source
	default:
		message := "there is no sound " + l.name + " any more: it is not played"
		if l.err != nil {
			message = "the sound " + l.name + " could not be loaded: it is not played"
		}
		s.problems.report(Problem{Service: Workflow, Agent: s.router.Agent(), Message: message, At: time.Now()})
	}
}

// heard reports whether the layer is heard, or fades out.
func (l *soundLayer) heard() bool { return l.source != nil && (l.on || l.level > 0) }

// addTo mixes the layer's next frame into samples.
func (l *soundLayer) addTo(mixed []int16) {
	if !l.heard() {
		return
	}
	from, to := l.level, max(0, l.level-max(1, l.fade/thinkingFade))
	if l.on {
		to = min(l.fade, l.level+1)
	}
	l.level = to
	pcm, err := l.source.Next()
	if err != nil { // it was checked when it was stored
		l.source = nil
		return
	}
	begin, step := l.gain*float64(from)/float64(l.fade), l.gain*float64(to-from)/float64(l.fade*len(mixed))
	for i := range min(len(pcm), len(mixed)) {
		v := float64(mixed[i]) + (begin+step*float64(i))*float64(pcm[i])
		mixed[i] = int16(max(math.MinInt16, min(v, math.MaxInt16)))
	}
}

// isHeard reports whether there is anything to mix.
func (c *soundscape) isHeard() bool { return c.ambience.heard() || c.thinking.heard() }

// mix returns a frame of the agent's speech with the sounds; nil for a frame without speech. It is valid until the next call.
func (c *soundscape) mix(speech []int16) []int16 {
	clear(c.mixed[copy(c.mixed[:], speech):])
	c.ambience.addTo(c.mixed[:])
	c.thinking.addTo(c.mixed[:])
	return c.mixed[:]
}

// sent handles a frame that was sent: the next one follows it without a gap.
func (c *soundscape) sent(now time.Time) {
	if c.nextAt.IsZero() || now.Sub(c.nextAt).Abs() > playout.MaxLateness {
		c.nextAt = now
	}
	c.nextAt = c.nextAt.Add(dialogue.FrameDuration)
}

// keepSounds switches the sounds on and off. They are heard while caller and agent talk, not on hold, in transfers, or before it is known who
// has answered the phone.
func (s *Session) keepSounds(now time.Time) {
	c := s.output.soundscape
	talks := s.phase.talks() && !s.phase.detectsAnswer() && !s.held && s.output.person() == nil
	c.talks, c.ambience.on = talks, talks
	due := s.thinkingAt()
	c.thinking.on = talks && !due.IsZero() && !now.Before(due)
}

// thinkingAt returns from when on the thinking sound is heard; zero while the agent has something to say, and while the caller speaks.
func (s *Session) thinkingAt() time.Time {
	a, queue := s.output.current, s.output.queue
	switch {
	case s.output.soundscape.thinking.source == nil, a == nil, a.preemptive, a.audioEnded, queue.Ready(), queue.Paused(), s.input.speech.Speaking(),
		a.replyTo == "" && !s.tools.isAwaitedBy(a):
		return time.Time{}
	}
	since := a.started
	for _, t := range []time.Time{s.output.committed, s.output.lastPlayed} {
		if t.After(since) {
			since = t
		}
	}
	return since.Add(s.output.soundscape.after)
}

// soundsDueAt returns when a frame of the sounds is due, or one begins to be heard; zero for never.
func (s *Session) soundsDueAt() time.Time {
	c := s.output.soundscape
	switch {
	case s.isHeldSilent() || s.output.person() != nil:
		return time.Time{}
	case c.isHeard() && s.output.queue.NextFrameAt().IsZero():
		return c.nextAt
	case !c.talks, c.thinking.on:
		return time.Time{}
	}
	return s.thinkingAt()
}

// playSounds plays the frames of the sounds that are due while the agent does not speak.
func (s *Session) playSounds(ctx context.Context, now time.Time) {
	o := s.output
	c := o.soundscape
	if !c.isHeard() || o.person() != nil || o.queue.Ready() {
		return
	}
	if c.nextAt.IsZero() || now.Sub(c.nextAt) > playout.MaxLateness {
		c.nextAt = now
	}
	for !now.Before(c.nextAt) {
		c.nextAt = c.nextAt.Add(dialogue.FrameDuration)
		if err := o.sendToCaller(c.mix(nil)); err != nil {
			s.options.Log.DebugContext(ctx, "line refuses audio", "error", err)
		}
	}
}
