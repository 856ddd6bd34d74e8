package wire

import (
	"slices"

	"github.com/agnivade/levenshtein"
	"github.com/danielgtaylor/huma/v2"
)

// maxEdits is the most letters by which a misspelled name differs, in a name of three times as many letters or more.
const maxEdits = 2

// misspelled returns the known name that an unknown one probably means; "" for none.
func misspelled(name string, known []string) (meant string) {
	if len(name) > maxPath {
		return ""
	}
	best := min(maxEdits, len(name)/3) + 1
	for _, k := range known {
		if edits := levenshtein.ComputeDistance(name, k); edits < best {
			meant, best = k, edits
		}
	}
	return meant
}

// didYouMean is the fault of a name that is misspelled.
func didYouMean(meant string) string { return "is unknown; did you mean " + meant + "?" }

// isFieldElsewhere reports whether another object of the API has a field of this name. A client that sends what it received gives fields
// that the operation does not take, and they are not misspelled.
func isFieldElsewhere(registry huma.Registry, name string) bool {
	for _, s := range registry.Map() {
		if _, ok := s.Properties[name]; ok {
			return true
		}
	}
	return false
}

// isParameterElsewhere reports whether another operation has a query parameter of this name.
func isParameterElsewhere(description *huma.OpenAPI, name string) bool {
	for _, item := range description.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete, item.Patch} {
			if op != nil && slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "query" && p.Name == name }) {
				return true
			}
		}
	}
	return false
}
