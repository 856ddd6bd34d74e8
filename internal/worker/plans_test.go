package worker

import (
	"encoding/json"
	"runtime"
	"testing"
	"time"
)

// Calls with the same stored plan share it decoded, and it is forgotten with the last of them.
func TestCallsShareTheirPlan(t *testing.T) {
	var p plans
	encoded := json.RawMessage(`{"agent":"desk","agents":{"desk":{}}}`)
	first, err := p.decode([]byte("a"), encoded)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := p.decode([]byte("a"), encoded); err != nil || second != first {
		t.Errorf("the second call has another plan, or %v", err)
	}
	if other, err := p.decode([]byte("b"), encoded); err != nil || other == first {
		t.Errorf("a call with another hash has the same plan, or %v", err)
	}
	if own, err := p.decode(nil, encoded); err != nil || own == first {
		t.Errorf("a call without a hash has the plan of others, or %v", err)
	}
	if _, err := p.decode([]byte("c"), json.RawMessage(`{`)); err == nil {
		t.Error("a plan that is not JSON is decoded")
	}
	runtime.KeepAlive(first)
	for range 1000 { // cleanups run some time after a collection
		runtime.GC()
		p.mu.Lock()
		kept := len(p.decoded)
		p.mu.Unlock()
		if kept == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("plans that no call uses are kept")
}
