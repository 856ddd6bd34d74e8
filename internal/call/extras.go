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

// Transcript returns an array of {role, content, agent?}.
func (e EventExtras) Transcript(ctx context.Context, tenantID, callID string) (json.RawMessage, error) {
	entries, err := e.Calls.Transcript(ctx, tenantID, callID)
	if err != nil {
		return nil, err
	}
	type line struct {
		Role    string  `json:"role"`
		Content string  `json:"content"`
		Agent   *string `json:"agent,omitempty"`
	}
	lines := []line{}
	for _, entry := range entries {
		if entry.Content != "" {
			lines = append(lines, line{entry.Role, entry.Content, entry.AgentName})
		}
	}
	encoded, err := json.Marshal(lines)
	if err != nil {
		return nil, fmt.Errorf("encode transcript: %w", err)
	}
	c, err := e.Calls.Get(ctx, tenantID, callID)
	if err != nil {
		return nil, err
	}
	return e.mask(ctx, c, encoded)
}

// mask redacts an extra of a call if its tenant wants it. Transcripts that were stored before redaction was
// switched on are redacted here.
func (e EventExtras) mask(ctx context.Context, c *Call, extra json.RawMessage) (json.RawMessage, error) {
	redacts, err := e.Calls.needsRedaction(ctx, c)
	if err != nil || !redacts {
		return extra, err
	}
	return redact.JSON(extra), nil
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
	return e.mask(ctx, c, plain)
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
