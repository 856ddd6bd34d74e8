package database

import (
	"cmp"
	"context"
	"fmt"

	"parley/internal/fault"
)

// Hold keeps the last write transaction of a context open, so that more can be written in it once the outcome of
// the operation is known. It is for one goroutine.
type Hold struct {
	scope   Scope
	tx      *Tx    // nil when none is open
	release func() // returns the turn of the open transaction
	commit  []func()
	changed any
}

type holdKey struct{}

// WithHold returns a context whose write transactions are held: Scope.Write leaves its transaction open, and the
// next Write commits it first. Reads of the same tenant see its changes. The caller must call Hold.Commit or
// Hold.Rollback.
func WithHold(ctx context.Context) (context.Context, *Hold) {
	h := &Hold{}
	return context.WithValue(ctx, holdKey{}, h), h
}

// WithoutHold returns the context before WithHold, for work that continues beside the operation.
func WithoutHold(ctx context.Context) context.Context {
	return context.WithValue(ctx, holdKey{}, (*Hold)(nil))
}

func holdOf(ctx context.Context) *Hold {
	h, _ := ctx.Value(holdKey{}).(*Hold)
	return h
}

// Changed returns the record last read by RecordToChange in a context of WithHold, nil for none.
func Changed(ctx context.Context) any {
	if h := holdOf(ctx); h != nil {
		return h.changed
	}
	return nil
}

// write is like Scope.Write, without the commit.
func (h *Hold) write(ctx context.Context, s Scope, f func(ctx context.Context, tx Tx) error) error {
	if err := h.end(); err != nil {
		return err
	}
	_, release, err := s.db.writes.acquire(ctx, cmp.Or(s.queue, s.tenant))
	if err != nil {
		return err
	}
	btx, err := s.db.writer.BeginTx(ctx, nil)
	if err != nil {
		release()
		return err
	}
	kept := false
	defer func() {
		if !kept {
			_ = btx.Rollback() // the error of f is what matters
			release()
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
	h.scope, h.tx, h.release, kept = s, &tx, release, true
	return nil
}

// Commit writes more in the open transaction, or in a new one of the scope, and commits it.
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

// end commits the open transaction, if any.
func (h *Hold) end() error {
	if h.tx == nil {
		return nil
	}
	tx := h.tx
	h.tx = nil
	err := tx.Commit()
	h.release()
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	for _, announce := range h.commit {
		announce()
	}
	return nil
}

// Rollback rolls the open transaction back, if any.
func (h *Hold) Rollback() {
	if h.tx != nil {
		_ = h.tx.Rollback() // fails only if the connection is lost
		h.release()
		h.tx = nil
	}
}
