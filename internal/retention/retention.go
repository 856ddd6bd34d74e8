// Package retention deletes the content of calls after their tenant's retention: transcripts, contexts, recordings,
// and other personal data. Calls and their metrics stay. The audit log has its own retention, set by the
// operator, and SIP messages have a day.
package retention

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"parley/internal/analysis"
	"parley/internal/audit"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/recording"
	"parley/internal/sip"
	"parley/internal/tenant"
	"parley/internal/transferpage"
	"parley/internal/webhook"
)

const (
	// every is how often due calls are looked up.
	every = time.Hour
	// batch is how many calls one transaction purges, because SQLite's other writers wait for it.
	batch = 20
	// maxFailures is the number of consecutive failures after which recordings are left for the next run: the
	// bucket is unreachable.
	maxFailures = 3
)

// Recordings is the storage of recordings.
type Recordings interface {
	// Delete deletes a recording; a missing one is not an error.
	Delete(ctx context.Context, name string) error
	// Local returns the recordings in this machine's folder.
	Local() ([]recording.Part, error)
}

// Purger purges calls. Several processes may purge the same database.
type Purger struct {
	db         *database.DB
	recordings Recordings
	log        *slog.Logger

	// AuditRetention is how long entries of the audit log are kept; 0 is forever.
	AuditRetention time.Duration
}

// New returns a purger.
func New(db *database.DB, recordings Recordings, log *slog.Logger) *Purger {
	return &Purger{db: db, recordings: recordings, log: log}
}

// Run purges due calls each hour, until ctx ends.
func (p *Purger) Run(ctx context.Context) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			p.Look(ctx)
		}
	}
}

// Look purges what is due now, and logs errors.
func (p *Purger) Look(ctx context.Context) {
	if err := p.Purge(ctx); err != nil && ctx.Err() == nil {
		p.log.ErrorContext(ctx, "retention failed", "error", err)
	}
}

// Purge purges all due calls, and deletes the recordings of purged calls in this machine's folder.
func (p *Purger) Purge(ctx context.Context) error {
	var due []tenant.Due
	err := p.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) (err error) {
		due, err = tenant.Retained(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	var failures []error
	purged := 0
	for _, d := range due {
		n, err := p.purgeTenant(ctx, d)
		purged += n
		if n > 0 {
			p.log.InfoContext(ctx, "calls purged", "tenant", d.ID, "calls", n)
		}
		failures = append(failures, err)
	}
	if purged > 0 {
		failures = append(failures, p.db.Scrub(ctx))
	}
	return errors.Join(append(failures, p.Sweep(ctx), p.pruneAudit(ctx), p.pruneMessages(ctx), p.prunePages(ctx))...)
}

// pruneAudit deletes expired entries of the audit log.
func (p *Purger) pruneAudit(ctx context.Context) error {
	if p.AuditRetention == 0 {
		return nil
	}
	n, err := audit.Prune(ctx, p.db, p.AuditRetention)
	if n > 0 {
		p.log.InfoContext(ctx, "audit log pruned", "entries", n)
	}
	return err
}

// pruneMessages deletes old SIP messages.
func (p *Purger) pruneMessages(ctx context.Context) error {
	n, err := sip.PruneMessages(ctx, p.db)
	if n > 0 {
		p.log.InfoContext(ctx, "SIP messages deleted", "messages", n)
	}
	return err
}

// prunePages deletes old pages of transfers.
func (p *Purger) prunePages(ctx context.Context) error {
	n, err := transferpage.Prune(ctx, p.db)
	if n > 0 {
		p.log.InfoContext(ctx, "pages of transfers deleted", "pages", n)
	}
	return err
}

// purgeTenant purges a tenant's calls, oldest first.
func (p *Purger) purgeTenant(ctx context.Context, d tenant.Due) (purged int, err error) {
	scope := p.db.Tenant(d.ID)
	var failure error
	failed := 0 // consecutive
	var last call.PurgeCandidate
	for {
		var found []call.PurgeCandidate
		err := scope.Read(ctx, func(ctx context.Context, tx database.Tx) (err error) {
			found, err = call.ListUnpurged(ctx, tx, last, d.Before, batch)
			return err
		})
		if err != nil {
			return purged, err
		}
		if len(found) == 0 {
			return purged, failure
		}
		last = found[len(found)-1]
		var ids, silent []string
		for _, c := range found {
			ids = append(ids, c.ID)
			if failed >= maxFailures && c.Recordings > 0 {
				continue
			}
			if err := p.silence(ctx, d.ID, c); err != nil {
				failure, failed = err, failed+1
				continue
			}
			failed = 0
			silent = append(silent, c.ID)
		}
		began := time.Now()
		err = scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
			if err := call.Purge(ctx, tx, ids, silent); err != nil {
				return err
			}
			if err := sip.PurgeMessages(ctx, tx, ids); err != nil {
				return err
			}
			if err := event.Purge(ctx, tx, ids); err != nil {
				return err
			}
			if err := analysis.Purge(ctx, tx, ids); err != nil {
				return err
			}
			if err := transferpage.Purge(ctx, tx, ids); err != nil {
				return err
			}
			return webhook.Purge(ctx, tx, ids)
		})
		if err != nil {
			return purged, err
		}
		purged += len(ids)
		select { // yields to other writers
		case <-time.After(min(time.Since(began), time.Second)):
		case <-ctx.Done():
			return purged, ctx.Err()
		}
	}
}

// silence deletes the recordings of a call.
func (p *Purger) silence(ctx context.Context, tenantID string, c call.PurgeCandidate) error {
	for part := range c.Recordings {
		if err := p.recordings.Delete(ctx, recording.Name(tenantID, c.ID, part+1)); err != nil {
			return err
		}
	}
	return nil
}

// sweepBatch is how many calls one query checks.
const sweepBatch = 500

// Sweep deletes the recordings in this machine's folder whose calls another machine has purged, or whose tenants have
// been deleted.
func (p *Purger) Sweep(ctx context.Context) error {
	parts, err := p.recordings.Local()
	if err != nil {
		return err
	}
	for len(parts) > 0 {
		n := 1
		for n < min(len(parts), sweepBatch) && parts[n].TenantID == parts[0].TenantID {
			n++
		}
		if err := p.sweep(ctx, parts[:n]); err != nil {
			return err
		}
		parts = parts[n:]
	}
	return nil
}

// sweep deletes the recordings of one tenant.
func (p *Purger) sweep(ctx context.Context, parts []recording.Part) error {
	ids := make([]string, len(parts))
	for i := range parts {
		ids[i] = parts[i].CallID
	}
	var purged []string
	_, err := tenant.Get(ctx, p.db, parts[0].TenantID)
	if fault.Is(err, fault.NotFound) {
		purged, err = ids, nil
	} else if err == nil {
		err = p.db.Tenant(parts[0].TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) (err error) {
			purged, err = call.FilterPurged(ctx, tx, ids)
			return err
		})
	}
	if err != nil {
		return err
	}
	for _, part := range parts {
		if !slices.Contains(purged, part.CallID) {
			continue
		}
		if err := p.recordings.Delete(ctx, part.Name); err != nil {
			return err
		}
	}
	return nil
}
