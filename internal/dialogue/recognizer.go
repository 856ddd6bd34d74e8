package dialogue

import "context"

// Recognizer is a speech-to-text provider.
type Recognizer interface {
	// Recognize opens a recognition stream for one call. It ends with the context.
	Recognize(ctx context.Context, o RecognizeOptions) (Recognition, error)
}

// RecognizeOptions configures a recognition stream.
type RecognizeOptions struct {
	Model    string
	Language string // BCP 47, "" for the provider's default
}

// Recognition is the recognition stream of one call, over all its turns.
type Recognition interface {
	// Write sends caller audio at ListenRate: a frame, or a few at once during silence. It does not block; it fails
	// only when the stream has ended.
	Write(pcm []int16) error
	// Finalize requests a final transcript of the audio written so far. It is called when the caller falls silent,
	// and does not block.
	Finalize() error
	// Transcripts yields what was heard, in order. It is closed when the
	// stream ends; Err then returns why (nil after Close).
	Transcripts() <-chan Transcript
	Err() error
	// Close ends the stream and frees what it holds. It is idempotent.
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
