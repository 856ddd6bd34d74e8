package main

import (
	"encoding/json"
	"strings"
)

// entry says of an operation which method of a client calls it, and with what, for the tests of the clients.
type entry struct {
	Resource string   `json:"resource"` // words with hyphens, as Method
	Method   string   `json:"method"`
	Kind     kind     `json:"kind"`
	Body     bool     `json:"body"`
	Upload   bool     `json:"upload"` // a file and its media type, in place of a body
	Query    []string `json:"query"`
	Header   []string `json:"header"`
}

// manifest is the table of all operations by their id.
func (d document) manifest() ([]byte, error) {
	table := map[string]entry{}
	for _, r := range d.resources() {
		for _, c := range r.calls {
			k, _ := d.kind(c.operation)
			table[c.ID] = entry{
				strings.Join(r.words, "-"), strings.Join(c.words, "-"), k,
				c.body() != nil, len(c.uploads()) > 0, parameterNames(c.in("query")), parameterNames(c.in("header")),
			}
		}
	}
	return json.MarshalIndent(table, "", "  ")
}

func parameterNames(of []parameter) []string {
	names := make([]string, len(of))
	for i, p := range of {
		names[i] = p.Name
	}
	return names
}
