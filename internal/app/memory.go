package app

import (
	"context"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// garbagePercent is how much garbage the heap may hold, in percent of what is in use, before it is collected. A call's
	// memory is mostly garbage not yet collected: Go's own 100 would save little processor time.
	garbagePercent = 60
	// limitPercent and limitSpare make up Go's memory limit: what is in use, and so much more. Near the limit Go returns free
	// pages to the system at once, otherwise minutes after a burst, and collects before garbagePercent is reached.
	limitPercent = 30
	limitSpare   = 8 << 20
	// limitEvery is how often the limit follows what is in use.
	limitEvery = 500 * time.Millisecond
)

// limitGarbage keeps the memory beside what is in use small until end is called. GOGC and GOMEMLIMIT, where set, take
// precedence.
func limitGarbage() (end func()) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	ctx, end := context.WithCancel(context.Background())
	go func() {
		defer debug.SetMemoryLimit(math.MaxInt64)
		tick := time.NewTicker(limitEvery)
		defer tick.Stop()
		for {
			debug.SetMemoryLimit(memoryLimit())
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return end
}

// memoryLimit returns the limit for what is in use now, in bytes: the heap that the last collection found in use, and what
// the runtime uses beside the heap.
func memoryLimit() int64 {
	used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(used)
	heap, beside := used[0].Value.Uint64(), used[1].Value.Uint64()
	for _, s := range used[2:] {
		beside -= s.Value.Uint64()
	}
	return int64(heap+heap*limitPercent/100+beside) + limitSpare
}

// releaseStartMemory returns to the system the free pages of the heap that the start needed, a password hash's 19 MB among
// them. The collector would return them minutes later.
func releaseStartMemory() { debug.FreeOSMemory() }
