package fault

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxDetails limits the errors of a response, and the warnings: of a request with a million, the first are returned.
const MaxDetails = 100

// Findings collects errors and warnings about a request, and of each at most one more than MaxDetails. Paths are dotted,
// as in Detail.
type Findings struct {
	// At is the prefix of each path.
	At       string
	Faults   []Detail
	Warnings []string
}

// Full reports whether no more errors are collected, so that looking for more is of no use.
func (f *Findings) Full() bool { return len(f.Faults) > MaxDetails }

// Fault adds an error.
func (f *Findings) Fault(path, format string, args ...any) {
	if f.Full() {
		return
	}
	f.Faults = append(f.Faults, Detail{Field: f.At + path, Message: fmt.Sprintf(format, args...)})
}

// Warn adds a warning: the value is accepted but may be a mistake.
func (f *Findings) Warn(path, format string, args ...any) {
	switch n := len(f.Warnings); {
	case n < MaxDetails:
		f.Warnings = append(f.Warnings, f.At+path+": "+fmt.Sprintf(format, args...))
	case n == MaxDetails:
		f.Warnings = append(f.Warnings, fmt.Sprintf("more warnings follow: the first %d are listed", MaxDetails))
	}
}

// Text checks that a text has at most most characters and that PostgreSQL can store it.
func (f *Findings) Text(path, text string, most int) {
	if utf8.RuneCountInString(text) > most {
		f.Fault(path, "must have at most %d characters", most)
	}
	if strings.ContainsRune(text, 0) {
		f.Fault(path, "must not hold the character NUL")
	}
}

// Count checks that a list has at most most items, and reports whether it does.
func (f *Findings) Count(path string, n, most int) bool {
	if n > most {
		f.Fault(path, "must have at most %d items", most)
	}
	return n <= most
}
