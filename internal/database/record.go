package database

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"parley/internal/fault"
)

// Record reads the row of the transaction's tenant whose column key has a value. A missing row is not_found, with
// the kind of record, such as agent.
func Record[T any](ctx context.Context, tx Tx, kind, key, value string) (*T, error) {
	return record[T](ctx, tx, tx.NewSelect(), kind, key, value)
}

// RecordToChange is like Record, and locks the row until the transaction ends. SQLite's write transactions are serial
// anyway.
func RecordToChange[T any](ctx context.Context, tx Tx, kind, key, value string) (*T, error) {
	query := tx.NewSelect()
	if tx.Postgres() {
		query.For("UPDATE")
	}
	r, err := record[T](ctx, tx, query, kind, key, value)
	if err == nil {
		SetChanged(ctx, r)
	}
	return r, err
}

// SetChanged sets what Changed returns: a record that was read to be changed, other than by RecordToChange.
func SetChanged(ctx context.Context, record any) {
	if h := holdOf(ctx); h != nil {
		h.changed = record
	}
}

func record[T any](ctx context.Context, tx Tx, query *bun.SelectQuery, kind, key, value string) (*T, error) {
	r := new(T)
	err := query.Model(r).Where("tenant_id = ? AND ? = ?", tx.TenantID(), bun.Ident(key), value).Scan(ctx)
	switch {
	case NoRows(err):
		return nil, fault.Missing(kind)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", kind, err)
	}
	return r, nil
}

// Records reads the rows of the transaction's tenant whose column key has one of the values, by value; named
// returns a row's value.
func Records[T any](ctx context.Context, tx Tx, kind, key string, values []string, named func(*T) string) (map[string]*T, error) {
	found := map[string]*T{}
	if len(values) == 0 {
		return found, nil
	}
	var rows []*T
	if err := tx.NewSelect().Model(&rows).Where("tenant_id = ? AND ? IN (?)", tx.TenantID(), bun.Ident(key), bun.List(values)).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read %ss: %w", kind, err)
	}
	for _, r := range rows {
		found[named(r)] = r
	}
	return found, nil
}

// DeleteRecord deletes the row of the transaction's tenant whose column key has a value. A missing row is
// not_found.
func DeleteRecord[T any](ctx context.Context, tx Tx, kind, key, value string) error {
	r, err := RecordToChange[T](ctx, tx, kind, key, value)
	if err != nil {
		return err
	}
	if _, err := tx.NewDelete().Model(r).WherePK().Exec(ctx); err != nil {
		return fmt.Errorf("delete %s: %w", kind, err)
	}
	return nil
}
