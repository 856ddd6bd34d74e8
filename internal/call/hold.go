package call

import (
	"context"

	"parley/internal/database"
	"parley/internal/event"
)

// maxHolds is the number of a call's holds that are recorded as incidents and events. Further ones only change Call.Held: a phone may
// put the call on hold and resume it as often as it likes.
const maxHolds = 200

// applyHolds updates the call's hold from a session's incidents, and appends an event for each change. It returns the incidents to
// be stored: those that changed nothing are left out, such as a hold that the worker before has recorded.
func (s *Service) applyHolds(ctx context.Context, tx database.Tx, c *Call, incidents []Incident) (stored []Incident, err error) {
	for _, i := range incidents {
		held := i.Type == CallHeld
		if !i.OfHold() {
			stored = append(stored, i)
			continue
		}
		if held == c.Held {
			continue
		}
		c.Held = held
		if held {
			c.Metrics.Holds++
		}
		if c.Metrics.Holds > maxHolds {
			continue
		}
		stored = append(stored, i)
		name := event.CallResumed
		if held {
			name = event.CallHeld
		}
		c.StoredBytes += c.eventBytes()
		if err := s.appendEvent(ctx, tx, c, name, nil); err != nil {
			return nil, err
		}
	}
	return stored, nil
}
