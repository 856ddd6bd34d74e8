package api

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/auth"
)

var scopeName = regexp.MustCompile("`([a-z-]+:[a-z]+)`")

// Keys and users can have exactly the scopes that operations require, and docs/api.md lists them.
func TestScopesAreThoseOfOperations(t *testing.T) {
	s := newService(t)
	required := map[string]bool{"metrics:read": true, "tools:delete": true}
	for _, item := range s.description.Paths.Map() {
		for _, op := range item.Operations() {
			_, requires, _ := strings.Cut(op.Description, "Requires the scope ")
			for _, match := range scopeName.FindAllStringSubmatch(requires, -1) {
				required[match[1]] = true
			}
		}
	}
	if known := slices.Sorted(maps.Keys(auth.Scopes)); !slices.Equal(known, slices.Sorted(maps.Keys(required))) {
		t.Errorf("scopes %q, operations require %q", known, slices.Sorted(maps.Keys(required)))
	}
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| scope | permits |\n|---|---|\n"
	for _, scope := range slices.Sorted(maps.Keys(auth.Scopes)) {
		table += fmt.Sprintf("| `%s` | %s |\n", scope, auth.Scopes[scope])
	}
	if !strings.Contains(string(page), table) {
		t.Errorf("docs/api.md lacks the table\n%s", table)
	}
}
