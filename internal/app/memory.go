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
	// memory is mostly garbage not yet collected: Go's own 100 would save 2 % of the processor time.
	garbagePercent = 40
	// limitFree is how much of the heap's memory may be in free pages before Go has to return it to the system, which it else does
	// minutes after a burst.
	limitFree = 16 << 20
	// limitPercent and limitSpare make up Go's memory limit while there is more: what the runtime holds beside free pages, and so much
	// more. Go returns free pages above 95 % of the limit.
	limitPercent = 5
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

// memoryLimit returns Go's memory limit for what the runtime holds now, in bytes; none unless pages are to be returned. Near a limit Go
// collects again and again, which takes half of the processors, so there must be none that a collection cannot get away from: after many
// calls the holes between objects are as large as what is in use.
func memoryLimit() int64 {
	sizes := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sizes)
	total, free, released := sizes[0].Value.Uint64(), sizes[1].Value.Uint64(), sizes[2].Value.Uint64()
	if free < limitFree {
		return math.MaxInt64
	}
	held := total - free - released
	return int64(held+held*limitPercent/100) + limitSpare
}

// releaseStartMemory returns to the system the free pages of the heap that the start needed, a password hash's 19 MB among
// them. The collector would return them minutes later.
func releaseStartMemory() { debug.FreeOSMemory() }
