package worker

import (
	"encoding/json"
	"runtime"
	"sync"
	"weak"

	"parley/internal/plan"
)

// plans are the decoded plans of running calls, one for all calls with the same stored plan: decoded, a plan of 4 MiB takes three
// times that. Nothing changes a decoded plan.
type plans struct {
	mu      sync.Mutex
	decoded map[string]weak.Pointer[plan.Plan] // keyed by the hash of the stored plan
}

// decode returns a plan, which may be one that other calls use. It is forgotten when no call refers to it any more. A plan without a
// hash, as a version before stored it, is the call's own.
func (p *plans) decode(hash []byte, encoded json.RawMessage) (*plan.Plan, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := string(hash)
	if shared := p.decoded[key].Value(); shared != nil {
		return shared, nil
	}
	decoded, err := plan.Decode(encoded)
	if err != nil || key == "" {
		return &decoded, err
	}
	if p.decoded == nil {
		p.decoded = map[string]weak.Pointer[plan.Plan]{}
	}
	p.decoded[key] = weak.Make(&decoded)
	runtime.AddCleanup(&decoded, p.forget, key)
	return &decoded, nil
}

// forget removes a plan that no call uses, unless it has been decoded again.
func (p *plans) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.decoded[key].Value() == nil {
		delete(p.decoded, key)
	}
}
