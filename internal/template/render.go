package template

import (
	"slices"
	"strings"
)

// MaxRendered limits a rendered text, in bytes. References beyond it render empty and count as missing, so that
// large values cannot exhaust memory.
const MaxRendered = 1 << 20

// Render replaces every {{path}} of a text, in one pass, by its value's Text, and every {{path | "default"}} whose value is missing, null
// or empty by the default. Other missing paths render empty and are returned, without duplicates, in order. Braces around anything
// else stay unchanged.
func Render(text string, scope Scope) (rendered string, missing []string) {
	return RenderWithin(NewBudget(MaxRendered-len(text)), text, scope)
}

// RenderWithin is like Render, with a budget: the first reference beyond it and all later ones render empty and count as
// missing.
func RenderWithin(b *Budget, text string, scope Scope) (rendered string, missing []string) {
	over := false
	rendered, missing, err := render(text, scope, func(_ string, value any) (string, bool, error) {
		if over {
			return "", false, nil
		}
		written := Text(value)
		over = !b.Spend(len(written))
		return written, !over, nil
	})
	if err != nil {
		panic(err) // there is none
	}
	return rendered, missing
}

// RenderFunc is like Render, for texts with their own rules (a URL, a header): write converts a path's value, or returns
// an error. It stops with ErrBudget at the first reference beyond the budget.
func RenderFunc(b *Budget, text string, scope Scope, write func(path string, value any) (string, error)) (rendered string, missing []string, err error) {
	return render(text, scope, func(path string, value any) (string, bool, error) {
		written, err := write(path, value)
		if err == nil && !b.Spend(len(written)) {
			err = ErrBudget
		}
		return written, true, err
	})
}

// render replaces references by the result of fill; one that does not fit counts as missing.
func render(text string, scope Scope, fill func(path string, value any) (written string, fits bool, err error)) (rendered string, missing []string, err error) {
	var b strings.Builder
	last, lacking := 0, map[string]bool{}
	for _, at := range reference.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[last:at[0]])
		last = at[1]
		path := text[at[2]:at[3]]
		value, found := scope.valueAt(text, at)
		if found {
			written, fits, err := fill(path, value)
			if err != nil {
				return "", nil, err
			}
			if found = fits; fits {
				b.WriteString(written)
			}
		}
		if !found && !lacking[path] {
			lacking[path] = true
			missing = append(missing, path)
		}
	}
	b.WriteString(text[last:])
	return b.String(), missing, nil
}

// IsReference reports whether a text consists of one reference.
func IsReference(text string) bool {
	text = strings.TrimSpace(text)
	at := reference.FindStringIndex(text)
	return at != nil && at[0] == 0 && at[1] == len(text)
}

// Value returns the value, or the default, of a text that consists of one reference. It is not found if it has neither.
func (s Scope) Value(text string) (value any, found bool) {
	at := reference.FindStringSubmatchIndex(text)
	return s.valueAt(text, at)
}

// valueAt returns the value, or the default, of the reference at indices of its submatches.
func (s Scope) valueAt(text string, at []int) (value any, found bool) {
	value, found = s.Lookup(text[at[2]:at[3]])
	if other, ok := defaultOf(text, at); ok && (!found || Text(value) == "") {
		return other, true
	}
	return value, found
}

// defaultOf returns the default of a reference at indices of its submatches.
func defaultOf(text string, at []int) (value string, ok bool) {
	for _, quoted := range [][]int{at[4:6], at[6:8]} {
		if quoted[0] >= 0 {
			return text[quoted[0]:quoted[1]], true
		}
	}
	return "", false
}

// Paths lists the paths that a text names, each once, in order.
func Paths(text string) (paths []string) {
	named := map[string]bool{}
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		if !named[m[1]] {
			named[m[1]] = true
			paths = append(paths, m[1])
		}
	}
	return paths
}

// Undefaulted lists the paths that a text names in references without a default, each once, in order.
func Undefaulted(text string) (paths []string) {
	for _, at := range reference.FindAllStringSubmatchIndex(text, -1) {
		path := text[at[2]:at[3]]
		if _, other := defaultOf(text, at); !other && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Below returns the names of the first level below a source that paths lead to, as vars.<name>, each once, in order.
func Below(source string, paths []string) (names []string) {
	for _, path := range paths {
		if steps := segments(path); len(steps) > 1 && steps[0] == source && !slices.Contains(names, steps[1]) {
			names = append(names, steps[1])
		}
	}
	return names
}
