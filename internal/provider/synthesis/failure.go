package synthesis

import (
	"errors"
	"net"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

var (
	errClosed   = dialogue.NewError("the synthesizer is closed")
	errEnded    = dialogue.NewError("the utterance has ended")
	errBlocked  = dialogue.NewError("the provider reads text too slowly")
	errOverflow = dialogue.NewError("audio is read more slowly than it is synthesized")
	errNoAudio  = dialogue.NewError("no audio was received for the text")
	errLost     = dialogue.NewError("the connection was lost")
)

// lost says how a connection ended.
func lost(err error) error {
	var closed websocket.CloseError
	var network *net.OpError
	switch {
	case errors.As(err, &closed) && vendorerror.Clean(closed.Reason, "") != "":
		return vendorerror.Unexpected(errLost.Error(), closed.Reason)
	case errors.As(err, &closed):
		return dialogue.Errorf("%w (close code %d)", errLost, closed.Code)
	case errors.Is(err, websocket.ErrMessageTooBig):
		return dialogue.NewError("the answer is too big")
	case errors.As(err, &network):
		return dialogue.Wrap(errLost.Error(), network.Err)
	default:
		return errLost
	}
}
