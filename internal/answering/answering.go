// Package answering decides who answered a phone call that was dialled: a person, a mailbox, an assistant that screens
// calls, a menu, or a fax. It looks at the sound of the line from the answer on, and at its transcript where there is
// one.
//
// Layers come to a class one by one, the cheapest first: tones, the timing of speech, phrases. Each leaves its
// evidence. A phrase beats the clock. A language model is asked only where they disagree (Judge.ModelDue).
package answering

import (
	"slices"
	"time"
)

// Class is who answered.
type Class string

// The classes.
const (
	Human       Class = "human"
	Voicemail   Class = "voicemail"    // a mailbox that takes a message
	MailboxFull Class = "mailbox_full" // a mailbox that takes none
	Screening   Class = "screening"    // an assistant that asks who is calling, or has the caller wait
	Menu        Class = "menu"         // press or say something
	Fax         Class = "fax"
	Silence     Class = "silence" // nobody speaks
	Unknown     Class = "unknown"
)

// Classes are all classes.
var Classes = []Class{Human, Voicemail, MailboxFull, Screening, Menu, Fax, Silence, Unknown}

// IsClass reports whether a text is a class.
func IsClass(text string) bool { return slices.Contains(Classes, Class(text)) }

// Layer is what evidence comes from.
type Layer string

// The layers.
const (
	Tones   Layer = "tones"
	Timing  Layer = "timing"
	Phrases Layer = "phrases"
	Model   Layer = "model"
	Clock   Layer = "clock" // nothing was certain in time
)

// Cause is what led to a class.
type Cause string

// The causes.
const (
	SpecialInformation Cause = "special_information" // three rising tones: the number is not in service
	BusyTone           Cause = "busy_tone"
	FaxTone            Cause = "fax_tone"
	Beep               Cause = "beep"           // after speech
	ShortGreeting      Cause = "short_greeting" // and a pause for the other side to speak
	Sentence           Cause = "sentence"       // without a phrase of a machine, and such a pause
	LongGreeting       Cause = "long_greeting"
	Phrase             Cause = "phrase"
	ModelJudged        Cause = "model"
	NoSpeech           Cause = "no_speech"
	WindowOver         Cause = "timeout"
)

// Evidence is what one layer found.
type Evidence struct {
	Layer      Layer         `json:"layer"`
	Class      Class         `json:"class"`
	Cause      Cause         `json:"cause"`
	Confidence float64       `json:"confidence"`       // 0 to 1
	Detail     string        `json:"detail,omitempty"` // the phrase, the tone, or the duration
	After      time.Duration `json:"-"`                // since the call was answered
}

// Verdict is who answered, with the evidence of every layer.
type Verdict struct {
	Evidence               // that decided
	All      []Evidence    // in the order in which it came up
	Spoke    time.Duration // from the beginning of speech to the verdict; 0 without speech
}
