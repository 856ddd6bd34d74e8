package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
)

// view is what the templates are made of.
type view struct {
	Resources []resourceView
	// Codes are the error codes of the description.
	Codes []string
}

type resourceView struct {
	Class, Camel, Snake, Of string
	Calls                   []callView
}

type callView struct {
	call
	Camel, Pascal  string
	Verb           string
	Repeatable     bool
	MethodWords    []string
	Kind           kind
	Answer         *schema // JSON; the items of a page, the messages of a stream
	Body           *schema
	Uploads        []string // media types of a file in place of a body
	PathParameters []parameter
	Query, Headers []parameter
}

// render fills a template with the operations of a description.
func render(text string, d document, functions map[string]any) ([]byte, error) {
	all := map[string]any{
		"words": parameterWords, "camel": camel, "family": family, "member": func(name string) string { return strings.TrimSuffix(name, ".{key}") },
	}
	maps.Copy(all, functions)
	t, err := template.New("").Funcs(all).Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, d.view()); err != nil {
		return nil, fmt.Errorf("fill template: %w", err)
	}
	return out.Bytes(), nil
}

func (d document) view() view {
	v := view{Codes: d.codes()}
	for _, r := range d.resources() {
		shown := resourceView{Class: pascal(r.words), Camel: camel(r.words), Snake: snake(r.words), Of: strings.Join(r.words, " ")}
		for _, c := range r.calls {
			k, answer := d.kind(c.operation)
			if k == stream {
				answer = messages(answer)
			}
			shown.Calls = append(shown.Calls, callView{
				call: c, Camel: camel(c.words), MethodWords: c.words, Pascal: pascal(strings.Split(c.ID, "-")), Kind: k,
				Verb: strings.ToUpper(c.method), Repeatable: c.repeatable(),
				Answer: answer, Body: c.body(), Uploads: c.uploads(), PathParameters: c.in("path"), Query: c.in("query"), Headers: c.in("header"),
			})
		}
		v.Resources = append(v.Resources, shown)
	}
	return v
}

// codes are the error codes of the examples of errors.
func (d document) codes() []string {
	found := map[string]bool{}
	for _, operations := range d.Paths {
		for _, o := range operations {
			for _, r := range o.Responses {
				for _, c := range r.Content {
					for _, example := range c.Examples {
						if code := errorCode(example); code != "" {
							found[code] = true
						}
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// errorCode is the code of an example of an error, "" for an example of something else.
func errorCode(example json.RawMessage) string {
	var envelope struct {
		Value struct{ Error struct{ Code string } }
	}
	if json.Unmarshal(example, &envelope) != nil {
		return ""
	}
	return envelope.Value.Error.Code
}

// messages are those of a stream that a client passes on: it takes heartbeats, and throws errors.
func messages(all *schema) *schema {
	kept := *all
	kept.OneOf = slices.DeleteFunc(slices.Clone(all.OneOf), func(s schema) bool { return s.Title == "heartbeat" || s.Title == "error" })
	return &kept
}
