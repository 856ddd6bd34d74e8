// Package event records what happened and announces it.
//
// An event is written in the transaction of the change it tells of, together
// with what its subscribers owe for it (a webhook's deliveries). Only after
// the commit is it announced, on a Bus: to the delivery service, to workers
// and to live streams. An announcement may be lost; the rows are the truth,
// and everybody polls them now and then.
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

// The types of events, as webhooks name them.
const (
	CallStarted      = "call.started"
	CallConnected    = "call.connected"
	CallCompleted    = "call.completed"
	CallFailed       = "call.failed"
	CallDisconnected = "call.disconnected"
	CallTimeout      = "call.timeout"
	CallAgentChanged = "call.agent.changed"
	CallTest         = "call.test"
)

// Types lists all types, in the order of the specification.
var Types = []string{CallStarted, CallConnected, CallCompleted, CallFailed, CallDisconnected, CallTimeout, CallAgentChanged, CallTest}

// Terminal reports whether events of the type tell of a call's end.
func Terminal(eventType string) bool {
	switch eventType {
	case CallCompleted, CallFailed, CallDisconnected, CallTimeout:
		return true
	}
	return false
}

// Event is one thing that happened to a tenant's call.
type Event struct {
	ID       string // evt_…
	TenantID string
	CallID   string // "" for call.test
	Type     string
	Livemode bool
	// Data is the payload that every receiver may see. What a receiver must
	// ask for (transcript, context, metrics) is added when it is delivered.
	Data    json.RawMessage
	Created time.Time
}

// Subscriber writes what it owes for an event, within the event's transaction.
type Subscriber interface {
	Owe(ctx context.Context, tx database.Tx, e Event) error
}

// Log writes events.
type Log struct {
	bus         *Bus
	subscribers []Subscriber
}

// NewLog makes a log that announces on a bus and tells the subscribers first.
func NewLog(bus *Bus, subscribers ...Subscriber) *Log {
	return &Log{bus: bus, subscribers: subscribers}
}

// Append writes an event in tx and announces it on Calls once tx is committed.
// It fills in ID and Created.
func (l *Log) Append(ctx context.Context, tx database.Tx, e Event) error {
	e.ID = tx.NewID("evt_")
	e.Created = tx.Now()
	_, err := tx.ExecContext(ctx, `INSERT INTO events (id, tenant_id, call_id, type, livemode, data, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		e.ID, e.TenantID, nullable(e.CallID), e.Type, e.Livemode, string(e.Data), e.Created)
	if err != nil {
		return fmt.Errorf("write event %s: %w", e.Type, err)
	}
	for _, s := range l.subscribers {
		if err := s.Owe(ctx, tx, e); err != nil {
			return fmt.Errorf("write what event %s owes: %w", e.Type, err)
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
