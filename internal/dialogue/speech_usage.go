package dialogue

import "time"

// SpeechUsage is what a recogniser, a voice or a realtime model has used, in the units in which its provider bills it. Units that are 0 are
// not billed.
type SpeechUsage struct {
	Usage
	// Audio is the duration of the audio that was sent to a recogniser, or of the session where the provider bills that.
	Audio time.Duration
	// Characters are those that a voice was asked to speak, in Unicode code points.
	Characters int
	// Model is the one that is billed; "" for the one that was asked for.
	Model string
}

// UsageFunc receives what was used since its last call; nil for nobody. It may be called concurrently, and is not called any more once what
// reports to it is closed.
type UsageFunc func(SpeechUsage)

// Report passes on what was used.
func (f UsageFunc) Report(u SpeechUsage) {
	if f != nil {
		f(u)
	}
}
