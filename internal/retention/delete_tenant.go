package retention

import (
	"context"
	"fmt"

	"parley/internal/call"
	"parley/internal/tenant"
)

// DeleteTenant deletes the tenant with a name, with all its rows and the recordings that this machine reaches. Other
// machines' sweeps delete those in their folders. When recordings cannot be deleted, the rows are deleted nevertheless,
// and the error says so.
func (p *Purger) DeleteTenant(ctx context.Context, name string) (*tenant.Deleted, error) {
	d, err := tenant.Delete(ctx, p.db, name, true)
	if err != nil {
		return nil, err
	}
	var failed error
	failures := 0
	for _, c := range d.Recordings {
		if failures >= maxFailures {
			break
		}
		if err := p.silence(ctx, d.ID, call.PurgeCandidate{ID: c.ID, Recordings: c.Recordings}); err != nil {
			failed, failures = err, failures+1
		}
	}
	if failed != nil {
		return d, fmt.Errorf("the tenant is deleted, but recordings of it remain: %w", failed)
	}
	return d, p.db.Scrub(ctx)
}
