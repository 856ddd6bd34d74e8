package call

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/fault"
	"parley/internal/redact"
	"parley/internal/transferpage"
)

// EventExtras provides the optional parts of an event, as JSON, that a webhook can include. A missing call, or one
// without context, is not_found.
type EventExtras struct {
	Calls *Service
	// PublicURL is the address of the server, for links, without a slash at its end.
	PublicURL string
}

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

// PageLink returns PageURL as a JSON string.
func (e EventExtras) PageLink(ctx context.Context, tenantID, pageID string) (json.RawMessage, error) {
	link, err := e.PageURL(ctx, tenantID, pageID)
	if err != nil {
		return nil, err
	}
	return json.Marshal(link)
}

// PageURL returns the link that opens the page of a person to whom a caller is transferred. Its secret is in the fragment, which browsers
// send to nobody: the page itself opens with a request. The error is not_found where the server does not know its public URL, too.
func (e EventExtras) PageURL(ctx context.Context, tenantID, pageID string) (string, error) {
	if e.PublicURL == "" {
		return "", fault.Missing("public URL")
	}
	secret, err := transferpage.Link(ctx, e.Calls.db.Tenant(tenantID), e.Calls.sealer, pageID)
	if err != nil {
		return "", err
	}
	return e.PublicURL + transferpage.Path + pageID + "#" + secret, nil
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
