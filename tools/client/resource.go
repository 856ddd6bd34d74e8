package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// resource is the operations on one kind of object, which a client of TypeScript or Python has as one field.
type resource struct {
	words []string // of its name, such as sip and trunks
	calls []call
}

// call is an operation as a method of a resource.
type call struct {
	operation
	resource string // as in the path
	words    []string
}

// streamed is the first segment of the paths of server-sent events, before that of what they are about.
const streamed = "sse"

// resources are the operations of a description by the first segment of their path, in alphabetical order. A method is named after its
// operation without the resource's name: create-sip-trunk is the method create of the resource sip-trunks.
func (d document) resources() []resource {
	found := map[string][]call{}
	for path, operations := range d.Paths {
		for method, o := range operations {
			o.method, o.path = method, path
			name := resourceName(path)
			found[name] = append(found[name], call{o, name, methodWords(o.ID, name)})
		}
	}
	var resources []resource
	for _, name := range slices.Sorted(maps.Keys(found)) {
		calls := found[name]
		slices.SortFunc(calls, func(a, b call) int {
			return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.method, b.method))
		})
		resources = append(resources, resource{strings.Split(name, "-"), distinct(calls)})
	}
	return resources
}

// resourceName is the first segment of a path behind the version, without that of streams.
func resourceName(path string) string {
	segments := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, "/api/v1"), "/"), "/")
	if segments[0] == streamed {
		return segments[1]
	}
	return segments[0]
}

// methodWords are the words of an operation's id without the resource's name in singular or plural; get if there are no others.
func methodWords(id, resource string) []string {
	words, name := strings.Split(id, "-"), strings.Split(resource, "-")
	for at := 0; at+len(name) <= len(words); at++ {
		if slices.EqualFunc(words[at:at+len(name)], name, func(a, b string) bool { return singular(a) == singular(b) }) {
			words = slices.Delete(words, at, at+len(name))
			break
		}
	}
	if len(words) == 0 {
		return []string{"get"}
	}
	return words
}

func singular(word string) string {
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(word, "s")
}

// distinct gives methods of the same name different ones: stream of one call, and streamAll. Where that does not help, a method is named
// after its whole operation.
func distinct(calls []call) []call {
	for _, rename := range []func(call) []string{
		func(c call) []string {
			if len(c.in("path")) == 0 {
				return append(slices.Clone(c.words), "all")
			}
			return c.words
		},
		func(c call) []string { return strings.Split(c.ID, "-") },
	} {
		count := map[string]int{}
		for _, c := range calls {
			count[strings.Join(c.words, "-")]++
		}
		for i, c := range calls {
			if count[strings.Join(c.words, "-")] > 1 {
				calls[i].words = rename(c)
			}
		}
	}
	return calls
}

// kind is how a client reads the answer of an operation.
type kind string

const (
	nothing kind = "nothing"
	object  kind = "object" // JSON
	page    kind = "page"   // a part of a list, with the rest behind it
	sound   kind = "content"
	stream  kind = "stream" // server-sent events
)

// kind of the operation's successful answer, and its schema.
func (d document) kind(o operation) (kind, *schema) {
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		if status >= "300" {
			continue
		}
		for media, c := range o.Responses[status].Content {
			switch {
			case media == "text/event-stream":
				return stream, c.Schema.Items
			case media != "application/json":
				return sound, nil
			case d.paged(c.Schema.ref()) && (o.takes("offset") || o.takes("page")):
				return page, d.Components.Schemas[c.Schema.ref()].Properties["items"].Items
			}
			return object, &c.Schema
		}
	}
	return nothing, nil
}

// paged reports whether a schema is a page of a list.
func (d document) paged(name string) bool {
	s := d.Components.Schemas[name]
	return s != nil && s.Properties["items"] != nil && s.Properties["total"] != nil
}

// takes reports whether an operation has a parameter in the query.
func (o operation) takes(name string) bool {
	return slices.ContainsFunc(o.Parameters, func(p parameter) bool { return p.In == "query" && p.Name == name })
}

// body is the schema of an operation's body, nil for none.
func (o operation) body() *schema {
	if c, ok := o.RequestBody.Content["application/json"]; ok {
		return &c.Schema
	}
	return nil
}

// uploads are the media types of the file that an operation takes in place of a body.
func (o operation) uploads() []string {
	if o.body() != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(o.RequestBody.Content))
}

// repeatable reports whether a request may be sent twice without harm: by its method (RFC 9110, 9.2.2), or as a JSON Merge Patch.
// Those with an Idempotency-Key are so as well; a client makes the key.
func (o operation) repeatable() bool {
	_, merged := o.RequestBody.Content["application/merge-patch+json"]
	return merged || o.method == "get" || o.method == "put" || o.method == "delete"
}

// camel joins words as in camelCase, pascal as in PascalCase.
func camel(words []string) string { return words[0] + pascal(words[1:]) }

func pascal(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(title(w))
	}
	return b.String()
}

func snake(words []string) string { return strings.Join(words, "_") }

// family reports whether a parameter stands for all whose names begin as its own, such as metadata.{key}.
func family(name string) bool { return strings.HasSuffix(name, ".{key}") }

// parameterWords are the words of a parameter's name: those of Idempotency-Key are idempotency and key, that of metadata.{key}, which
// stands for a family of parameters, is metadata.
func parameterWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.TrimSuffix(name, ".{key}")), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
}
