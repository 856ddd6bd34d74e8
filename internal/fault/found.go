package fault

import (
	"context"
	"strings"
)

// Found are errors that were found before validation: values of a wrong type, and null for required values.
// Validation sees the request without these values (in a list an empty one keeps the position) and reports no
// errors that follow from that.
type Found []Detail

type foundKey struct{}

// WithFound passes errors that were found earlier to the validation under ctx.
func WithFound(ctx context.Context, found Found) context.Context {
	return context.WithValue(ctx, foundKey{}, found)
}

// FoundIn returns the errors found earlier; usually none.
func FoundIn(ctx context.Context) Found {
	found, _ := ctx.Value(foundKey{}).(Found)
	return found
}

// Covers reports whether the value at a path, or one that contains it, was left out.
func (f Found) Covers(path string) bool {
	for _, d := range f {
		if path == d.Field || within(path, d.Field) {
			return true
		}
	}
	return false
}

// Inside reports whether a part of the value at a path was left out.
func (f Found) Inside(path string) bool {
	for _, d := range f {
		if within(d.Field, path) {
			return true
		}
	}
	return false
}

func within(path, whole string) bool {
	rest, ok := strings.CutPrefix(path, whole)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}

// With returns an error for the earlier errors followed by those of the validation, without those about values that
// were left out; nil if there are none.
func (f Found) With(rules []Detail) error {
	if len(f) == 0 {
		return Invalid(rules)
	}
	all := append([]Detail{}, f...)
	for _, d := range rules {
		if !f.Covers(d.Field) {
			all = append(all, d)
		}
	}
	return Invalid(all)
}
