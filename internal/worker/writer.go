package worker

import (
	"context"
	"time"

	"parley/internal/media"
)

// The time between two looks for a caller who only writes grows from the first to the second: most callers join at once.
const (
	firstAnnounceInterval = 200 * time.Millisecond
	lastAnnounceInterval  = time.Second
)

// callerOnlyWrites reports whether the dispatch says that the caller has no microphone.
func (s *session) callerOnlyWrites() bool {
	return s.settings.Microphone != nil && !*s.settings.Microphone
}

// announceCaller makes a caller who only writes known to the agent as soon as they are in the room, until the caller has joined.
func (s *session) announceCaller(ctx context.Context, joined <-chan struct{}) {
	for interval := firstAnnounceInterval; ; interval = min(interval*5/4, lastAnnounceInterval) {
		select {
		case <-joined:
			return
		case <-ctx.Done():
			return
		case <-time.After(interval):
		}
		members, err := s.w.options.Rooms.Participants(ctx, s.call.RoomName)
		for _, m := range members {
			if !m.Agent && !m.Phone && m.Active && !media.IsAside(m.Identity) {
				err = s.w.options.Rooms.Announce(ctx, s.call.RoomName, m.Identity)
			}
		}
		if err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "failed to announce a caller who only writes", "error", err) // the media server reports the caller later
		}
	}
}
