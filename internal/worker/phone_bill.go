package worker

import (
	"sync"
	"time"

	"parley/internal/call"
	"parley/internal/cost"
)

// phoneBill counts how long the phone of a person is connected, as a trunk bills it. It is safe for concurrent use.
type phoneBill struct {
	meter *meter
	trunk string // name
	write func() // writes what was counted

	mu    sync.Mutex
	until time.Time // it is counted until then; zero before the answer and after the end
}

// billInterval is how often what was counted is written: so much of the bill is lost with a worker at most.
const billInterval = 15 * time.Second

// begin is called when the phone is answered.
func (b *phoneBill) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = time.Now()
}

// keep counts every costInterval, for the call's greatest cost, and has it written every billInterval, until the phone has left.
func (b *phoneBill) keep(left <-chan struct{}) {
	ticker := time.NewTicker(costInterval)
	defer ticker.Stop()
	written := time.Now()
	for {
		select {
		case now := <-ticker.C:
			b.count(false)
			if now.Sub(written) >= billInterval {
				written = now
				b.write()
			}
		case <-left:
			return
		}
	}
}

// end counts what remains. It is idempotent.
func (b *phoneBill) end() { b.count(true) }

func (b *phoneBill) count(last bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return
	}
	now := time.Now()
	b.meter.add(cost.Trunk, b.trunk, call.Outbound, cost.Seconds, int(now.Sub(b.until)))
	if b.until = now; last {
		b.until = time.Time{}
	}
}
