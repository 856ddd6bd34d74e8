package database

import (
	"context"
	"fmt"

	"parley/internal/fault"
)

// Hold keeps the last write transaction of a context open, so that more can be
// written with it once the outcome of the whole operation is known. It serves
// one goroutine.
type Hold struct {
	scope   Scope
	tx      *Tx // nil when none is open
	commit  []func()
	changed any
}

type holdKey struct{}

// WithHold makes a context whose write transactions are held. Scope.Write then
// leaves its transaction open instead of committing it; the next Write commits
// it first. Reads of the same tenant see what it wrote. The caller ends with
// Hold.Commit or Hold.Rollback.
func WithHold(ctx context.Context) (context.Context, *Hold) {
	h := &Hold{}
	return context.WithValue(ctx, holdKey{}, h), h
}

// WithoutHold is the context as it was before WithHold, for what runs on beside
// the operation.
func WithoutHold(ctx context.Context) context.Context {
	return context.WithValue(ctx, holdKey{}, (*Hold)(nil))
}

func holdOf(ctx context.Context) *Hold {
	h, _ := ctx.Value(holdKey{}).(*Hold)
	return h
}

// Changed is the record that RecordToChange read last in a context of
// WithHold, nil for none.
func Changed(ctx context.Context) any {
	if h := holdOf(ctx); h != nil {
		return h.changed
	}
	return nil
}

// write is Scope.Write, but for the commit.
func (h *Hold) write(ctx context.Context, s Scope, f func(ctx context.Context, tx Tx) error) error {
	if err := h.end(); err != nil {
		return err
	}
	btx, err := s.db.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	kept := false
	defer func() {
		if !kept {
			_ = btx.Rollback() // the error of f is what matters
		}
	}()
	tx, err := s.begin(ctx, btx)
	if err != nil {
		return err
	}
	h.commit = nil
	tx.commit = &h.commit
	if err := f(ctx, tx); err != nil {
		return err
	}
	if err := fault.FoundIn(ctx).With(nil); err != nil {
		return err
	}
	h.scope, h.tx, kept = s, &tx, true
	return nil
}

// Commit writes more with the open transaction and commits it; without one it
// writes in a transaction of the scope.
func (h *Hold) Commit(ctx context.Context, scope Scope, more func(ctx context.Context, tx Tx) error) error {
	ctx = WithoutHold(ctx)
	if h.tx == nil {
		return scope.Write(ctx, more)
	}
	if err := more(ctx, *h.tx); err != nil {
		h.Rollback()
		return err
	}
	return h.end()
}

// end commits the open transaction, if there is one.
func (h *Hold) end() error {
	if h.tx == nil {
		return nil
	}
	tx := h.tx
	h.tx = nil
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	for _, announce := range h.commit {
		announce()
	}
	return nil
}

// Rollback undoes the open transaction, if there is one.
func (h *Hold) Rollback() {
	if h.tx != nil {
		_ = h.tx.Rollback() // the connection is gone, then
		h.tx = nil
	}
}
