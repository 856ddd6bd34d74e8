package event

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley/internal/database"
)

// NextSequence returns the number of a call's next event, from 1. The call's row must be locked, so that no other
// transaction appends events.
func NextSequence(ctx context.Context, tx database.Tx, tenantID, callID string) (n int64, err error) {
	if err := tx.NewRaw("SELECT count(*) + 1 FROM events WHERE tenant_id = ? AND call_id = ?", tenantID, callID).Scan(ctx, &n); err != nil {
		return 0, fmt.Errorf("count events of a call: %w", err)
	}
	return n, nil
}

// OfCall returns a call's events in order.
func OfCall(ctx context.Context, tx database.Tx, callID string) ([]Event, error) {
	var rows []struct {
		ID, Type  string
		Livemode  bool
		Data      json.RawMessage
		CreatedAt time.Time
	}
	err := tx.NewRaw("SELECT id, type, livemode, data, created_at FROM events WHERE tenant_id = ? AND call_id = ? ORDER BY id", tx.TenantID(), callID).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read events of a call: %w", err)
	}
	events := make([]Event, len(rows))
	for i, r := range rows {
		events[i] = Event{ID: r.ID, TenantID: tx.TenantID(), CallID: callID, Type: r.Type, Livemode: r.Livemode, Data: r.Data, Created: r.CreatedAt.UTC()}
	}
	return events, nil
}
