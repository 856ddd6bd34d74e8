// Package recognition implements streaming speech recognition over a vendor's WebSocket. Each vendor's package
// provides a Dialect.
//
// Audio is sent from a bounded queue by one goroutine; another receives the vendor's messages, and a third tracks
// what was recognised and requested (account.go).
package recognition

import (
	"net/http"
	"time"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
)

// Dialect is a vendor's protocol.
type Dialect struct {
	Vendor string // in errors

	// Piece is the amount of audio per binary message, 100 ms at most, and Least the vendor's minimum. The
	// remainder is sent at a Finalize, padded with silence to Least.
	Piece, Least time.Duration

	// Setup returns the text messages that configure the session, sent before any audio; nil for none. With Greets it
	// is called after the greeting was parsed.
	Setup func() []string

	// Finalize is the text message that requests the final transcript; "" if the vendor alone decides when text is final.
	Finalize string
	// KeepAlive is the text message sent after KeepAliveAfter without audio; "" is a Piece of silence. KeepAliveAfter is 0 if
	// the vendor needs neither.
	KeepAlive      string
	KeepAliveAfter time.Duration
	// Farewell is the text message that ends the stream; "" if closing the connection does.
	Farewell string
	// Encode returns the text message that carries audio (pcm_s16le), for vendors without binary messages; nil for others.
	Encode func(audio []byte) string

	// Used receives the audio that is sent; nil for vendors that report what they bill. With BillsSession it receives the time for which the
	// session was open in place of it, in whole seconds unless the vendor says otherwise.
	Used         dialogue.UsageFunc
	BillsSession bool

	// Greets reports whether the vendor accepts or rejects a session by its first message rather than by the
	// handshake.
	Greets bool

	// Pace is the most audio that the vendor accepts, as a multiple of real time; 0 without a limit.
	Pace float64

	// KeepsInterim: an empty final result does not retract the interim text before it, which is then final.
	KeepsInterim bool

	// Parse parses a message of the vendor. Its error ends the stream.
	Parse func(message []byte) (Message, error)
	// Refuses reports whether a retry is useless after the vendor closed the stream with this code and reason.
	Refuses func(code websocket.StatusCode, reason string) bool
}

// Message is a parsed message. The zero value is ignored.
type Message struct {
	// Greeting: the session was accepted.
	Greeting bool
	// Speech: the vendor has detected speech; words will follow.
	Speech bool
	// Results: a transcript, possibly empty.
	Results bool

	// The results. Text is the whole text of the segment that is not final yet; Final reports that it now is.
	// Answer reports that the message answers Finalize, if one was sent.
	Text          string
	Final, Answer bool
	// Session is how long the vendor says that the session was open, at its end; 0 in other messages.
	Session time.Duration
	// Language is that of a dialogue.Transcript.
	Language string
	// Words are those of a dialogue.Transcript.
	Words *dialogue.SpokenWords
	// EndOfTurn, EndOfSpeech and LikelyEndOfTurn are those of a dialogue.Transcript.
	EndOfTurn, EndOfSpeech, LikelyEndOfTurn bool
}

// ends reports whether a final result ends what the vendor takes for an utterance.
func (m Message) ends() bool { return m.EndOfTurn || m.EndOfSpeech }

// Request is the request to open a stream.
type Request struct {
	URL    string // http, https, ws or wss
	Header http.Header
	// Secret is the key in the header; errors never contain it.
	Secret string
	// Client makes the connection; nil for the process's own.
	Client *http.Client
}

const (
	bytesPerSecond = dialogue.ListenRate * 2
	// backlog limits the audio waiting for the network; the stream fails beyond, because older speech is useless to
	// a conversation.
	backlog = 10 * time.Second
	// longestMessage limits a vendor's message: the words of half an hour, with their times.
	longestMessage = 1 << 20
	// handshakeWait bounds opening a stream.
	handshakeWait = 5 * time.Second
	// farewellWait is how long the vendor may keep the stream open after the farewell; then it is closed.
	farewellWait = 250 * time.Millisecond
	// leaveWait bounds sending the farewell.
	leaveWait = time.Second
	// sessionWait is farewellWait for vendors that bill the session: its duration comes after the farewell.
	sessionWait = 3 * time.Second
	// billEvery is how often the use of an open session is reported.
	billEvery = 5 * time.Second
	// A connection that does not answer a ping within pulseWait is dead. TCP alone would notice only after minutes.
	pulseEvery = 5 * time.Second
	pulseWait  = 10 * time.Second
)

// farewellWait returns how long the end of the stream is awaited.
func (d Dialect) farewellWait() time.Duration {
	if d.BillsSession {
		return sessionWait
	}
	return farewellWait
}

func bytesOf(d time.Duration) int { return int(d.Milliseconds()) * bytesPerSecond / 1000 }
