package database

import (
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"parley/internal/fault"
)

const (
	// KeptVersions is how many earlier versions of a record are kept.
	KeptVersions = 100
	// keptVersionBytes limits their contents together; the latest is kept whatever its size. A change of one field copies the whole content.
	keptVersionBytes = 4 << 20
)

// Versions are the earlier versions of the records of a kind: the rows V of a table with the columns tenant_id, the record's id and version.
// The present version is in the record.
type Versions[V any] struct {
	Kind    string   // of record, such as prompt
	Record  string   // column of the record's id
	Content []string // columns whose sizes count, text or JSON
}

// Keep adds the version of a record that was the present one, whose number is latest, and deletes those that are too old or too large.
func (v Versions[V]) Keep(ctx context.Context, tx Tx, id string, latest int64, before *V) error {
	if _, err := tx.NewInsert().Model(before).Exec(ctx); err != nil {
		return fmt.Errorf("keep version of %s %s: %w", v.Kind, id, err)
	}
	if _, err := v.delete(tx, id).Where("version <= ?", latest-KeptVersions).Exec(ctx); err != nil {
		return fmt.Errorf("clear versions of %s %s: %w", v.Kind, id, err)
	}
	sizes := make([]string, len(v.Content))
	for i, column := range v.Content {
		sizes[i] = "octet_length(CAST(" + column + " AS text))"
	}
	sized := v.of(tx, id, (*V)(nil)).ColumnExpr("version, SUM(" + strings.Join(sizes, " + ") + ") OVER (ORDER BY version DESC) AS size")
	beyond := tx.NewSelect().TableExpr("(?) AS sized", sized).ColumnExpr("MAX(version)").Where("size > ? AND version < ?", keptVersionBytes, latest)
	if _, err := v.delete(tx, id).Where("version <= (?)", beyond).Exec(ctx); err != nil { // one value: the sizes are summed up once
		return fmt.Errorf("clear large versions of %s %s: %w", v.Kind, id, err)
	}
	return nil
}

// List returns a page of a record's versions, the present one first, and how many there are in all.
func (v Versions[V]) List(ctx context.Context, tx Tx, id string, present V, limit, offset int64) (page []V, total int64, err error) {
	earlier, err := v.of(tx, id, (*V)(nil)).Count(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("count versions of %s %s: %w", v.Kind, id, err)
	}
	if offset == 0 {
		page = append(page, present)
		limit--
	}
	if limit <= 0 || earlier == 0 {
		return page, earlier + 1, nil
	}
	var older []V
	if err := v.of(tx, id, &older).OrderExpr("version DESC").Limit(limit).Offset(max(0, offset-1)).Scan(ctx); err != nil {
		return nil, 0, fmt.Errorf("list versions of %s %s: %w", v.Kind, id, err)
	}
	return append(page, older...), earlier + 1, nil
}

// Get returns an earlier version of a record; not_found if it is not kept.
func (v Versions[V]) Get(ctx context.Context, tx Tx, id string, number int64) (*V, error) {
	version := new(V)
	err := v.of(tx, id, version).Where("version = ?", number).Scan(ctx)
	switch {
	case NoRows(err):
		return nil, fault.Missing("version")
	case err != nil:
		return nil, fmt.Errorf("read version of %s %s: %w", v.Kind, id, err)
	}
	return version, nil
}

// ToRestore is like Get, but a version that is not kept is a fault of the field version.
func (v Versions[V]) ToRestore(ctx context.Context, tx Tx, id string, number int64) (*V, error) {
	version, err := v.Get(ctx, tx, id, number)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.Invalid([]fault.Detail{{Field: "version", Message: fmt.Sprintf("there is no version %d", number)}})
	}
	return version, err
}

// of selects a record's earlier versions into a model.
func (v Versions[V]) of(tx Tx, id string, model any) *bun.SelectQuery {
	return tx.NewSelect().Model(model).Where("tenant_id = ? AND ? = ?", tx.TenantID(), bun.Ident(v.Record), id)
}

func (v Versions[V]) delete(tx Tx, id string) *bun.DeleteQuery {
	return tx.NewDelete().Model((*V)(nil)).Where("tenant_id = ? AND ? = ?", tx.TenantID(), bun.Ident(v.Record), id)
}
