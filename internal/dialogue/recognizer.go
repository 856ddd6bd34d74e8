package dialogue

import "context"

// Recognizer turns a caller's speech into text.
type Recognizer interface {
	// Recognize opens the recognition of one call. The context ends it.
	Recognize(ctx context.Context, o RecognizeOptions) (Recognition, error)
}

// RecognizeOptions says what is to be recognised.
type RecognizeOptions struct {
	Model    string
	Language string // BCP 47, "" for the provider's default
}

// Recognition is the recognition of one call's audio, over all its turns.
type Recognition interface {
	// Write takes caller audio at ListenRate: a frame, or a few at once while
	// nobody speaks. It does not wait for the provider; it fails only when the
	// stream is over.
	Write(pcm []int16) error
	// Finalize asks for a final transcript of what was written so far. It is
	// called when the caller fell silent; it does not wait for the answer.
	Finalize() error
	// Transcripts yields what was heard, in order. It is closed when the
	// stream ends; Err then tells why (nil after Close).
	Transcripts() <-chan Transcript
	Err() error
	// Close ends the stream and frees what it holds. It may be called twice.
	Close() error
}

// Transcript is what was heard of one stretch of speech.
type Transcript struct {
	Text string
	// Final says that the text of this stretch will not change any more. An
	// answer to Finalize with nothing heard is final and empty.
	Final bool
	// EndOfTurn says that the recogniser judges the utterance complete.
	EndOfTurn bool
	// LikelyEndOfTurn says of an interim transcript that the recogniser expects
	// it to be the whole turn: it is worth a preemptive answer at once.
	LikelyEndOfTurn bool
}
