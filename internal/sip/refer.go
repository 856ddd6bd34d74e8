package sip

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/sip/useragent"
)

// transferTimeout bounds a transfer, during which the other number rings.
const transferTimeout = time.Minute

// errNotOnLine is returned for a phone that no gateway has.
var errNotOnLine = errors.New("only a phone that is on the line can be transferred")

// Transfer connects a phone in a room, which was dialled or has called, with another number (E.164) by REFER (RFC 3515),
// which the trunk has to allow. It returns when the network reports success; the phone stays in the room until it is
// removed or the network ends its call. The error gives the reason without the number.
func (g *Gateway) Transfer(ctx context.Context, room, identity, number string) error {
	p := g.phone(room, identity)
	if p == nil {
		return errNotOnLine
	}
	limited, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	call := p.current.Load().call.Load()
	status, err := call.Refer(limited, useragent.ReferOptions{To: "tel:" + number})
	var refused *useragent.StatusError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		return errors.New("the other number did not answer in time")
	case isDone(call):
		return nil // the network has taken the phone
	case errors.As(err, &refused) && refused.Status == 408:
		return errors.New("the trunk does not respond to the transfer request")
	case errors.As(err, &refused):
		return fmt.Errorf("the trunk refuses to transfer the call (SIP %d)", refused.Status)
	case err != nil:
		return errors.New("the trunk cannot be reached for a transfer")
	case status >= 300:
		return fmt.Errorf("the other number was not reached (SIP %d)", status)
	}
	return nil
}

// isDone reports whether a call has ended.
func isDone(c *useragent.Call) bool {
	select {
	case <-c.Done():
		return true
	default:
		return false
	}
}
