package vendorerror

import (
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
)

// OfMessage returns the error that a vendor reports in a message of its stream, with its code and text; refused if a retry is useless.
func OfMessage(vendor string, refused bool, words string) error {
	if refused {
		return fmt.Errorf("%s: %w: %s", vendor, dialogue.ErrRefused, words)
	}
	return fmt.Errorf("%s reports an error: %s", vendor, words)
}

// OfEnd returns why a vendor's WebSocket ended that this side has not closed; err is of a read. limit is the largest message in
// bytes. refuses reports whether a retry is useless after a close code and reason; nil for never.
func OfEnd(vendor string, err error, limit int, refuses func(websocket.StatusCode, string) bool, key string) error {
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed):
		words := fmt.Sprint(int(closed.Code))
		if reason := Clean(closed.Reason, key); reason != "" {
			words += " " + reason
		}
		if refuses != nil && refuses(closed.Code, closed.Reason) {
			return OfMessage(vendor, true, words)
		}
		return fmt.Errorf("%s closed the connection: %s", vendor, words)
	case errors.Is(err, websocket.ErrMessageTooBig):
		return fmt.Errorf("%s sent a message of over %d bytes", vendor, limit)
	case errors.Is(err, net.ErrClosed): // by the library, because a ping could not be sent within 5 s
		return fmt.Errorf("connection to %s is dead: it accepts no data", vendor)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s dropped the connection", vendor)
	}
	return fmt.Errorf("connection to %s: %w", vendor, err)
}
