package call

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// errorCount is how many entries of a kind the error log has in an hour.
// LoggedErrors.Total adds them up.
type errorCount struct {
	bun.BaseModel `bun:"table:error_counts,alias:k"`

	TenantID string    `bun:"tenant_id"`
	Hour     time.Time `bun:"hour"`
	Service  string    `bun:"service"`
	Level    string    `bun:"level"`
	Livemode bool      `bun:"livemode"`
	N        int64     `bun:"n"`
}

// countErrors adds the items that tx writes to the hourly counts. All transactions write the counts in the same
// order, to avoid deadlocks.
func countErrors(ctx context.Context, tx database.Tx, items []ErrorItem) error {
	var counts []errorCount
	for _, e := range items {
		kind := errorCount{TenantID: e.TenantID, Hour: e.CreatedAt.UTC().Truncate(time.Hour), Service: e.Service, Level: e.Level, Livemode: e.Livemode}
		i := slices.IndexFunc(counts, func(k errorCount) bool { k.N = 0; return k == kind })
		if i < 0 {
			i, counts = len(counts), append(counts, kind)
		}
		counts[i].N++
	}
	slices.SortFunc(counts, func(a, b errorCount) int {
		if order := a.Hour.Compare(b.Hour); order != 0 {
			return order
		}
		return strings.Compare(a.Service+" "+a.Level, b.Service+" "+b.Level)
	})
	if _, err := tx.NewInsert().Model(&counts).On("CONFLICT (tenant_id, hour, service, level, livemode) DO UPDATE").Set("n = k.n + excluded.n").Exec(ctx); err != nil {
		return fmt.Errorf("count errors: %w", err)
	}
	return nil
}
