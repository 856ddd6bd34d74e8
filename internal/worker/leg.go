package worker

import (
	"context"
	"fmt"
	"time"

	"parley/internal/call"
)

// recordTimeout bounds recording a transfer.
const recordTimeout = 3 * time.Second

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
	l.recordTransfer(ctx, call.TransferRequested)
	err := l.s.w.options.Phones.Transfer(ctx, l.s.call.RoomName, l.line.participant.Peer(), number)
	if err != nil {
		l.recordTransfer(ctx, call.TransferFailed)
		return err
	}
	l.recordTransfer(ctx, call.TransferCompleted)
	return nil
}

// recordTransfer records in the call's timeline what became of a transfer. The call may end meanwhile.
func (l leg) recordTransfer(ctx context.Context, outcome call.IncidentType) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if err := l.s.w.options.RecordTransfer(ctx, l.s.call.TenantID, l.s.call.ID, outcome); err != nil {
		l.s.w.options.Log.WarnContext(ctx, "a transfer is not in the call's timeline", "call", l.s.call.ID, "error", err)
	}
}
