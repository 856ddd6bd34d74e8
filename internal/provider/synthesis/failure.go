package synthesis

import (
	"errors"
	"fmt"
	"net"

	"github.com/coder/websocket"

	"parley/internal/provider/vendorerror"
)

var (
	errClosed   = errors.New("the synthesizer is closed")
	errEnded    = errors.New("the utterance has ended")
	errBlocked  = errors.New("the provider reads text too slowly")
	errOverflow = errors.New("audio is read more slowly than it is synthesized")
	errNoAudio  = errors.New("no audio was received for the text")
	errLost     = errors.New("the connection was lost")
)

// lost says how a connection ended.
func lost(err error) error {
	var closed websocket.CloseError
	var network *net.OpError
	switch {
	case errors.As(err, &closed) && vendorerror.Clean(closed.Reason, "") != "":
		return fmt.Errorf("%w: %s", errLost, vendorerror.Clean(closed.Reason, ""))
	case errors.As(err, &closed):
		return fmt.Errorf("%w (close code %d)", errLost, closed.Code)
	case errors.Is(err, websocket.ErrMessageTooBig):
		return errors.New("the answer is too big")
	case errors.As(err, &network):
		return fmt.Errorf("%w: %w", errLost, network.Err)
	default:
		return errLost
	}
}
