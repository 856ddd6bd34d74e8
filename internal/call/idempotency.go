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
	"parley/internal/tenant"
)

const (
	// responseTTL is how long the response to a request with an idempotency key is response.
	responseTTL = 24 * time.Hour
	// expireInterval is how often expired responses are deleted.
	expireInterval = 10 * time.Minute
)

// Idempotency identifies a request with an idempotency key.
type Idempotency struct {
	Key     string // from the client
	Request []byte // digest of the request
}

// DispatchIdempotent is like Dispatch, for a request with an idempotency key. answer encodes the response; it runs in the
// call's transaction and must not use the database. The encrypted response is response for a day: the same request with
// the same key gets it again, with c nil. Another request with the key is a validation error, a concurrent one a
// conflict. A dispatch that fails frees the key.
func (s *Service) DispatchIdempotent(ctx context.Context, r Request, key Idempotency, answer func(*Call, RequiredProviders) ([]byte, error)) (response []byte, c *Call, err error) {
	if !s.inProgress.begin(r.TenantID, key.Key) {
		return nil, nil, errInProgress
	}
	defer s.inProgress.end(r.TenantID, key.Key)
	// A stored response is returned even at a limit, under overload, or without the agent.
	answered, err := s.answered(ctx, r.TenantID, key.Key)
	if err != nil {
		return nil, nil, err
	}
	var p loadedPlan
	if !answered {
		var end func()
		p, end, err = s.admit(ctx, &r)
		defer end()
		if err != nil {
			return nil, nil, err
		}
	}
	err = s.db.Tenant(r.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		// Between processes the key's row decides: on PostgreSQL a second transaction waits here until the first
		// has ended.
		result, err := tx.ExecContext(ctx, `INSERT INTO idempotency_keys (tenant_id, key, request, answer, created_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (tenant_id, key) DO UPDATE SET request = excluded.request, created_at = excluded.created_at WHERE idempotency_keys.created_at < ?`,
			r.TenantID, key.Key, key.Request, []byte{}, tx.Now(), tx.Now().Add(-responseTTL))
		if err != nil {
			return fmt.Errorf("reserve idempotency key: %w", err)
		}
		reserved, err := result.RowsAffected()
		if err != nil {
			return fmt.Errorf("reserve idempotency key: %w", err)
		}
		if reserved == 0 {
			response, err = s.storedResponse(ctx, tx, key)
			return err
		}
		var required RequiredProviders
		if c, required, err = s.dispatch(ctx, tx, r, p); err != nil {
			return err
		}
		if response, err = answer(c, required); err != nil {
			return err
		}
		sealed := s.sealer.Seal(response, responsePlace(r.TenantID, key.Key))
		if _, err = tx.ExecContext(ctx, "UPDATE idempotency_keys SET answer = ? WHERE tenant_id = ? AND key = ?", sealed, r.TenantID, key.Key); err != nil {
			return fmt.Errorf("store response: %w", err)
		}
		tx.AfterCommit(func() { s.stored.add(r.TenantID, rowBytes+int64(len(sealed))) })
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return response, c, nil
}

var errOtherRequest = fault.Invalid([]fault.Detail{{Field: "Idempotency-Key", Message: "was used with another request"}})

var errInProgress = fault.New(fault.Conflict, "a request with this Idempotency-Key is in progress")

// answered reports whether the response of a key is stored, and will be for a while.
func (s *Service) answered(ctx context.Context, tenantID, key string) (answered bool, err error) {
	err = s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT EXISTS (SELECT 1 FROM idempotency_keys WHERE tenant_id = ? AND key = ? AND created_at > ?)",
			tenantID, key, tx.Now().Add(time.Minute-responseTTL)).Scan(ctx, &answered)
	})
	if err != nil {
		return false, fmt.Errorf("find stored response: %w", err)
	}
	return answered, nil
}

func (s *Service) storedResponse(ctx context.Context, tx database.Tx, key Idempotency) ([]byte, error) {
	var first struct{ Request, Answer []byte }
	if err := tx.NewRaw("SELECT request, answer FROM idempotency_keys WHERE tenant_id = ? AND key = ?", tx.TenantID(), key.Key).Scan(ctx, &first); err != nil {
		return nil, fmt.Errorf("read stored response: %w", err)
	}
	if !bytes.Equal(first.Request, key.Request) {
		return nil, errOtherRequest
	}
	response, err := s.sealer.Open(first.Answer, responsePlace(tx.TenantID(), key.Key))
	if err != nil {
		return nil, fmt.Errorf("decrypt stored response: %w", err)
	}
	return response, nil
}

func responsePlace(tenantID, key string) seal.Place {
	return seal.Place{Table: "idempotency_keys.answer", Row: key, Tenant: tenantID}
}

// deleteExpiredResponses deletes the responses that are older than answerTTL.
func (s *Service) deleteExpiredResponses(ctx context.Context) error {
	err := s.db.System().Queued(database.Housekeeping).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		before := tx.Now().Add(-responseTTL)
		var expired []struct {
			TenantID string
			Bytes    int64
		}
		if err := tx.NewRaw("SELECT tenant_id, SUM(octet_length(answer) + ?) AS bytes FROM idempotency_keys WHERE created_at < ? GROUP BY tenant_id",
			rowBytes, before).Scan(ctx, &expired); err != nil && !database.NoRows(err) {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM idempotency_keys WHERE created_at < ?", before); err != nil {
			return err
		}
		freed := map[string]int64{}
		for _, e := range expired {
			freed[e.TenantID] = -e.Bytes
		}
		return tenant.AddStored(ctx, tx, freed)
	})
	if err != nil {
		return fmt.Errorf("delete expired responses: %w", err)
	}
	return nil
}

// keysInProgress are this process's keyed dispatches that have not ended.
type keysInProgress struct {
	mu   sync.Mutex
	keys map[[2]string]struct{}
}

// begin reserves a key until end is called. It reports false if the key is reserved.
func (u *keysInProgress) begin(tenantID, key string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, reserved := u.keys[[2]string{tenantID, key}]; reserved {
		return false
	}
	if u.keys == nil {
		u.keys = map[[2]string]struct{}{}
	}
	u.keys[[2]string{tenantID, key}] = struct{}{}
	return true
}

func (u *keysInProgress) end(tenantID, key string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.keys, [2]string{tenantID, key})
}
