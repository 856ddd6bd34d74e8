package call

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/fault"
	"parley/internal/redact"
)

// EventExtras provides the optional parts of an event, as JSON, that a webhook can include. A missing call, or one
// without context, is not_found.
type EventExtras struct{ Calls *Service }

// Transcript returns an array of {role, content, agent?, dtmf?}.
func (e EventExtras) Transcript(ctx context.Context, tenantID, callID string) (json.RawMessage, error) {
	entries, err := e.Calls.Transcript(ctx, tenantID, callID)
	if err != nil {
		return nil, err
	}
	type line struct {
		Role    string  `json:"role"`
		Content string  `json:"content"`
		Agent   *string `json:"agent,omitempty"`
		DTMF    bool    `json:"dtmf,omitempty"`
	}
	c, err := e.Calls.Get(ctx, tenantID, callID)
	if err != nil {
		return nil, err
	}
	redacts, err := e.Calls.needsRedaction(ctx, c)
	if err != nil {
		return nil, err
	}
	lines := []line{}
	for _, entry := range entries {
		if redacts { // it may have been stored before redaction was switched on
			entry.Content = redactEntry(entry.Content, entry.DTMF)
		}
		if entry.Content != "" {
			lines = append(lines, line{entry.Role, entry.Content, entry.AgentName, entry.DTMF})
		}
	}
	encoded, err := json.Marshal(lines)
	if err != nil {
		return nil, fmt.Errorf("encode transcript: %w", err)
	}
	return encoded, nil
}

// Context returns the user_context that the call was dispatched with.
func (e EventExtras) Context(ctx context.Context, tenantID, callID string) (json.RawMessage, error) {
	c, err := e.Calls.Get(ctx, tenantID, callID)
	if err != nil {
		return nil, err
	}
	if c.UserContext == nil {
		return nil, fault.Missing("context")
	}
	plain, err := e.Calls.sealer.Open(c.UserContext, userContextPlace(c.ID, c.TenantID))
	if err != nil {
		return nil, fmt.Errorf("context of call %s: %w", callID, err)
	}
	redacts, err := e.Calls.needsRedaction(ctx, c)
	if err != nil || !redacts {
		return plain, err
	}
	return redact.JSON(plain), nil
}

// Metrics returns {duration_seconds, agent_count, message_count}.
func (e EventExtras) Metrics(ctx context.Context, tenantID, callID string) (json.RawMessage, error) {
	c, err := e.Calls.Get(ctx, tenantID, callID)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]int64{
		"duration_seconds": c.DurationAtRead(), "agent_count": int64(c.AgentCount()), "message_count": c.Metrics.Messages,
	})
}
