package offline

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"parley/internal/dialogue"
)

// Voices are flite's voices, the default first.
var Voices = []string{"rms", "slt", "awb", "kal"}

// voiceLibrary is the name that flite's library of a voice has, where it is
// not the voice's own: kal exists at 8 and at 16 kHz.
var voiceLibrary = map[string]string{"kal": "kal16"}

// Synthesizer is flite as a dialogue.Synthesizer. All calls share its
// processes: one makes a sentence in a fiftieth of the time it lasts.
type Synthesizer struct {
	pools map[string]*pool
}

// NewSynthesizer finds the installation; it starts no process yet.
func NewSynthesizer() (*Synthesizer, error) {
	if err := synthesizerProgram(); err != nil {
		return nil, err
	}
	s := &Synthesizer{pools: map[string]*pool{}}
	for _, v := range Voices {
		s.pools[v] = newPool(max(4, 2*runtime.GOMAXPROCS(0)), idleLife, func() (*process, error) {
			return startVoice(v)
		})
	}
	return s, nil
}

// startVoice starts flite with one of the Voices.
func startVoice(voice string) (*process, error) {
	if library, ok := voiceLibrary[voice]; ok {
		voice = library
	}
	return start("speak", []string{voice})
}

// Open starts a voice; "" is the default voice.
func (s *Synthesizer) Open(ctx context.Context, o dialogue.VoiceOptions) (dialogue.Voice, error) {
	if o.VoiceID == "" {
		o.VoiceID = Voices[0]
	}
	if !slices.Contains(Voices, o.VoiceID) {
		return nil, dialogue.Errorf("offline synthesiser: voice %q is not known, only %s", o.VoiceID, strings.Join(Voices, ", "))
	}
	if o.Language != "" && !english(o.Language) {
		return nil, dialogue.Errorf("offline synthesiser: language %q is not known, only English", o.Language)
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	v := &voice{
		pool:    s.pools[o.VoiceID],
		used:    o.Used,
		stretch: float32(1 / min(max(o.Speed, 0.5), 2)),
	}
	v.ctx, v.cancel = context.WithCancel(context.WithoutCancel(ctx))
	v.pool.warm()
	return v, nil
}

// Close stops all voices and ends the processes.
func (s *Synthesizer) Close() error {
	for _, p := range s.pools {
		p.close()
	}
	return nil
}

// voice synthesises speech for one call.
type voice struct {
	pool    *pool
	used    dialogue.UsageFunc
	stretch float32 // of durations: 2 is half the speed
	ctx     context.Context
	cancel  context.CancelFunc
	mu      sync.Mutex // Speak may be concurrent with Close
	work    sync.WaitGroup
}

func (v *voice) Speak(ctx context.Context) (dialogue.Utterance, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ctx.Err() != nil {
		return nil, errClosed
	}
	u := newUtterance(ctx, v)
	v.work.Go(u.make)
	v.work.Go(u.deliver)
	return u, nil
}

func (v *voice) Close() error {
	v.mu.Lock()
	v.cancel()
	v.mu.Unlock()
	v.work.Wait()
	return nil
}
