package worker

import (
	"context"
	"fmt"
	"time"
)

// toneTime is the duration of one tone and the pause after it at the gateway; waitTime is the pause of a w.
const toneTime, waitTime = 500 * time.Millisecond, 500 * time.Millisecond

// leg is a call's SIP leg, for its tools.
type leg struct {
	s    *session
	line *line
}

// SendDTMF sends tones, one after the other.
func (l leg) SendDTMF(ctx context.Context, digits string) error {
	for i := range len(digits) {
		pause := waitTime
		if digits[i] != 'w' {
			pause = toneTime
			if err := l.line.participant.SendTone(digits[i]); err != nil {
				return fmt.Errorf("tone %d of %d: %w", i+1, len(digits), err)
			}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Transfer connects the phone with another number instead of the room.
func (l leg) Transfer(ctx context.Context, number string) error {
	if err := l.s.w.options.CheckDial(ctx, l.s.call.TenantID, number); err != nil {
		return err
	}
	return l.s.w.options.Phones.Transfer(ctx, l.s.call.RoomName, l.line.participant.Peer(), number)
}
