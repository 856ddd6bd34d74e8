// Package event records events and publishes notifications.
//
// An event is written in the transaction of its change, together with the rows of its subscribers (webhook
// deliveries). After the commit, a notification is published on a Bus for webhook delivery, workers and live
// streams. Notifications may be lost; subscribers also poll the rows.
package event

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley/internal/database"
)

// APIVersion is the version of the payloads, a date.
const APIVersion = "2026-11-01"

// The types of events, as in webhooks.
const (
	CallStarted      = "call.started"
	CallConnected    = "call.connected"
	CallCompleted    = "call.completed"
	CallFailed       = "call.failed"
	CallDisconnected = "call.disconnected"
	CallTimeout      = "call.timeout"
	CallAgentChanged = "call.agent.changed"
	CallHeld         = "call.held"
	CallResumed      = "call.resumed"
	CallTransferred  = "call.transferred"
	// CallLanguageChanged has the language that the agent speaks now.
	CallLanguageChanged = "call.language.changed"
	// CallAnsweredBy has who answered a call that was dialled; again when that changes.
	CallAnsweredBy = "call.answered_by"
	// A person's phone is dialled into the call, was answered, was connected with the caller, or was not.
	CallTransferStarted   = "call.transfer.started"
	CallTransferAnswered  = "call.transfer.answered"
	CallTransferCompleted = "call.transfer.completed"
	CallTransferFailed    = "call.transfer.failed"

	// CallAnalyzed has the results of all analyses of a call, after its end.
	CallAnalyzed = "call.analyzed"
	// BudgetWarning says that most of the tenant's budget is spent. It belongs to no call.
	BudgetWarning = "budget.warning"
	CallTest      = "call.test"
)

// Types lists all types: those of the specification in its order, with those of holds, transfers, languages, answers, analyses and budgets before the last.
var Types = []string{CallStarted, CallConnected, CallCompleted, CallFailed, CallDisconnected, CallTimeout, CallAgentChanged, CallHeld, CallResumed, CallTransferred, CallLanguageChanged, CallAnsweredBy,
	CallTransferStarted, CallTransferAnswered, CallTransferCompleted, CallTransferFailed, CallAnalyzed, BudgetWarning, CallTest}

// Terminal reports whether events of the type mark a call's end.
func Terminal(eventType string) bool {
	switch eventType {
	case CallCompleted, CallFailed, CallDisconnected, CallTimeout:
		return true
	}
	return false
}

// HasPage reports whether events of the type may refer to a person's page.
func HasPage(eventType string) bool {
	switch eventType {
	case CallTransferStarted, CallTransferAnswered, CallTransferCompleted:
		return true
	}
	return false
}

// Event is an event of a tenant's call.
type Event struct {
	ID       string // evt_…
	TenantID string
	CallID   string // "" for call.test and budget.warning
	Type     string
	Livemode bool
	// Data is the payload for every receiver. Optional parts (transcript, context, metrics) are added on delivery.
	Data    json.RawMessage
	Created time.Time
}

// Subscriber writes rows for an event, in the event's transaction.
type Subscriber interface {
	HandleEvent(ctx context.Context, tx database.Tx, e Event) error
}

// Log appends events.
type Log struct {
	bus         *Bus
	subscribers []Subscriber
}

// NewLog returns a Log with a bus and subscribers.
func NewLog(bus *Bus, subscribers ...Subscriber) *Log {
	return &Log{bus: bus, subscribers: subscribers}
}

// Append writes an event in tx, sets its ID and Created, and publishes on Calls after the commit.
func (l *Log) Append(ctx context.Context, tx database.Tx, e Event) error {
	e.ID = tx.NewID("evt_")
	e.Created = tx.Now()
	_, err := tx.ExecContext(ctx, `INSERT INTO events (id, tenant_id, call_id, type, livemode, data, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		e.ID, e.TenantID, nullable(e.CallID), e.Type, e.Livemode, string(e.Data), e.Created)
	if err != nil {
		return fmt.Errorf("write event %s: %w", e.Type, err)
	}
	for _, s := range l.subscribers {
		if err := s.HandleEvent(ctx, tx, e); err != nil {
			return fmt.Errorf("write deliveries of event %s: %w", e.Type, err)
		}
	}
	tx.AfterCommit(func() { l.bus.Publish(Calls, e.TenantID) })
	return nil
}

func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
