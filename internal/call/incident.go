package call

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// Incident is something that befell a call's worker or its connections.
type Incident struct {
	bun.BaseModel `bun:"table:call_incidents,alias:i"`

	ID        int64        `bun:"id,pk,autoincrement"`
	TenantID  string       `bun:"tenant_id"`
	CallID    string       `bun:"call_id"`
	Type      IncidentType `bun:"type"`
	Cause     Cause        `bun:"cause"`
	Fence     int64        `bun:"fence"` // of the claim that it befell
	CreatedAt time.Time    `bun:"created_at"`
}

// IncidentType is what befell a call.
type IncidentType string

// The types of incidents.
const (
	LostWorker     IncidentType = "worker_lost"     // its worker does not hold it any more
	TakenOver      IncidentType = "taken_over"      // another worker goes on with it
	AgentRejoined  IncidentType = "agent_rejoined"  // the agent came back into the room
	CallerRejoined IncidentType = "caller_rejoined" // the caller did
)

// Cause is why it befell the call.
type Cause string

// The causes of incidents. The first four are those of workers.
const (
	ProcessDied    Cause = "process_died"    // the worker's connection to the database ended, and none came in its place
	LeaseLapsed    Cause = "lease_lapsed"    // the worker did not renew its lease in time
	ServerRestart  Cause = "server_restart"  // the server on SQLite was killed and started again
	GivenBack      Cause = "given_back"      // the worker could not go on with it
	SignallingLost Cause = "signalling_lost" // the connection to the media server broke
	RoomLost       Cause = "room_lost"       // the media server did not have the room any more
)

// loseWorkers notes that calls lost their workers; of a claim of which that is
// known, nothing more is noted.
func (s *Service) loseWorkers(ctx context.Context, tx database.Tx, cause Cause, which string, args ...any) error {
	args = append([]any{LostWorker, cause, tx.Now()}, args...)
	return s.addIncidents(ctx, tx, `INSERT INTO call_incidents (tenant_id, call_id, type, cause, fence, created_at)
		SELECT tenant_id, id, ?, ?, fence, ? FROM calls WHERE `+which+` ON CONFLICT DO NOTHING RETURNING *`, args...)
}

// takenOver notes that calls that were claimed go on with another worker.
func (s *Service) takenOver(ctx context.Context, tx database.Tx, claimed []*Call) error {
	if len(claimed) == 0 {
		return nil
	}
	ids := make([]string, len(claimed))
	for i, c := range claimed {
		ids[i] = c.ID
	}
	// The claim has raised the fence.
	if err := s.addIncidents(ctx, tx, `INSERT INTO call_incidents (tenant_id, call_id, type, cause, fence, created_at)
		SELECT tenant_id, id, ?, ?, fence - 1, ? FROM calls WHERE id IN (?) ON CONFLICT DO NOTHING RETURNING *`, LostWorker, LeaseLapsed, tx.Now(), bun.List(ids)); err != nil {
		return err
	}
	return s.addIncidents(ctx, tx, `INSERT INTO call_incidents (tenant_id, call_id, type, cause, fence, created_at)
		SELECT c.tenant_id, c.id, ?, i.cause, c.fence, ? FROM calls c JOIN call_incidents i ON i.tenant_id = c.tenant_id AND i.call_id = c.id AND i.type = ? AND i.fence = c.fence - 1
		WHERE c.id IN (?) RETURNING *`, TakenOver, tx.Now(), LostWorker, bun.List(ids))
}

func (s *Service) addIncidents(ctx context.Context, tx database.Tx, insert string, args ...any) error {
	var added []Incident
	if err := tx.NewRaw(insert, args...).Scan(ctx, &added); err != nil && !database.NoRows(err) {
		return fmt.Errorf("note incidents: %w", err)
	}
	s.tellIncidents(tx, added)
	return nil
}

// writeIncidents keeps what a session noted.
func (s *Service) writeIncidents(ctx context.Context, tx database.Tx, c *Call, incidents []Incident) error {
	if len(incidents) == 0 {
		return nil
	}
	for i := range incidents {
		n := &incidents[i]
		n.ID, n.TenantID, n.CallID, n.Fence = 0, c.TenantID, c.ID, c.Fence
	}
	if _, err := tx.NewInsert().Model(&incidents).Exec(ctx); err != nil {
		return err
	}
	s.tellIncidents(tx, incidents)
	return nil
}

// tellIncidents tells of incidents once they are committed.
func (s *Service) tellIncidents(tx database.Tx, incidents []Incident) {
	if s.o.Incident == nil || len(incidents) == 0 {
		return
	}
	tx.AfterCommit(func() {
		for _, i := range incidents {
			s.o.Incident(i)
		}
	})
}
