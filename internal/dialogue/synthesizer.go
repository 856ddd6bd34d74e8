package dialogue

import "context"

// Synthesizer is a text-to-speech provider.
type Synthesizer interface {
	// Open connects a voice for one call, to be used for all its turns.
	Open(ctx context.Context, o VoiceOptions) (Voice, error)
}

// Normalizer is a Synthesizer not all of whose voices read numbers, dates and addresses in words by themselves.
type Normalizer interface {
	// NormalizesText reports whether a voice with these options does.
	NormalizesText(o VoiceOptions) bool
}

// VoiceOptions configures a voice.
type VoiceOptions struct {
	Model    string // "" for the provider's default
	VoiceID  string
	Language string  // BCP 47, "" for the voice's own
	Speed    float64 // 1 is normal; 0 means 1
	// Emotion and TextNormalization are those of the agent's configuration; "" for the provider's default. Providers without them
	// ignore them.
	Emotion, TextNormalization string
	// Used receives what the provider bills. It is no property of the voice: what identifies one, in JSON, is without it.
	Used UsageFunc `json:"-"`
}

// Voice synthesises speech for one call.
type Voice interface {
	// Speak starts an utterance. Cancelling the context stops it immediately, at the provider too.
	Speak(ctx context.Context) (Utterance, error)
	// Close releases the voice. It is idempotent.
	Close() error
}

// Utterance is the speech of one answer, whose text is added sentence by sentence.
type Utterance interface {
	// Say adds text, normally a sentence or clause. It does not wait for the audio.
	Say(text string) error
	// End marks the end of the text.
	End() error
	// Audio returns the speech at SpeakRate as it is produced, in order. It is closed when all text was spoken, on
	// failure and on cancellation; Err then returns nil, the failure, or the context's error.
	Audio() <-chan Speech
	Err() error
}

// Speech is a segment of synthesised audio.
type Speech struct {
	PCM []int16
	// Text is the text that starts with this segment: set on the first segment of each Say, so that an interrupted
	// transcript can be truncated to what was played.
	Text string
	// Words are word times within the utterance, if the provider reports them.
	Words []Word
}
