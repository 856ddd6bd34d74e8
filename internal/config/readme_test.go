package config

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"
)

// The README's table is what people configure by: it names every variable that
// there is, and none that there is not.
func TestReadmeNamesTheVariables(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[A-Z0-9_`, ]+`) \\|").FindAllSubmatch(readme, -1) {
		for _, name := range regexp.MustCompile("[A-Z0-9_]+").FindAll(row[1], -1) {
			documented = append(documented, string(name))
		}
	}
	var known []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Server]()) {
		if name, ok := field.Tag.Lookup("env"); ok {
			known = append(known, name)
		}
	}
	for _, name := range known {
		if !slices.Contains(documented, name) {
			t.Errorf("the README does not tell of %s", name)
		}
	}
	for _, name := range documented {
		if !slices.Contains(known, name) {
			t.Errorf("the README tells of %s, which is no setting", name)
		}
	}
}
