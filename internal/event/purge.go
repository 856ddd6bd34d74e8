package event

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// purged are the fields that Purge replaces in the data of events, by their types; none stands for all.
var purged = []struct {
	types, fields []string
	by            string
}{
	{nil, []string{"phone_number", "metadata"}, "null"},
	{[]string{CallAnalyzed}, []string{"analyses"}, "[]"},
	{[]string{CallTransferStarted, CallTransferAnswered, CallTransferCompleted, CallTransferFailed}, []string{"to"}, "null"},
	{[]string{CallTransferCompleted}, []string{"summary"}, "null"},
}

// Purge deletes personal data (phone numbers, metadata, summaries of transfers and the results of analyses) from the events of calls of the
// transaction's tenant. The events stay.
func Purge(ctx context.Context, tx database.Tx, callIDs []string) error {
	for _, p := range purged {
		without := "data"
		for _, field := range p.fields {
			if tx.Postgres() {
				without = fmt.Sprintf("jsonb_set(%s, '{%s}', '%s')", without, field, p.by)
			} else {
				without = fmt.Sprintf("json_set(%s, '$.%s', json('%s'))", without, field, p.by)
			}
		}
		query := tx.NewUpdate().Table("events").Set("data = "+without).Where("tenant_id = ? AND call_id IN (?)", tx.TenantID(), bun.List(callIDs))
		if p.types != nil {
			query.Where("type IN (?)", bun.List(p.types))
		}
		if _, err := query.Exec(ctx); err != nil {
			return fmt.Errorf("purge %v of events: %w", p.fields, err)
		}
	}
	return nil
}
