package template

import (
	"slices"
	"strings"
)

// MaxRendered is the most bytes that a text may grow to. References that
// would lead beyond it render empty and count as missing, so that a long text
// over large values cannot take the machine's memory.
const MaxRendered = 1 << 20

// Render replaces every {{path}} of a text, in one pass, by its value's Text.
// Paths that lead nowhere render empty and are returned, each once, in order.
// Braces around anything but a path stay as they are.
func Render(text string, scope Scope) (rendered string, missing []string) {
	rendered, missing, err := RenderFunc(text, scope, func(_ string, value any) (string, error) { return Text(value), nil })
	if err != nil {
		panic(err) // Text returns no error
	}
	return rendered, missing
}

// RenderFunc is Render for texts with rules of their own (a URL, a header):
// write turns the value of a path into what stands in its place, or refuses it.
func RenderFunc(text string, scope Scope, write func(path string, value any) (string, error)) (rendered string, missing []string, err error) {
	var b strings.Builder
	size, last := len(text), 0
	for _, at := range reference.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[last:at[0]])
		last = at[1]
		path := text[at[2]:at[3]]
		written := ""
		value, found := scope.Lookup(path)
		if found {
			if written, err = write(path, value); err != nil {
				return "", nil, err
			}
		}
		if !found || size+len(written) > MaxRendered && written != "" {
			if !slices.Contains(missing, path) {
				missing = append(missing, path)
			}
			continue
		}
		size += len(written)
		b.WriteString(written)
	}
	b.WriteString(text[last:])
	return b.String(), missing, nil
}

// Paths lists the paths that a text names, each once, in order.
func Paths(text string) []string {
	var paths []string
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(paths, m[1]) {
			paths = append(paths, m[1])
		}
	}
	return paths
}
