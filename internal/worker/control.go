package worker

import (
	"context"
	"errors"

	"parley/internal/call"
	"parley/internal/event"
	"parley/internal/voice"
)

// listenForControls has sessions receive the tenant's requests when a notification says that there are some. If it is lost, findControls
// finds them.
func (w *Worker) listenForControls(ctx context.Context) {
	notifications, unsubscribe := w.options.Bus.Subscribe(event.Controls, 64)
	defer unsubscribe()
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-notifications:
			if id == "" { // of any call
				for _, s := range w.allSessions() {
					s.signalControls()
				}
			} else if s := w.session(id); s != nil {
				s.signalControls()
			}
		}
	}
}

// findControls has those sessions receive requests that have some.
func (w *Worker) findControls(ctx context.Context, sessions []*session) error {
	if len(sessions) == 0 {
		return nil
	}
	ids := make([]string, len(sessions))
	for i, s := range sessions {
		ids[i] = s.call.ID
	}
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	waiting, err := w.options.Calls.WaitingControls(ctx, ids)
	if err != nil {
		return err
	}
	for _, id := range waiting {
		if s := w.session(id); s != nil {
			s.signalControls()
		}
	}
	return nil
}

// signalControls signals that there may be requests.
func (s *session) signalControls() {
	select {
	case s.controlled <- struct{}{}:
	default:
	}
}

// receiveControls passes the tenant's requests to the conversation until ctx ends.
func (s *session) receiveControls(ctx context.Context) {
	s.signalControls() // of the time before
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.controlled:
		}
		limited, cancel := context.WithTimeout(ctx, databaseTimeout)
		taken, err := s.w.options.Calls.TakeControls(limited, s.lease)
		cancel()
		switch {
		case errors.Is(err, call.ErrFenced), ctx.Err() != nil:
			return
		case err != nil: // findControls finds them again
			s.log.WarnContext(ctx, "failed to read the tenant's requests to a call", "error", err)
		}
		for _, c := range taken {
			select {
			case s.controls <- voice.Control(c):
			case <-ctx.Done():
				return
			}
		}
	}
}
