package recognition

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

// handshakeError says why no stream could be opened. A tenant reads it.
func (r Request) handshakeError(vendor string, response *http.Response, err error) error {
	return fmt.Errorf("connect to %s: %w", vendor, vendorerror.OfHandshake(err, response, handshakeWait, r.Secret))
}

// endError returns why a stream ended that was not closed by this side.
func (r Request) endError(d Dialect, err error) error {
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed):
		words := fmt.Sprint(int(closed.Code))
		if reason := vendorerror.Clean(closed.Reason, r.Secret); reason != "" {
			words += " " + reason
		}
		if d.Refuses(closed.Code, closed.Reason) {
			return fmt.Errorf("%s: %w: %s", d.Vendor, dialogue.ErrRefused, words)
		}
		return fmt.Errorf("%s closed the stream: %s", d.Vendor, words)
	case errors.Is(err, websocket.ErrMessageTooBig):
		return fmt.Errorf("%s sent a message of over %d bytes", d.Vendor, longestMessage)
	case errors.Is(err, net.ErrClosed): // by the library, for a ping did not go out within 5 s
		return fmt.Errorf("connection to %s is dead: it takes nothing", d.Vendor)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s dropped the connection", d.Vendor)
	}
	return fmt.Errorf("connection to %s: %w", d.Vendor, err)
}
