package template

import (
	"context"
	"encoding/json"
	"fmt"
)

// MaxSteps limits the work of evaluating one condition, or all those that are evaluated together. Reading, comparing or
// copying a byte is a step, visiting a value is stepsPerValue. They take less than 0.1 s.
const MaxSteps = 4 << 20

const (
	stepsPerValue = 16
	stepsPerCheck = 64 << 10 // between two looks at the context
)

// ErrSteps is the error of conditions that need more than MaxSteps.
var ErrSteps = fmt.Errorf("needs more than %d steps with this context (limit condition_steps)", MaxSteps)

// Steps counts the work of evaluating conditions. It is not safe for concurrent use.
type Steps struct {
	alive func() error // of the context
	left  int
	check int // the next look at the context is when so many are left
	err   error
}

// NewSteps returns MaxSteps for conditions that are evaluated together. The evaluation stops when the context ends.
func NewSteps(ctx context.Context) *Steps {
	return &Steps{alive: ctx.Err, left: MaxSteps, check: MaxSteps}
}

// spend counts n steps. It returns false when they are used up or the context has ended; nothing else may be done then.
func (s *Steps) spend(n int) bool {
	if s.err != nil {
		return false
	}
	if s.left -= n; s.left < 0 {
		s.err = ErrSteps
		return false
	}
	if s.left <= s.check {
		s.check = s.left - stepsPerCheck
		s.err = s.alive()
	}
	return s.err == nil
}

// spendValue counts a value with all that is in it.
func (s *Steps) spendValue(value any) bool { return s.spend(Size(value, s.left)) }

// spendPair counts the comparison of two values without what is in them.
func (s *Steps) spendPair(a, b any) bool {
	return s.spend(stepsPerValue + min(textLength(a), textLength(b)))
}

// textLength returns the length of a value that is text or the notation of a number, in bytes; 0 for others.
func textLength(value any) int {
	switch v := value.(type) {
	case string:
		return len(v)
	case json.Number:
		return len(v)
	case decimal:
		return len(v.digits)
	}
	return 0
}

// maxNumberLength is the longest notation of a number that conditions calculate and compare with, in bytes. A longer
// one is no number to them.
const maxNumberLength = 4096

// number is the function number within the steps.
func (s *Steps) number(value any) (decimal, bool) {
	if d, ok := value.(decimal); ok {
		return d, true
	}
	n := textLength(value)
	if n > maxNumberLength || !s.spend(n) {
		return decimal{}, false
	}
	return number(value)
}
