package app

import (
	"os"
	"runtime/debug"
)

// garbagePercent is how much garbage the heap may hold, in percent of what is in use, before it is collected. A call's
// memory is mostly garbage not yet collected: Go's own 100 would save little processor time.
const garbagePercent = 60

// collectOften has garbage collected at garbagePercent, unless GOGC says otherwise.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
}

// releaseStartMemory returns to the system the free pages of the heap that the start needed, a password hash's 19 MB among
// them. The collector would return them minutes later.
func releaseStartMemory() { debug.FreeOSMemory() }
