// Package dialogue defines the interfaces between a conversation and its providers: speech recognition, language
// model, speech synthesis.
//
// The interfaces are here rather than beside their caller (package voice) because providers return these types and
// may not import voice.
package dialogue

import "time"

// Sample rates of the audio path, in hertz. All PCM is mono, signed 16 bit.
const (
	// ListenRate is the rate of the caller's audio as recognisers get it.
	ListenRate = 16000
	// SpeakRate is the sample rate of synthesised speech.
	SpeakRate = 24000
)

// FrameDuration is the length of every audio frame on the path.
const FrameDuration = 20 * time.Millisecond

// Word is a spoken word with its time in the audio it belongs to.
type Word struct {
	Text       string
	Start, End time.Duration
}
