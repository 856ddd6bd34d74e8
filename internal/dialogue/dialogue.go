// Package dialogue is the vocabulary that a conversation and its providers
// share: what a recogniser hears, what a language model says and what a
// synthesiser speaks.
//
// The interfaces stand here rather than beside their caller (package voice)
// because a provider's methods must return these very stream types, and
// providers live on the same floor as voice and may not import it.
package dialogue

import "time"

// Sample rates of the audio path, in hertz. All PCM is mono, signed 16 bit.
const (
	// ListenRate is the rate of the caller's audio as recognisers get it.
	ListenRate = 16000
	// SpeakRate is the rate at which synthesisers deliver and Opus encodes.
	SpeakRate = 24000
)

// FrameDuration is the length of every audio frame on the path.
const FrameDuration = 20 * time.Millisecond

// Word is one spoken word with its place in the audio it belongs to.
type Word struct {
	Text       string
	Start, End time.Duration
}
