package app

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// fragmented returns objects of so many bytes on a heap as many calls leave it: with holes of three times their size.
func fragmented(size int) (kept [][]byte) {
	const object = 1 << 10
	all := make([][]byte, 4*size/object)
	for n := range all {
		all[n] = make([]byte, object)
	}
	for n := 0; n < len(all); n += 4 {
		kept = append(kept, all[n])
	}
	return kept
}

// collections returns how many collections the runtime has begun by itself.
func collections() uint64 {
	count := []metrics.Sample{{Name: "/gc/cycles/automatic:gc-cycles"}}
	metrics.Read(count)
	return count[0].Value.Uint64()
}

// Steady work on a heap with holes must not be collected without end: that takes half of the processors.
func TestHeapWithHolesIsNotCollectedWithoutEnd(t *testing.T) {
	defer limitGarbage()()
	kept := fragmented(64 << 20)
	runtime.GC()
	time.Sleep(3 * limitEvery) // the limit follows
	before := collections()
	var garbage []byte
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		garbage = make([]byte, 8<<10) // 8 MB a second; 40 MB is what may be garbage
	}
	runtime.KeepAlive(garbage)
	if n := collections() - before; n > 4 {
		t.Errorf("%d collections in 2 s; want at most 4", n)
	}
	runtime.KeepAlive(kept)
}

// burst uses 256 MB.
func burst() {
	blocks := make([][]byte, 4<<10)
	for n := range blocks {
		blocks[n] = make([]byte, 64<<10)
	}
	runtime.KeepAlive(blocks)
}

// What a burst has used is returned to the system within seconds.
func TestMemoryOfABurstIsReturned(t *testing.T) {
	defer limitGarbage()()
	burst()
	runtime.GC()
	free := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		metrics.Read(free)
		if free[0].Value.Uint64() < 2*limitFree {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d MB are free and not returned to the system", free[0].Value.Uint64()>>20)
		}
	}
}
