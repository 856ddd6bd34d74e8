package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Event is an event of a webhook. It may be delivered more than once: deduplicate by ID.
type Event struct {
	ID         string // evt_…
	Type       string // such as CallCompleted
	APIVersion string // a date; "" in the wrapped form
	Created    time.Time
	TenantID   string
	Livemode   bool // false for calls made with a test key
	Data       json.RawMessage
	// Delivery is set when the webhook's payload_format is envelope; otherwise it is in headers.
	Delivery *Delivery
}

// Delivery identifies a delivery of an event and its attempt.
type Delivery struct {
	ID                   string // dlv_…
	Attempt, MaxAttempts int
}

// Call decodes Data of a call event.
func (e Event) Call() (CallData, error) {
	var d CallData
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return CallData{}, fmt.Errorf("decode data of %s: %w", e.Type, err)
	}
	return d, nil
}

// plainEvent is the payload format event, and the event within the format envelope.
type plainEvent struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	APIVersion string          `json:"api_version"`
	Created    int64           `json:"created"` // Unix seconds
	TenantID   string          `json:"tenant_id"`
	Livemode   bool            `json:"livemode"`
	Data       json.RawMessage `json:"data"`
}

func (p plainEvent) event(d *Delivery) (Event, error) {
	if !strings.HasPrefix(p.ID, "evt_") || p.Type == "" {
		return Event{}, errors.New("parse event: the body is no webhook event")
	}
	return Event{
		ID: p.ID, Type: p.Type, APIVersion: p.APIVersion, Created: time.Unix(p.Created, 0).UTC(),
		TenantID: p.TenantID, Livemode: p.Livemode, Data: p.Data, Delivery: d,
	}, nil
}

// ParseEvent parses a webhook's body in either payload format. Call VerifyWebhook first.
func ParseEvent(body []byte) (Event, error) {
	var form struct {
		plainEvent
		Event       *plainEvent `json:"event"`
		DeliveryID  string      `json:"delivery_id"`
		Attempt     int         `json:"attempt"`
		MaxAttempts int         `json:"max_attempts"`
	}
	if err := json.Unmarshal(body, &form); err != nil {
		return Event{}, fmt.Errorf("parse event: %w", err)
	}
	if form.Event == nil {
		return form.plainEvent.event(nil)
	}
	return form.Event.event(&Delivery{form.DeliveryID, form.Attempt, form.MaxAttempts})
}
