package call

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/transferpage"
)

// Incident is an event that affected a call's worker, its connections, its recording or the agent's speech.
type Incident struct {
	bun.BaseModel `bun:"table:call_incidents,alias:i"`

	ID        int64         `bun:"id,pk,autoincrement"`
	TenantID  string        `bun:"tenant_id"`
	CallID    string        `bun:"call_id"`
	Type      IncidentType  `bun:"type"`
	Cause     IncidentCause `bun:"cause"`
	Fence     int64         `bun:"fence"` // of the affected claim
	CreatedAt time.Time     `bun:"created_at"`
}

// IncidentType classifies an incident.
type IncidentType string

// The types of incidents.
const (
	LostWorker     IncidentType = "worker_lost"     // its worker lost the call
	TakenOver      IncidentType = "taken_over"      // another worker continues the call
	AgentRejoined  IncidentType = "agent_rejoined"  // the agent rejoined the room
	CallerRejoined IncidentType = "caller_rejoined" // the caller rejoined the room

	CallHeld    IncidentType = "call_held"    // the caller has put the call on hold
	CallResumed IncidentType = "call_resumed" // the caller has taken it off hold

	// The trunk has another phone on the line in place of the caller's, or the agent has the caller connected with another number.
	TransferRequested IncidentType = "transfer_requested" // a number is dialled (REFER)
	TransferCompleted IncidentType = "transfer_completed" // it has answered, or the trunk has accepted
	TransferFailed    IncidentType = "transfer_failed"    // it was not reached
	LegReplaced       IncidentType = "leg_replaced"       // the trunk has called instead (Replaces)

	OperatorJoined IncidentType = "operator_joined" // a person of the tenant has taken the call over
	OperatorLeft   IncidentType = "operator_left"   // the call is with the agent again

	PageOpened IncidentType = "page_opened" // the person to whom the caller is transferred has opened their page

	RecordingStarted IncidentType = "recording_started" // a part of the recording begins

	// The call hook was asked before the call.
	HookAnswered IncidentType = "call_hook_answered"
	HookFailed   IncidentType = "call_hook_failed"

	// The caller was audible while the agent spoke.
	AgentInterrupted IncidentType = "agent_interrupted" // the agent stopped
	AgentResumed     IncidentType = "agent_resumed"     // the agent was ducked, paused or interrupted, and resumed where it stopped
	OverlapIgnored   IncidentType = "overlap_ignored"   // the agent continued to speak
)

// IncidentCause is the cause of an incident.
type IncidentCause string

// The causes of incidents. The first four concern workers, the next two connections, the last five the agent's speech.
const (
	ProcessDied      IncidentCause = "process_died"    // the worker's database connection ended and was not replaced
	LeaseExpired     IncidentCause = "lease_lapsed"    // the worker did not renew its lease in time
	ServerRestart    IncidentCause = "server_restart"  // the server on SQLite was killed and restarted
	ReleasedByWorker IncidentCause = "given_back"      // the worker could not continue the call
	SignallingLost   IncidentCause = "signalling_lost" // the connection to the media server was lost
	RoomLost         IncidentCause = "room_lost"       // the room no longer existed on the media server
	Echo             IncidentCause = "echo"            // the agent's own voice
	Noise            IncidentCause = "noise"           // sound without a word
	Backchannel      IncidentCause = "backchannel"     // words that require no answer
	Word             IncidentCause = "word"            // a word was recognised
	PersonDialled    IncidentCause = "person"          // a transfer to a person has a phone dialled; an event reports it
	SureSpeech       IncidentCause = "sure"            // speech beyond doubt, before a word of it was recognised
)

// OfSpeech reports whether an incident concerns the agent's speech, rather than a failure.
func (i Incident) OfSpeech() bool {
	return i.Type == AgentInterrupted || i.Type == AgentResumed || i.Type == OverlapIgnored
}

// OfHold reports whether an incident is a hold of the phone, or its end.
func (i Incident) OfHold() bool { return i.Type == CallHeld || i.Type == CallResumed }

// IsFailure reports whether an incident is a failure, or the recovery from one.
func (i Incident) IsFailure() bool {
	switch i.Type {
	case LostWorker, TakenOver, AgentRejoined, CallerRejoined, TransferFailed, HookFailed:
		return true
	}
	return false
}

// addWorkerLost records that calls lost their workers, at most once per claim.
func (s *Service) addWorkerLost(ctx context.Context, tx database.Tx, cause IncidentCause, which string, args ...any) error {
	args = append([]any{LostWorker, cause, tx.Now()}, args...)
	return s.addIncidents(ctx, tx, `INSERT INTO call_incidents (tenant_id, call_id, type, cause, fence, created_at)
		SELECT tenant_id, id, ?, ?, fence, ? FROM calls WHERE `+which+` ON CONFLICT DO NOTHING RETURNING *`, args...)
}

// addTakenOver records that another worker continues the claimed calls.
func (s *Service) addTakenOver(ctx context.Context, tx database.Tx, claimed []*Call) error {
	if len(claimed) == 0 {
		return nil
	}
	ids := make([]string, len(claimed))
	for i, c := range claimed {
		ids[i] = c.ID
	}
	if err := endControls(ctx, tx, ControlRefused, "the worker that had received it was lost", "taken_at IS NOT NULL AND call_id IN (?)", bun.List(ids)); err != nil {
		return err
	}
	if err := transferpage.End(ctx, tx, ids...); err != nil { // the persons are hung up
		return err
	}
	// The claim has incremented the fence.
	if err := s.addIncidents(ctx, tx, `INSERT INTO call_incidents (tenant_id, call_id, type, cause, fence, created_at)
		SELECT tenant_id, id, ?, ?, fence - 1, ? FROM calls WHERE id IN (?) ON CONFLICT DO NOTHING RETURNING *`, LostWorker, LeaseExpired, tx.Now(), bun.List(ids)); err != nil {
		return err
	}
	return s.addIncidents(ctx, tx, `INSERT INTO call_incidents (tenant_id, call_id, type, cause, fence, created_at)
		SELECT c.tenant_id, c.id, ?, i.cause, c.fence, ? FROM calls c JOIN call_incidents i ON i.tenant_id = c.tenant_id AND i.call_id = c.id AND i.type = ? AND i.fence = c.fence - 1
		WHERE c.id IN (?) RETURNING *`, TakenOver, tx.Now(), LostWorker, bun.List(ids))
}

func (s *Service) addIncidents(ctx context.Context, tx database.Tx, insert string, args ...any) error {
	var added []Incident
	if err := tx.NewRaw(insert, args...).Scan(ctx, &added); err != nil && !database.NoRows(err) {
		return fmt.Errorf("write incidents: %w", err)
	}
	s.reportIncidents(tx, added)
	return nil
}

// writeIncidents stores the incidents that a session recorded.
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
	s.reportIncidents(tx, incidents)
	return nil
}

// reportIncidents calls Options.Incident for each incident after the commit.
func (s *Service) reportIncidents(tx database.Tx, incidents []Incident) {
	if s.options.Incident == nil || len(incidents) == 0 {
		return
	}
	tx.AfterCommit(func() {
		for _, i := range incidents {
			s.options.Incident(i)
		}
	})
}
