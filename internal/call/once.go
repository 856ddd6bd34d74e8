package call

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/seal"
)

const (
	// answerLife is how long a request that carried a key gets its first
	// answer again.
	answerLife = 24 * time.Hour
	// forgetInterval is how often answers that are older are deleted.
	forgetInterval = 10 * time.Minute
)

// Once makes a dispatch happen once, however often it is asked for.
type Once struct {
	Key     string // the client's
	Request []byte // digest of what the client asked for
}

// DispatchOnce is Dispatch for a request with a key. What answer makes of the
// call is kept, sealed, in the call's own transaction, in which answer runs: it
// must not use the database itself. The same request with the same key gets it
// again for a day, and c is nil; another request with the key is a validation
// error, one while the first is under way a conflict. A dispatch that fails
// leaves the key free.
func (s *Service) DispatchOnce(ctx context.Context, r Request, once Once, answer func(*Call, Needs) ([]byte, error)) (kept []byte, c *Call, err error) {
	if !s.underWay.enter(r.TenantID, once.Key) {
		return nil, nil, errUnderWay
	}
	defer s.underWay.leave(r.TenantID, once.Key)
	limits, err := s.limits(ctx, r.TenantID)
	if err != nil {
		return nil, nil, err
	}
	leave := func() {}
	defer func() { leave() }()
	err = s.db.Tenant(r.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		// Between processes the key's row decides: on PostgreSQL a second
		// transaction waits here until the first is over.
		result, err := tx.ExecContext(ctx, `INSERT INTO idempotency_keys (tenant_id, key, request, answer, created_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (tenant_id, key) DO UPDATE SET request = excluded.request, created_at = excluded.created_at WHERE idempotency_keys.created_at < ?`,
			r.TenantID, once.Key, once.Request, []byte{}, tx.Now(), tx.Now().Add(-answerLife))
		if err != nil {
			return fmt.Errorf("take idempotency key: %w", err)
		}
		taken, err := result.RowsAffected()
		if err != nil {
			return fmt.Errorf("take idempotency key: %w", err)
		}
		if taken == 0 {
			kept, err = s.keptAnswer(ctx, tx, once)
			return err
		}
		within := func(ctx context.Context, f func(ctx context.Context, tx database.Tx) error) error { return f(ctx, tx) }
		if leave, err = s.admitShare(ctx, r.TenantID, limits, within); err != nil {
			return err
		}
		if err := s.admit(r.TenantID, r.CallType); err != nil { // not before: an answer that was kept is given in any case
			return err
		}
		var needs Needs
		if c, needs, err = s.dispatch(ctx, tx, r); err != nil {
			return err
		}
		if kept, err = answer(c, needs); err != nil {
			return err
		}
		if _, err = tx.ExecContext(ctx, "UPDATE idempotency_keys SET answer = ? WHERE tenant_id = ? AND key = ?",
			s.sealer.Seal(kept, answerPlace(r.TenantID, once.Key)), r.TenantID, once.Key); err != nil {
			return fmt.Errorf("keep answer: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return kept, c, nil
}

var errUnderWay = fault.New(fault.Conflict, "a request with this Idempotency-Key is in progress")

func (s *Service) keptAnswer(ctx context.Context, tx database.Tx, once Once) ([]byte, error) {
	var first struct{ Request, Answer []byte }
	if err := tx.NewRaw("SELECT request, answer FROM idempotency_keys WHERE tenant_id = ? AND key = ?", tx.TenantID(), once.Key).Scan(ctx, &first); err != nil {
		return nil, fmt.Errorf("read kept answer: %w", err)
	}
	if !bytes.Equal(first.Request, once.Request) {
		return nil, fault.Invalid([]fault.Detail{{Field: "Idempotency-Key", Message: "was used with another request"}})
	}
	kept, err := s.sealer.Open(first.Answer, answerPlace(tx.TenantID(), once.Key))
	if err != nil {
		return nil, fmt.Errorf("open kept answer: %w", err)
	}
	return kept, nil
}

func answerPlace(tenantID, key string) seal.Place {
	return seal.Place{Table: "idempotency_keys.answer", Row: key, Tenant: tenantID}
}

// forgetAnswers deletes the answers that are not given again.
func (s *Service) forgetAnswers(ctx context.Context) error {
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM idempotency_keys WHERE created_at < ?", tx.Now().Add(-answerLife))
		return err
	})
	if err != nil {
		return fmt.Errorf("forget answers: %w", err)
	}
	return nil
}

// underWay are the keyed dispatches of this process that are not over.
type underWay struct {
	mu   sync.Mutex
	keys map[[2]string]struct{}
}

func (u *underWay) enter(tenantID, key string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, busy := u.keys[[2]string{tenantID, key}]; busy {
		return false
	}
	if u.keys == nil {
		u.keys = map[[2]string]struct{}{}
	}
	u.keys[[2]string{tenantID, key}] = struct{}{}
	return true
}

func (u *underWay) leave(tenantID, key string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.keys, [2]string{tenantID, key})
}
