// Package synthesis implements streaming speech synthesis over a vendor's WebSocket. Each vendor's package provides
// a Vendor.
//
// A call's voice keeps one connection for all turns; each utterance is a context on it. One goroutine reads the
// connection and one writes it; neither waits for a reader of speech.

package synthesis

import (
	"net/http"
	"time"

	"parley/internal/dialogue"
)

// Vendor is a vendor's protocol, for one voice. Messages are encoded by encoding/json.
type Vendor interface {
	// Endpoint returns address and header to connect with. The scheme may be http, https, ws or wss.
	Endpoint() (url string, header http.Header)
	// Secret returns the key, which errors must not contain.
	Secret() string
	// Client returns what connects; nil for the process's own.
	Client() *http.Client
	Limits() Limits

	// Begin returns the message that opens a context; nil if the first text does.
	Begin(context string) []any
	// Say returns the message that adds a text for immediate synthesis.
	Say(context, text string) []any
	// End returns the message that ends the text of a context.
	End(context string) []any
	// Cancel returns the message that cancels a context, whether or not End was sent.
	Cancel(context string, ended bool) []any

	// Read parses a message, of which it keeps nothing. An error means that it is malformed.
	Read(data []byte) (Message, error)
	// Follow returns the follower of a new context; samples is the utterance's number of samples before it.
	Follow(samples int) Follower
}

// Limits are a vendor's limits of contexts.
type Limits struct {
	// Contexts is how many may be open on one connection; 0 for no limit.
	Contexts int
	// Idle is how long a fully spoken context is reused after its last message, which must be less than the
	// vendor's own timeout. 0 for no limit.
	Idle time.Duration
	// Separator is how many characters Say adds to a text.
	Separator int
}

// Message is a vendor's message about a context, or about the whole connection if Context is empty.
type Message struct {
	Context string
	// Audio is PCM, signed 16 bit little endian at dialogue.SpeakRate, split at any byte.
	Audio []byte
	// Flush is the increasing number of the text that audio and words belong to, if the protocol has one. Flushed
	// reports that the audio of a text is complete.
	Flush   int
	Flushed bool
	// Words have times from the start of the context or of the text.
	Words []dialogue.Word
	// Letters have times from the start of this message's audio.
	Letters []Letter
	// Done reports that the context has ended.
	Done bool
	// Err is the vendor's error.
	Err error
}

// Letter is a spoken character.
type Letter struct {
	Text       string
	Start, End time.Duration
}

// Follower assigns the audio of one context to texts and words.
type Follower interface {
	// Said adds a text, as in the transcript and as sent.
	Said(text, spoken string)
	// HandleMessage converts a message to speech.
	HandleMessage(m Message) []dialogue.Speech
	// Rest returns the remaining speech when the context has ended.
	Rest() []dialogue.Speech
	// Samples returns the utterance's number of samples so far.
	Samples() int
	// Spoken reports whether every text was completely spoken, as far as the protocol reports it.
	Spoken() bool
}
