// Package recognition is a call's speech recognition over a vendor's
// WebSocket: what the wires of the vendors have in common. Each vendor's folder
// gives the dialect.
//
// Audio goes out in small pieces, from a bounded queue that one goroutine
// empties; what the vendor says comes in through another, and a third one keeps
// the account of what was heard and asked (account.go).
package recognition

import (
	"net/http"
	"time"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
)

// Dialect is how one vendor's wire differs from another's.
type Dialect struct {
	Vendor string // as errors name it

	// Piece is how much audio is waited for before a binary message goes out,
	// 100 ms at most, and Least how much the vendor wants at least. What is left
	// over when Finalize comes is sent at once, filled up with silence to Least.
	Piece, Least time.Duration

	// Finalize is the text message that asks for the final transcript; "" when
	// the vendor alone decides when a transcript is final.
	Finalize string
	// KeepAlive is the text message that stands in for audio when nothing was
	// sent for KeepAliveAfter; "" is a piece of silence. KeepAliveAfter is 0 when
	// the vendor needs neither.
	KeepAlive      string
	KeepAliveAfter time.Duration
	// Farewell is the text message that ends the stream.
	Farewell string

	// Greets tells that the vendor takes a session, or refuses it, by its first
	// message and not by the handshake.
	Greets bool

	// Hear understands one message of the vendor. Its error ends the stream.
	Hear func(message []byte) (Heard, error)
	// Refuses tells whether a stream that the vendor closed with this code and
	// reason was refused: it will be again.
	Refuses func(code websocket.StatusCode, reason string) bool
}

// Heard is one message of the vendor. The zero value is one that matters to
// nobody.
type Heard struct {
	// Greeting: the session stands.
	Greeting bool
	// Speech: the vendor hears somebody speak; words are to come.
	Speech bool
	// Results: a transcript came, empty perhaps.
	Results bool

	// The results. Text is the whole text of the stretch that is not final
	// yet, Final says that it now is. Answer says that the message answers
	// Finalize, if one was sent.
	Text                     string
	Final, EndOfTurn, Answer bool
	// LikelyEndOfTurn is that of a dialogue.Transcript.
	LikelyEndOfTurn bool
}

// Request is how a stream is opened.
type Request struct {
	URL    string // http, https, ws or wss
	Header http.Header
	// Secret is the key in the header; no error shows it.
	Secret string
}

const (
	bytesPerSecond = dialogue.ListenRate * 2
	// backlog is how much audio may wait for the network before the stream
	// counts as stuck. Older speech is of no use to a conversation.
	backlog = 10 * time.Second
	// longestMessage bounds what a vendor may send at once: the words of a turn
	// of half an hour, with their times.
	longestMessage = 1 << 20
	// handshakeWait is how long a vendor may take to open a stream.
	handshakeWait = 5 * time.Second
	// farewellWait is how long the vendor has to end the stream by itself after
	// the farewell; then it is cut.
	farewellWait = 250 * time.Millisecond
	// leaveWait is how long the farewell may take to go out.
	leaveWait = time.Second
	// A connection that answers no ping for pulseWait is dead. TCP alone would
	// take minutes to notice.
	pulseEvery = 5 * time.Second
	pulseWait  = 10 * time.Second
)

func bytesOf(d time.Duration) int { return int(d.Milliseconds()) * bytesPerSecond / 1000 }
