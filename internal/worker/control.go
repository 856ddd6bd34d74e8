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
			for _, s := range w.allSessions() {
				if id == "" || id == s.call.ID {
					s.signalControls()
				}
			}
		}
	}
}

// findControls has those sessions receive requests that have some.
func (w *Worker) findControls(ctx context.Context, sessions []*session) error {
	byCall := make(map[string]*session, len(sessions))
	ids := make([]string, 0, len(sessions))
	for _, s := range sessions {
		byCall[s.call.ID] = s
		ids = append(ids, s.call.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	waiting, err := w.options.Calls.WaitingControls(ctx, ids)
	if err != nil {
		return err
	}
	for _, id := range waiting {
		byCall[id].signalControls()
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
