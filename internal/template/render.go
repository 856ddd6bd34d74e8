package template

import "strings"

// MaxRendered limits a rendered text, in bytes. References beyond it render empty and count as missing, so that
// large values cannot exhaust memory.
const MaxRendered = 1 << 20

// Render replaces every {{path}} of a text, in one pass, by its value's Text. Missing paths render empty and are
// returned, without duplicates, in order. Braces around anything else stay unchanged.
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
		value, found := scope.Lookup(path)
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
