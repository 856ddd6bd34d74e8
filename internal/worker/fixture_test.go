package worker

import (
	"context"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/media"
	"parley/internal/provider/catalogtest"
	"parley/internal/seal"
	"parley/internal/workflow"
)

const acme = "0193a6f0-0000-7000-8000-000000000001"

// catalogue is the providers as the rules of agents ask for them.

type noRooms struct{}

func (noRooms) Create(context.Context, string, media.RoomOptions) error      { return nil }
func (noRooms) Delete(context.Context, string) error                         { return nil }
func (noRooms) Remove(context.Context, string, string) error                 { return nil }
func (noRooms) Announce(context.Context, string, string) error               { return nil }
func (noRooms) Participants(context.Context, string) ([]media.Member, error) { return nil, nil }

// desk is calls of a tenant that has the agent desk.
func desk(t *testing.T, db *database.DB) (*call.Service, *event.Bus) {
	t.Helper()
	databasetest.Tenant(t, db, acme, "acme")
	sealer, err := seal.New(make([]byte, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := (agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}).In(db.Tenant(acme)).Create(t.Context(), agent.Draft{Name: "desk", Config: agent.Config{
		Prompt: agent.Prompt{System: "You are kind."}, STT: agent.STT{Provider: "ear", Model: "ear-1"},
		TTS: agent.TTS{Provider: "mouth", VoiceID: "v"}, LLM: agent.LLM{Provider: "brain", Model: "brain-1"},
	}}); err != nil {
		t.Fatal(err)
	}
	bus := event.NewBus()
	return call.NewService(db, event.NewLog(bus), bus, sealer, call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour}), bus
}

// claimedCall is a call of the agent desk held by a worker.
func claimedCall(t *testing.T, db *database.DB) (*call.Service, *call.Call) {
	t.Helper()
	calls, _ := desk(t, db)
	if _, _, err := calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP}); err != nil {
		t.Fatal(err)
	}
	claimed, err := calls.Claim(t.Context(), "w", 1)
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %d, %v", len(claimed), err)
	}
	return calls, claimed[0]
}

// takenOver is a call whose caller had come to its room, in the hands of the next worker.
func takenOver(t *testing.T, calls *call.Service, claimed *call.Call) *call.Call {
	t.Helper()
	if err := calls.MarkConnecting(t.Context(), claimed.Lease()); err != nil {
		t.Fatal(err)
	}
	if _, err := calls.ExpireLeases(t.Context(), call.ServerRestart, func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	next, err := calls.TakeOver(t.Context(), "next", 1)
	if err != nil || len(next) != 1 {
		t.Fatalf("took over %d, %v", len(next), err)
	}
	return next[0]
}
