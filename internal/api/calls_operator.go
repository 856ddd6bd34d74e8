package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/control"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/media"
	"parley/internal/tenant"
)

// roomAccessLife is how long one can join a room with the token of somebody who listens to a call, or takes it over.
const roomAccessLife = time.Minute

type roomAccessBody struct {
	CallID    string    `json:"call_id" format:"uuid"`
	RoomName  string    `json:"room_name" doc:"Room in which the call is heard."`
	URL       string    `json:"url" doc:"WebSocket URL of the media server."`
	Token     string    `json:"token" doc:"Join token, to connect to the room at url."`
	ExpiresAt wire.Time `json:"expires_at" doc:"Time until which one can join with the token."`
}

var (
	errListeningForbidden = fault.New(fault.Authorization, "your organisation does not permit listening to calls, nor taking them over")
	errNoWorkerAnswer     = fault.New(fault.Conflict, "the request was not executed: the worker of the call did not answer, try again")
)

func (s *Server) registerCallOperators() {
	wire.Register(s.router, wire.Operation{
		ID: "listen-call", Method: http.MethodPost, Unaudited: true, Path: "/api/v1/calls/{id}/listen", Tag: "Calls", Scope: "calls:control",
		Summary: "Listen to a call", Description: "Returns what lets somebody hear the call, with any LiveKit client: caller and agent, or the person whom the caller is connected with. Nobody in the call sees them, and they can send nothing. The call must be active. Each request is in the audit log.",
		Errors: []fault.Code{fault.Authorization, fault.NotFound, fault.Conflict},
	}, s.listenToCall)
	wire.Register(s.router, wire.Operation{
		ID: "take-over-call", Method: http.MethodPost, Unaudited: true, Path: "/api/v1/calls/{id}/take-over", Tag: "Calls", Scope: "calls:control",
		Summary: "Take a call over", Description: "Returns what lets a person speak with the caller in the agent's place, with any LiveKit client that publishes a microphone. The agent stops when their microphone is heard, which must be within 30 s, writes down what the caller says, and goes on when they leave the room. The call must be active: 409 otherwise, and where the agent cannot be replaced now. Each request is in the call's timeline and in the audit log.",
		Errors: []fault.Code{fault.Authorization, fault.NotFound, fault.Conflict},
	}, s.takeCallOver)
}

func (s *Server) listenToCall(ctx context.Context, who auth.Principal, in *callInput) (*wire.Answer[roomAccessBody], error) {
	c, err := s.heard(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	if c.Status != call.Active {
		return nil, call.NotActive(c)
	}
	token, err := s.deps.Media.ListenerToken(c.RoomName, media.ListenerIdentity(uuid.NewString()), c.ReadAt, roomAccessLife)
	if err != nil {
		return nil, err
	}
	s.auditRequest(ctx, who, "call.listen", c.ID, "")
	return wire.NewAnswer(s.roomAccess(c.ID, c.RoomName, token, c.ReadAt)), nil
}

func (s *Server) takeCallOver(ctx context.Context, who auth.Principal, in *callInput) (*wire.Answer[roomAccessBody], error) {
	c, err := s.heard(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	x, err := s.deps.Calls.Control(ctx, who.TenantID, c.ID, control.Request{Kind: control.TakeOver}, nil)
	if err != nil {
		return nil, err
	}
	s.auditRequest(ctx, who, "call.take_over", c.ID, "")
	if x.Status != call.ControlApplied {
		return nil, errNoWorkerAnswer
	}
	room := call.OperatorRoom(c.RoomName, x.ID)
	token, err := s.deps.Media.CallerToken(room, media.OperatorIdentity(x.ID), x.CreatedAt, roomAccessLife)
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(s.roomAccess(c.ID, room, token, x.CreatedAt)), nil
}

func (s *Server) roomAccess(callID, room, token string, now time.Time) roomAccessBody {
	return roomAccessBody{CallID: callID, RoomName: room, URL: s.deps.Media.URL(), Token: token, ExpiresAt: wire.Time(now.Add(roomAccessLife))}
}

// heard returns a call that the credential may see, of a tenant that permits to hear it.
func (s *Server) heard(ctx context.Context, who auth.Principal, id wire.ID) (*call.Call, error) {
	c, err := s.seen(ctx, who, id)
	if err != nil {
		return nil, err
	}
	err = s.deps.DB.Tenant(who.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		forbidden, err := tenant.ForbidsListening(ctx, tx)
		if err == nil && forbidden {
			return errListeningForbidden
		}
		return err
	})
	return c, err
}
