package fault

import (
	"context"
	"strings"
)

// Found are the faults of a request that were found before its rules are looked
// at: values of the wrong type, and null where there must be a value. The rules
// see the request without these values (in a list an empty one keeps the place)
// and tell of nothing that follows from that.
type Found []Detail

type foundKey struct{}

// WithFound has the rules that are asked under the context know what was found
// before.
func WithFound(ctx context.Context, found Found) context.Context {
	return context.WithValue(ctx, foundKey{}, found)
}

// FoundIn returns what was found before; nothing is the usual case.
func FoundIn(ctx context.Context) Found {
	found, _ := ctx.Value(foundKey{}).(Found)
	return found
}

// Covers reports whether the value at a path was left out, by itself or with
// one that it is part of.
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

// With reports what was found and then what the rules tell, or nil when there
// is neither. Rules that speak of a value that was left out do not count.
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
