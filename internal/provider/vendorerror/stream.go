package vendorerror

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
)

// OfMessage returns the error that a vendor reports in a message of its stream, with its code and text; refused if a retry is useless.
func OfMessage(vendor string, refused bool, code, words string) error {
	return ofMessage(vendor, refused, code, words)
}

func ofMessage(vendor string, refused bool, code, words string) reported {
	known := reported{sentence: dialogue.NewError(vendor + " reports an error"), codes: []string{code}, words: strings.TrimSpace(code + " " + words)}
	if refused {
		known.sentence = fmt.Errorf("%s: %w", vendor, dialogue.ErrRefused)
	}
	if number, err := strconv.Atoi(code); err == nil && number >= 1000 && number < 5000 { // as WebSockets close with
		known.status = code
	}
	return known
}

// OfEnd returns why a vendor's WebSocket ended that this side has not closed; err is of a read. limit is the largest message in
// bytes. refuses reports whether a retry is useless after a close code and reason; nil for never.
func OfEnd(vendor string, err error, limit int, refuses func(websocket.StatusCode, string) bool, key string) error {
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed):
		known := ofMessage(vendor, refuses != nil && refuses(closed.Code, closed.Reason), strconv.Itoa(int(closed.Code)), Clean(closed.Reason, key))
		if !errors.Is(known, dialogue.ErrRefused) {
			known.sentence = dialogue.NewError(vendor + " closed the connection")
		}
		return known
	case errors.Is(err, websocket.ErrMessageTooBig):
		return dialogue.Errorf("%s sent a message of over %d bytes", vendor, limit)
	case errors.Is(err, net.ErrClosed): // by the library, because a ping could not be sent within 5 s
		return dialogue.Errorf("connection to %s is dead: it accepts no data", vendor)
	case errors.Is(err, io.EOF):
		return dialogue.Errorf("%s dropped the connection", vendor)
	}
	return dialogue.Wrap("connection to "+vendor, err)
}
