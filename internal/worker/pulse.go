package worker

import (
	"sync/atomic"
	"time"

	"parley/internal/call"
)

// pulse tells whether a worker can judge others. One that was cut off from the
// database, or stood still, finds leases that lapsed because nobody could renew
// them: its own, and those of workers that were cut off as well and are about to.
type pulse struct {
	kept atomic.Pointer[time.Time] // when the worker's own leases were last renewed
	away atomic.Pointer[time.Time] // when the database was last found away
}

func (p *pulse) renewed(now time.Time) { p.kept.Store(&now) }
func (p *pulse) missed(now time.Time)  { p.away.Store(&now) }

// sound reports whether a lease that has lapsed has a worker that vanished.
func (p *pulse) sound(now time.Time) bool {
	kept, away := p.kept.Load(), p.away.Load()
	return kept != nil && now.Sub(*kept) < 2*call.LeaseRenewal && (away == nil || now.Sub(*away) > call.Recovery)
}
