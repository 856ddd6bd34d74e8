package call

import (
	"context"
	"encoding/json"
	"strings"

	"parley/internal/database"
	"parley/internal/redact"
	"parley/internal/tenant"
)

// redact redacts the records before they are stored. It is idempotent.
func (r *Records) redact() {
	for i := range r.Entries {
		e := &r.Entries[i]
		e.Content = redactEntry(e.Content, e.DTMF)
		e.ToolCall = redact.JSON(e.ToolCall)
	}
	for i := range r.Errors {
		e := &r.Errors[i]
		e.Message = redact.Text(e.Message)
		e.Details = redact.JSON(e.Details)
	}
	for i := range r.Transfers {
		r.Transfers[i].redact()
	}
}

// redactEntry redacts an entry of a transcript. Keys between the digits, such as *, do not hide a number from it.
func redactEntry(content string, keys bool) string {
	if !keys {
		return redact.Text(content)
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, content)
	if masked := redact.Text(digits); masked != digits {
		return masked
	}
	return redact.Text(content)
}

// publicFields returns the call's phone number and metadata for its events, redacted if required. The user id is
// never redacted: it is the tenant's own reference.
func (c *Call) publicFields() (phone *string, metadata json.RawMessage) {
	if !c.Redact {
		return c.PhoneNumber, c.Metadata
	}
	if c.PhoneNumber != nil {
		masked := redact.Phone
		phone = &masked
	}
	return phone, redact.JSON(c.Metadata)
}

// needsRedaction reports whether the call's content has to be redacted when it is read: the call was created so, or
// its tenant has switched redaction on since.
func (s *Service) needsRedaction(ctx context.Context, c *Call) (redacts bool, err error) {
	if c.Redact {
		return true, nil
	}
	err = s.db.Tenant(c.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		redacts, err = tenant.Redacts(ctx, tx)
		return err
	})
	return redacts, err
}
