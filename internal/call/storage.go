package call

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// What calls store is counted per tenant, for the limit stored_bytes. Each write adds to its call's stored_bytes; after the commit
// the process adds it to its own sums, which it writes to tenant_storage every second. Dispatches therefore compare a number in
// memory with the limit, and lock no row that others need. What a killed process had not written yet is not counted.

// rowBytes is an estimate of what a row takes besides its texts, its share of indexes included.
const rowBytes = 300

// eventBytes returns an estimate of what an event of the call takes: it repeats the metadata.
func (c *Call) eventBytes() int64 { return rowBytes + 500 + int64(len(c.Metadata)) }

// entryBytes, errorBytes and turnBytes return what records take.
func entryBytes(entries []TranscriptEntry) (n int64) {
	for _, e := range entries {
		n += rowBytes + int64(len(e.Content)+len(e.ToolCall))
	}
	return n
}

func errorBytes(items []ErrorItem) (n int64) {
	for _, e := range items {
		n += rowBytes + int64(len(e.Message)+len(e.Details))
	}
	return n
}

// storedBytes sums what the tenants' calls store.
type storedBytes struct {
	mu      sync.Mutex
	stored  map[string]int64 // as last read from the database
	pending map[string]int64 // added by this process since, and not written yet
}

func (b *storedBytes) add(tenantID string, n int64) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending == nil {
		b.pending = map[string]int64{}
	}
	b.pending[tenantID] += n
}

// get returns a tenant's sum; false if it was not read yet.
func (b *storedBytes) get(tenantID string) (n int64, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, known = b.stored[tenantID]
	return n + b.pending[tenantID], known
}

// set replaces what was last read.
func (b *storedBytes) set(stored map[string]int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stored == nil {
		b.stored = map[string]int64{}
	}
	maps.Copy(b.stored, stored)
}

// take returns what is pending, which put returns if it could not be written.
func (b *storedBytes) take() (pending map[string]int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	pending, b.pending = b.pending, nil
	return pending
}

func (b *storedBytes) put(pending map[string]int64) {
	for id, n := range pending {
		b.add(id, n)
	}
}

// countStored counts, after the commit, what a transaction added to a call.
func (s *Service) countStored(tx database.Tx, c *Call, before int64) {
	if n := c.StoredBytes - before; n != 0 {
		tx.AfterCommit(func() { s.stored.add(c.TenantID, n) })
	}
}

// writeStored writes what this process has counted.
func (s *Service) writeStored(ctx context.Context) error {
	pending := s.stored.take()
	if len(pending) == 0 {
		return nil
	}
	stored := map[string]int64{}
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tenant.AddStored(ctx, tx, pending); err != nil {
			return err
		}
		for id := range pending {
			n, err := tenant.Stored(ctx, tx, id)
			if err != nil {
				return err
			}
			stored[id] = n
		}
		return nil
	})
	if err != nil {
		s.stored.put(pending)
		return fmt.Errorf("write the tenants' stored bytes: %w", err)
	}
	s.stored.set(stored)
	return nil
}

// checkStored rejects a dispatch of a tenant whose calls store as much as they may with a conflict. It queries the database only
// if the tenant's sum is not known, or seems to be at the limit.
func (s *Service) checkStored(ctx context.Context, tenantID string, limits tenant.Limits) error {
	most, limited := limits[tenant.StoredBytes]
	if !limited {
		return nil
	}
	n, known := s.stored.get(tenantID)
	if !known || n >= most {
		var stored int64
		err := s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) (err error) {
			stored, err = tenant.Stored(ctx, tx, tenantID)
			return err
		})
		if err != nil {
			return err
		}
		s.stored.set(map[string]int64{tenantID: stored})
		n, _ = s.stored.get(tenantID)
	}
	if n >= most {
		return fault.New(fault.Conflict, "your calls store %d bytes, and at most %d are allowed (limit %s); a retention deletes older ones", n, most, tenant.StoredBytes)
	}
	return nil
}
