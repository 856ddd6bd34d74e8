package fault

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Findings gathers what rules find wrong with what a client sent, and what may
// be a mistake. Paths are dotted ones, as in a Detail.
type Findings struct {
	// At stands before each path.
	At       string
	Faults   []Detail
	Warnings []string
}

// Fault tells of what is wrong.
func (f *Findings) Fault(path, format string, args ...any) {
	f.Faults = append(f.Faults, Detail{Field: f.At + path, Message: fmt.Sprintf(format, args...)})
}

// Warn tells of what is accepted and may still be a mistake.
func (f *Findings) Warn(path, format string, args ...any) {
	f.Warnings = append(f.Warnings, f.At+path+": "+fmt.Sprintf(format, args...))
}

// Text finds fault with a text of more than so many characters, and with one
// that PostgreSQL cannot keep.
func (f *Findings) Text(path, text string, most int) {
	if utf8.RuneCountInString(text) > most {
		f.Fault(path, "must have at most %d characters", most)
	}
	if strings.ContainsRune(text, 0) {
		f.Fault(path, "must not hold the character NUL")
	}
}

// Count finds fault with a list of more than so many items, and reports whether
// it has no more.
func (f *Findings) Count(path string, n, most int) bool {
	if n > most {
		f.Fault(path, "must have at most %d items", most)
	}
	return n <= most
}
