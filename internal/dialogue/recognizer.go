package dialogue

import (
	"context"
	"time"
)

// Recognizer is a speech-to-text provider.
type Recognizer interface {
	// Recognize opens a recognition stream for one call. It ends with the context.
	Recognize(ctx context.Context, o RecognizeOptions) (Recognition, error)
}

// RecognizeOptions configures a recognition stream.
type RecognizeOptions struct {
	Model    string
	Language string // BCP 47, "" for the provider's default
	// KeyTerms are names and words to be expected; providers without key terms ignore them.
	KeyTerms []string
	// TurnSilence is the silence after which a complete turn ends, and LongestSilence the one that ends any turn, for providers that
	// judge turns by silence; 0 for the provider's own.
	TurnSilence, LongestSilence time.Duration
	// Used receives what the provider bills.
	Used UsageFunc
}

// Recognition is the recognition stream of one call, over all its turns.
type Recognition interface {
	// Write sends caller audio at ListenRate: a frame, or several during silence. It does not block; it fails
	// only when the stream has ended.
	Write(pcm []int16) error
	// Finalize requests a final transcript of the audio written so far. It is called when the caller falls silent,
	// and does not block.
	Finalize() error
	// Transcripts returns the channel of transcripts, in order. It is closed when the stream ends; Err then returns why (nil
	// after Close).
	Transcripts() <-chan Transcript
	Err() error
	// Close ends the stream and frees what it holds. It is idempotent.
	Close() error
}

// Transcript is the recognised text of a segment of speech.
type Transcript struct {
	Text string
	// Language is the BCP 47 code of the language of a final text, as the recogniser has identified it; "" if it has not.
	Language string
	// Words are the words of a final text with their times; nil from a recogniser that has none.
	Words *SpokenWords
	// Final reports that the text of this segment will not change. An answer to Finalize without speech is final and empty.
	Final bool
	// EndOfTurn says that the recogniser judges the utterance complete, by its words or melody.
	EndOfTurn bool
	// EndOfSpeech says that the recogniser measured a silence after the segment, which may be a pause within an utterance.
	EndOfSpeech bool
	// SpeechStarted reports that the recogniser has detected speech, and has no word yet; the other fields are empty.
	SpeechStarted bool
	// LikelyEndOfTurn reports of an interim transcript that the recogniser expects it to be the whole turn: preemptive generation
	// may start.
	LikelyEndOfTurn bool
}

// SpokenWords are words in the order in which they were spoken.
type SpokenWords []SpokenWord

// SpokenWord is a word with its time, from the first audio that was written to the recognition.
type SpokenWord struct {
	Text       string
	Start, End time.Duration
}
