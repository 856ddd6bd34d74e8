package worker

import (
	"context"
	"errors"

	"parley/internal/call"
	"parley/internal/media"
	"parley/internal/voice"
)

// errNoOperatorRoom is the answer to a request to take a call over while the media server is away.
var errNoOperatorRoom = errors.New("the media server is not available")

// Admit opens the room in which a person who takes the call over speaks with the agent's side. The caller's client is not in it: what the
// person says reaches the caller as the agent's speech does.
func (p *persons) Admit(ctx context.Context, id string) (voice.Operator, error) {
	s := p.s
	operator := newPerson(s, p.line, call.OperatorRoom(s.call.RoomName, id), media.OperatorIdentity(id))
	operator.remove = func(ctx context.Context) error { return s.w.options.Rooms.Delete(ctx, operator.room) }
	limited, cancel := context.WithTimeout(ctx, personJoin)
	defer cancel()
	err := s.w.options.Rooms.Create(limited, operator.room, media.CallRoom(departureTimeout, departureTimeout))
	if err == nil {
		err = operator.join(limited, "agent-"+id)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.log.WarnContext(ctx, "failed to open the room for a person who takes the call over", "error", err)
		}
		return nil, errNoOperatorRoom
	}
	return operator, nil
}
