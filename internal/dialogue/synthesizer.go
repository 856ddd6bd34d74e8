package dialogue

import "context"

// Synthesizer turns text into speech.
type Synthesizer interface {
	// Open makes a voice ready for one call and keeps it warm over its turns.
	Open(ctx context.Context, o VoiceOptions) (Voice, error)
}

// VoiceOptions says who speaks and how.
type VoiceOptions struct {
	Model    string // "" for the provider's default
	VoiceID  string
	Language string  // BCP 47, "" for the voice's own
	Speed    float64 // 1 is normal; 0 means 1
}

// Voice speaks for one call.
type Voice interface {
	// Speak begins an utterance. Cancelling the context silences it at once
	// and tells the provider to stop.
	Speak(ctx context.Context) (Utterance, error)
	// Close frees what the voice holds. It may be called twice.
	Close() error
}

// Utterance is one answer being spoken, fed sentence by sentence.
type Utterance interface {
	// Say appends text, normally a sentence or clause. It does not wait for
	// the audio.
	Say(text string) error
	// End says that no more text follows.
	End() error
	// Audio yields speech at SpeakRate as it is made, in order. It is closed
	// when all text was spoken, on failure and on cancellation; Err then tells
	// which (nil, the failure, or the context's error).
	Audio() <-chan Speech
	Err() error
}

// Speech is a piece of synthesised audio.
type Speech struct {
	PCM []int16
	// Text is the text that this piece begins to speak: set on the first
	// piece of each Say, so that a transcript can be cut to what was heard.
	Text string
	// Words are word times within the utterance, where the provider has them.
	Words []Word
}
