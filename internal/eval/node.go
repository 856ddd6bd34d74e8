package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"parley/internal/template"
)

// place is something wrong at a line of a file.
type place struct {
	line     int
	problem  string
	nameless bool // problem begins after the name of a field, which is not known yet
}

func (p *place) Error() string { return p.problem }

func at(n *yaml.Node, format string, args ...any) error {
	return &place{line: n.Line, problem: fmt.Sprintf(format, args...)}
}

// mustBe is like at, without the name of the field.
func mustBe(n *yaml.Node, what string) error {
	return &place{line: n.Line, problem: "must be " + what, nameless: true}
}

// fields are what an object may have, and how each is read.
type fields map[string]func(*yaml.Node) error

// resolved returns the node that an alias refers to.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// object reads the fields of an object. Unknown and repeated ones are wrong: a
// misspelt expectation would hold forever.
func object(n *yaml.Node, name string, f fields) error {
	if n = resolved(n); n.Kind != yaml.MappingNode {
		return at(n, "%s must be an object", name)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, known := f[key.Value]
		switch {
		case !known:
			return at(key, "%s has no field %q; there are %s", name, key.Value, strings.Join(slices.Sorted(maps.Keys(f)), ", "))
		case seen[key.Value]:
			return at(key, "%s has %q twice", name, key.Value)
		}
		seen[key.Value] = true
		if err := read(value); err != nil {
			var p *place
			if errors.As(err, &p) && p.nameless {
				return at(value, "%s %s", key.Value, p.problem)
			}
			return err
		}
	}
	return nil
}

// each reads the elements of a list.
func each(n *yaml.Node, name string, read func(*yaml.Node) error) error {
	if n = resolved(n); n.Kind != yaml.SequenceNode {
		return at(n, "%s must be a list", name)
	}
	for _, element := range n.Content {
		if err := read(element); err != nil {
			return err
		}
	}
	return nil
}

func text(to *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n = resolved(n); n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			return mustBe(n, "a text")
		}
		*to = n.Value
		return nil
	}
}

// texts reads a list of texts, or one alone.
func texts(to *[]string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		n = resolved(n)
		if *to == nil {
			*to = []string{}
		}
		add := func(n *yaml.Node) error {
			var one string
			err := text(&one)(n)
			*to = append(*to, one)
			return err
		}
		if n.Kind == yaml.SequenceNode {
			return each(n, "", add)
		}
		return add(n)
	}
}

func boolean(n *yaml.Node, to *bool) error {
	if n = resolved(n); n.Tag != "!!bool" || n.Decode(to) != nil {
		return mustBe(n, "true or false")
	}
	return nil
}

// jsonObject reads an object as it would come as JSON: numbers keep their digits.
func jsonObject(n *yaml.Node, to *map[string]any) error {
	if n = resolved(n); n.Kind != yaml.MappingNode {
		return mustBe(n, "an object")
	}
	var value map[string]jsonValue
	if err := n.Decode(&value); err != nil {
		return at(n, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return mustBe(n, "an object that JSON can hold")
	}
	*to, err = template.DecodeObject(encoded)
	return err
}

// jsonValue is a value of a YAML document. A number that is written as JSON
// writes it stays as it is; YAML's decoder would make an int or a float64 of it.
type jsonValue struct{ value any }

// UnmarshalYAML reads a value.
func (v *jsonValue) UnmarshalYAML(n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		var fields map[string]jsonValue
		err := n.Decode(&fields)
		v.value = fields
		return err
	case yaml.SequenceNode:
		var items []jsonValue
		err := n.Decode(&items)
		v.value = items
		return err
	}
	if tag := n.ShortTag(); (tag == "!!int" || tag == "!!float") && json.Valid([]byte(n.Value)) {
		v.value = json.Number(n.Value)
		return nil
	}
	return n.Decode(&v.value)
}

// MarshalJSON writes the value.
func (v jsonValue) MarshalJSON() ([]byte, error) { return json.Marshal(v.value) }
