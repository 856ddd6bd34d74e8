package analysis

import (
	"fmt"
	"strings"
	"testing"
)

// call is a transcript: what the caller and the agent say, and the result of a tool.
var transcript = []Entry{
	{ID: 11, Speaker: Caller, Text: "I want an appointment."},
	{ID: 12, Speaker: Agent, Text: "It is booked."},
	{ID: 13, Speaker: Tool, Tool: "book", Result: `{"booked":true}`},
}

func TestEvidence(t *testing.T) {
	for _, test := range []struct {
		source   Source
		evidence string
		want     string // the answer; "" for an answer that is not valid
	}{
		{"", "12", Yes}, {"", "11", Unknown}, {"", "11,13", Yes}, {"", "", Unknown}, {"", "99", ""}, {"", "12,99", ""},
		{FromTool, "12", Unknown}, {FromTool, "13", Yes}, {FromTool, "11,12,13", Yes},
		{FromAny, "11", Yes}, {FromAny, "", Unknown},
	} {
		c := Config{Criteria: []Criterion{{Name: "booked", Question: "?", Evidence: test.source}}}
		a, faults, unproven := c.Read(fmt.Sprintf(`{"criteria":[{"name":"booked","answer":"yes","evidence":[%s]}]}`, test.evidence), transcript)
		switch {
		case (len(faults) > 0) != (test.want == ""):
			t.Errorf("%+v: faults %v", test, faults)
		case test.want != "" && (a.Criteria[0].Answer != test.want || a.Criteria[0].Unproven != (test.want == Unknown) || (len(unproven) > 0) != (test.want == Unknown)):
			t.Errorf("%+v: %+v, %v", test, a.Criteria, unproven)
		}
	}
}

func TestRead(t *testing.T) {
	c := Config{
		Schema: []byte(`{"type":"object","properties":{"service":{"type":"string"},"people":{"type":"integer","minimum":1}},"required":["service"],"additionalProperties":false}`),
		Criteria: []Criterion{
			{Name: "booked", Question: "?"}, {Name: "polite", Question: "?", Kind: Score},
		},
	}
	const booked, polite = `{"name":"booked","answer":"no","evidence":[]}`, `{"name":"polite","answer":7.5,"evidence":[12]}`
	for answer, want := range map[string]string{
		`{"data":{"service":"cleaning"},"criteria":[` + booked + `,` + polite + `]}`:                                    "",
		"```json\n" + `{"data":{"service":"cleaning","people":2},"criteria":[` + polite + `,` + booked + `]}` + "\n```": "",
		`{"data":{"service":"cleaning"},"criteria":[` + booked + `,{"name":"polite","answer":null}]}`:                   "",
		`{"data":{"people":0,"x":1},"criteria":[` + booked + `,` + polite + `]}`:                                        "data does not fit",
		`{"criteria":[` + booked + `,` + polite + `]}`:                                                                  "data is missing",
		`{"data":{"service":"cleaning","people":1e999999},"criteria":[` + booked + `,` + polite + `]}`:                  "out of range",
		`{"data":{"service":"cleaning"},"criteria":[` + booked + `]}`:                                                   "polite has no answer",
		`{"data":{"service":"cleaning"},"criteria":[{"name":"booked","answer":"maybe"},` + polite + `]}`:                "booked must be",
		`{"data":{"service":"cleaning"},"criteria":[` + booked + `,{"name":"polite","answer":11,"evidence":[12]}]}`:     "polite must be a number",
		`{"data":{"service":"cleaning"},"criteria":[` + booked + `,{"name":"polite","answer":"good","evidence":[12]}]}`: "polite must be a number",
		`I cannot do that.`:         "one JSON object",
		``:                          "one JSON object",
		`{"data":[],"criteria":{}}`: "one JSON object",
	} {
		a, faults, _ := c.Read(answer, transcript)
		if got := strings.Join(faults, "; "); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: faults %q, want %q", answer, got, want)
		} else if want == "" && (len(a.Criteria) != 2 || a.Criteria[0].Name != "booked" || len(a.Data) == 0) {
			t.Errorf("%s: %+v", answer, a)
		}
	}
}
