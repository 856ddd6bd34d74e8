// Package synthesis is a call's speech synthesis over a vendor's WebSocket:
// what the wires of the vendors have in common. Each vendor's folder gives what
// differs, a Vendor.
//
// A call's voice holds one connection and keeps it warm over the turns; each
// utterance is a context of the vendor's on it. One goroutine reads the
// connection and one writes it; neither waits for a listener.

package synthesis

import (
	"net/http"
	"time"

	"parley/internal/dialogue"
)

// Vendor is one vendor's protocol, for one voice. Its messages are what
// encoding/json makes of the values that its methods return.
type Vendor interface {
	// Endpoint is where to connect, with what header. The scheme may be http,
	// https, ws or wss.
	Endpoint() (url string, header http.Header)
	// Secret must not occur in any error.
	Secret() string
	Limits() Limits

	// Begin opens a context; nil where the first text does.
	Begin(context string) []any
	// Say adds a text to a context, to be spoken at once.
	Say(context, text string) []any
	// End says that no more text follows in a context.
	End(context string) []any
	// Cancel gives a context up, to which End was said already or not.
	Cancel(context string, ended bool) []any

	// Read understands a message. An error means that it is not of the
	// protocol.
	Read(data []byte) (Message, error)
	// Follow returns the follower of a new context. The utterance had so many
	// samples before it.
	Follow(samples int) Follower
}

// Limits are a vendor's rules about contexts.
type Limits struct {
	// Contexts is how many may be open in one connection; 0 is any number.
	Contexts int
	// Idle is how long a context is used again after the last message of it,
	// when all that was said in it was spoken: before the vendor closes it. 0
	// is for ever.
	Idle time.Duration
}

// Message is what a vendor says about a context, or, with an empty Context,
// about the whole connection.
type Message struct {
	Context string
	// Audio is PCM, signed 16 bit little endian at dialogue.SpeakRate, cut
	// anywhere, even within a sample.
	Audio []byte
	// Flush numbers the text that audio and words belong to, where the wire
	// has such numbers; they only rise. Flushed says that the audio of one
	// text is complete.
	Flush   int
	Flushed bool
	// Words have times from the start of the context or of the text.
	Words []dialogue.Word
	// Letters have times from the start of this message's audio.
	Letters []Letter
	// Done says that nothing more comes of the context.
	Done bool
	// Err says what went wrong.
	Err error
}

// Letter is a letter as it is spoken.
type Letter struct {
	Text       string
	Start, End time.Duration
}

// Follower follows what a vendor sends of one context, and tells which text
// and which words it speaks.
type Follower interface {
	// Said tells it of a text, as the transcript will have it and as it was
	// sent to be spoken.
	Said(text, spoken string)
	// Take makes speech of a message.
	Take(m Message) []dialogue.Speech
	// Rest is what remains to be told when the context is done.
	Rest() []dialogue.Speech
	// Samples is how many the utterance has so far.
	Samples() int
	// Spoken reports that all that was said was also spoken, as far as the
	// wire tells.
	Spoken() bool
}
