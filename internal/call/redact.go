package call

import (
	"context"
	"encoding/json"

	"parley/internal/database"
	"parley/internal/redact"
	"parley/internal/tenant"
)

// redact masks what is to be written of a call: this is before it is at rest
// anywhere. It may be done twice.
func (n *Notes) redact() {
	for i := range n.Entries {
		e := &n.Entries[i]
		e.Content = redact.Text(e.Content)
		e.ToolCall = redact.JSON(e.ToolCall)
	}
	for i := range n.Errors {
		e := &n.Errors[i]
		e.Message = redact.Text(e.Message)
		e.Details = redact.JSON(e.Details)
	}
}

// shown is the call's phone number and metadata as its events tell them. The
// user's id is told as it is: by it the tenant finds its user again.
func (c *Call) shown() (phone *string, metadata json.RawMessage) {
	if !c.Redact {
		return c.PhoneNumber, c.Metadata
	}
	if c.PhoneNumber != nil {
		masked := redact.Phone
		phone = &masked
	}
	return phone, redact.JSON(c.Metadata)
}

// redacts tells whether what is told of a call has to be masked: it was made
// so, or its tenant wants it by now.
func (s *Service) redacts(ctx context.Context, c *Call) (redacts bool, err error) {
	if c.Redact {
		return true, nil
	}
	err = s.db.Tenant(c.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		redacts, err = tenant.Redacts(ctx, tx)
		return err
	})
	return redacts, err
}
