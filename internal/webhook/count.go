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

// kind is what deliveries are counted by.
type kind struct {
	TenantID  string
	EventType string
	Status    Status
}

// kinds are deliveries that are over, by kind. To count those of a long log
// takes a second for each few millions, so they are kept counted, each in the
// transaction that ends it; those that are open are counted when asked for.
type kinds map[kind]int64

// sorted are the kinds in the order in which every transaction writes them, so
// that two of them never wait for each other.
func (k kinds) sorted() []kind {
	return slices.SortedFunc(maps.Keys(k), func(a, b kind) int {
		return strings.Compare(a.TenantID+a.EventType+" "+string(a.Status), b.TenantID+b.EventType+" "+string(b.Status))
	})
}

// deliveryCount is a kind's row.
type deliveryCount struct {
	bun.BaseModel `bun:"table:webhook_delivery_counts,alias:k"`

	TenantID  string
	EventType string
	Status    Status
	N         int64
}

// add counts deliveries that tx ends.
func (k kinds) add(ctx context.Context, tx database.Tx) error {
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

// take counts deliveries off that tx removes, but for those that nobody had
// counted: a node of an earlier version may have ended them.
func (k kinds) take(ctx context.Context, tx database.Tx) error {
	for _, of := range k.sorted() {
		if _, err := tx.ExecContext(ctx, "UPDATE webhook_delivery_counts SET n = CASE WHEN n > ? THEN n - ? ELSE 0 END WHERE tenant_id = ? AND event_type = ? AND status = ?",
			k[of], k[of], of.TenantID, of.EventType, of.Status); err != nil {
			return fmt.Errorf("count deliveries off: %w", err)
		}
	}
	return nil
}
