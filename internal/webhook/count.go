package webhook

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// deliveryKind is the key of a delivery count.
type deliveryKind struct {
	TenantID  string
	EventType string
	Status    Status
}

// deliveryCounts are numbers of finished deliveries by kind. Counting rows costs a
// second per few millions, so these counts are stored and updated in the
// transaction that finishes a delivery; open deliveries are counted on request.
type deliveryCounts map[deliveryKind]int64

// sorted returns the kinds in the order in which all transactions write them, which
// prevents deadlocks.
func (k deliveryCounts) sorted() []deliveryKind {
	return slices.SortedFunc(maps.Keys(k), func(a, b deliveryKind) int {
		return strings.Compare(a.TenantID+a.EventType+" "+string(a.Status), b.TenantID+b.EventType+" "+string(b.Status))
	})
}

// deliveryCount is the row of a kind.
type deliveryCount struct {
	bun.BaseModel `bun:"table:webhook_delivery_counts,alias:k"`

	TenantID  string
	EventType string
	Status    Status
	N         int64
}

// add adds deliveries that tx finishes.
func (k deliveryCounts) add(ctx context.Context, tx database.Tx) error {
	if len(k) == 0 {
		return nil
	}
	var rows []deliveryCount
	for _, of := range k.sorted() {
		rows = append(rows, deliveryCount{TenantID: of.TenantID, EventType: of.EventType, Status: of.Status, N: k[of]})
	}
	if _, err := tx.NewInsert().Model(&rows).On("CONFLICT (tenant_id, event_type, status) DO UPDATE").Set("n = k.n + excluded.n").Exec(ctx); err != nil {
		return fmt.Errorf("count deliveries: %w", err)
	}
	return nil
}

// subtract subtracts deliveries that tx deletes, never below zero: a node of an
// earlier version may have finished some without counting them.
func (k deliveryCounts) subtract(ctx context.Context, tx database.Tx) error {
	for _, of := range k.sorted() {
		if _, err := tx.ExecContext(ctx, "UPDATE webhook_delivery_counts SET n = CASE WHEN n > ? THEN n - ? ELSE 0 END WHERE tenant_id = ? AND event_type = ? AND status = ?",
			k[of], k[of], of.TenantID, of.EventType, of.Status); err != nil {
			return fmt.Errorf("subtract deliveries from their counts: %w", err)
		}
	}
	return nil
}
