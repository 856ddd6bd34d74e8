package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Event is a webhook's. Deliveries may repeat: receivers dedupe on ID.
type Event struct {
	ID         string // evt_…
	Type       string // such as CallCompleted
	APIVersion string // a date; "" in the wrapped form
	Created    time.Time
	TenantID   string
	Livemode   bool // false for calls made with a test key
	Data       json.RawMessage
	// Delivery is set when the webhook's payload_format is envelope; by default headers carry it.
	Delivery *Delivery
}

// Delivery is one attempt's place among the attempts to deliver an event.
type Delivery struct {
	ID                   string // dlv_…
	Attempt, MaxAttempts int
}

// Call decodes the data of a call event.
func (e Event) Call() (CallData, error) {
	var d CallData
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return CallData{}, fmt.Errorf("decode data of %s: %w", e.Type, err)
	}
	return d, nil
}

// plainEvent is the payload's form A, and what form B wraps.
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

// ParseEvent reads a webhook's body, plain or wrapped with its delivery facts. Verify the body first.
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
