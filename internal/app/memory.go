package app

import (
	"debug/elf"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
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

// giveBack returns to the system what the start took and nothing needs any
// more: the heap's free pages, a password hash's 19 MB among them, which the
// collector would give back minutes later; and the mapped pages of the
// program itself, most of which only its initialisation touched. Those that
// are needed come back from the page cache one by one.
func giveBack() {
	debug.FreeOSMemory()
	program, err := elf.Open("/proc/self/exe")
	if err != nil {
		return
	}
	defer program.Close()
	if program.Type != elf.ET_EXEC { // addresses are not those of the file
		return
	}
	page := uint64(os.Getpagesize())
	for _, segment := range program.Progs {
		// Pages that may be written hold what the file does not.
		if segment.Type != elf.PT_LOAD || segment.Flags&elf.PF_W != 0 {
			continue
		}
		start := segment.Vaddr &^ (page - 1)
		end := (segment.Vaddr + segment.Filesz) &^ (page - 1)
		if end > start {
			// No more than advice: a refusal costs nothing.
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(start), uintptr(end-start), unix.MADV_DONTNEED)
		}
	}
}
