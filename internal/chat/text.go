package chat

import (
	"context"
	"sync"

	"parley/internal/dialogue"
	"parley/internal/voice"
)

// line carries no audio. It signals when the agent waits for the caller.
type line struct{ c *Conversation }

func (line) Frames() <-chan []int16 { return nil }

func (line) Play([]int16) error { return nil }

func (line) Caption(voice.Caption) {}

func (line) TextMessages() <-chan string  { return nil }
func (line) Signals() <-chan voice.Signal { return nil }

func (l line) SetState(s voice.State) {
	if s == voice.Listening {
		select {
		case l.c.settled <- struct{}{}:
		default:
		}
	}
}

// writing is providers with the server's language models only.
type writing struct {
	voice.Providers
	typed *keyboard
}

func (w writing) Recognizer(string) (dialogue.Recognizer, error)   { return w.typed, nil }
func (w writing) Synthesizer(string) (dialogue.Synthesizer, error) { return mute{}, nil }

// keyboard is a recogniser that returns typed lines. Every handoff may open a new recognition; the last one
// receives them.
type keyboard struct {
	mu   sync.Mutex
	last *recognition
}

func (k *keyboard) Recognize(context.Context, dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = &recognition{transcripts: make(chan dialogue.Transcript, 1)}
	return k.last, nil
}

// enter returns a line as a final transcript.
func (k *keyboard) enter(text string) {
	k.mu.Lock()
	last := k.last
	k.mu.Unlock()
	last.deliver(dialogue.Transcript{Text: text, Final: true, EndOfTurn: true})
}

type recognition struct {
	mu          sync.Mutex
	closed      bool
	transcripts chan dialogue.Transcript
}

// deliver does not block: the next line is typed after the answer.
func (r *recognition) deliver(t dialogue.Transcript) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	select {
	case r.transcripts <- t:
	default:
	}
}

func (r *recognition) Write([]int16) error                     { return nil }
func (r *recognition) Finalize() error                         { return nil }
func (r *recognition) Transcripts() <-chan dialogue.Transcript { return r.transcripts }
func (r *recognition) Err() error                              { return nil }

func (r *recognition) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.transcripts)
	}
	return nil
}

// mute is a synthesiser and its voice. Each sentence is one frame of silence, so that the engine counts it as
// played 20 ms after its start, as with speech.
type mute struct{}

func (mute) Open(context.Context, dialogue.VoiceOptions) (dialogue.Voice, error) { return mute{}, nil }
func (mute) Close() error                                                        { return nil }

func (mute) Speak(ctx context.Context) (dialogue.Utterance, error) {
	return &utterance{ctx: ctx, wake: make(chan struct{}, 1)}, nil
}

var silence [dialogue.SpeakRate / 50]int16

// utterance passes texts on as speech. Its goroutine ends with the last text or the context.
type utterance struct {
	ctx  context.Context
	wake chan struct{}

	mu    sync.Mutex
	texts []string
	ended bool
	audio chan dialogue.Speech
}

func (u *utterance) Say(text string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.texts = append(u.texts, text)
	u.awake()
	return nil
}

func (u *utterance) End() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = true
	u.awake()
	return nil
}

func (u *utterance) awake() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// Audio starts the goroutine.
func (u *utterance) Audio() <-chan dialogue.Speech {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.audio == nil {
		u.audio = make(chan dialogue.Speech)
		go u.forwardSpeech(u.audio)
	}
	return u.audio
}

func (u *utterance) forwardSpeech(audio chan<- dialogue.Speech) {
	defer close(audio)
	for {
		u.mu.Lock()
		texts, ended := u.texts, u.ended
		u.texts = nil
		u.mu.Unlock()
		for _, text := range texts {
			select {
			case audio <- dialogue.Speech{PCM: silence[:], Text: text}:
			case <-u.ctx.Done():
				return
			}
		}
		if ended {
			return
		}
		select {
		case <-u.wake:
		case <-u.ctx.Done():
			return
		}
	}
}

func (u *utterance) Err() error { return u.ctx.Err() }
