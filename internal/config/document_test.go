package config

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"
)

// The table of docs/configuration.md names every variable, and none that does not exist.
func TestDocumentNamesTheVariables(t *testing.T) {
	document, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[A-Z0-9_`, ]+`) \\|").FindAllSubmatch(document, -1) {
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
			t.Errorf("docs/configuration.md lacks %s", name)
		}
	}
	for _, name := range documented {
		if !slices.Contains(known, name) {
			t.Errorf("docs/configuration.md has %s, which is no setting", name)
		}
	}
}

// .env.example has every variable once, commented out, with its default.
func TestExampleOfEnvironment(t *testing.T) {
	example, err := os.ReadFile("../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^#?([A-Z0-9_]+)=(.*)$`).FindAllStringSubmatch(string(example), -1) {
		if _, twice := shown[line[1]]; twice {
			t.Errorf(".env.example has %s twice", line[1])
		}
		shown[line[1]] = line[2]
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Server]()) {
		name, ok := field.Tag.Lookup("env")
		if !ok {
			continue
		}
		if value, ok := shown[name]; !ok || value != field.Tag.Get("default") {
			t.Errorf(".env.example has %s=%s (%t), the default is %q", name, value, ok, field.Tag.Get("default"))
		}
		delete(shown, name)
	}
	for name := range shown {
		t.Errorf(".env.example has %s, which is no setting", name)
	}
}
