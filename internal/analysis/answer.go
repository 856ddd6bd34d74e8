package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxRationale bounds the rationale that is stored, in characters.
const maxRationale = 1_000

// The answers to a criterion of the kind yes_no.
const (
	Yes     = "yes"
	No      = "no"
	Unknown = "unknown"
)

// Answers are the valid answers of a language model to an analysis.
type Answers struct {
	Data     json.RawMessage   // fits the schema; nil without a schema
	Criteria []CriterionAnswer // in the order of the criteria
}

// CriterionAnswer is the answer to a criterion.
type CriterionAnswer struct {
	Name      string   `json:"name" example:"booked"`
	Answer    string   `json:"answer,omitempty" enum:"yes,no,unknown" doc:"For the kind yes_no."`
	Score     *float64 `json:"score,omitempty" minimum:"0" maximum:"10" doc:"For the kind score; absent if it is unknown."`
	Evidence  []int64  `json:"evidence" nullable:"false" doc:"Values of id of the entries of the transcript that the answer rests on."`
	Rationale string   `json:"rationale,omitempty" doc:"Reason that the language model gave."`
	// Unproven reports that the model's yes or score had no sufficient evidence.
	Unproven bool `json:"unproven,omitempty" doc:"Whether the language model answered yes, or gave a score, without sufficient evidence, and the answer is therefore unknown; absent if not."`
}

// given is the answer of a language model.
type given struct {
	Data     json.RawMessage  `json:"data"`
	Criteria []givenCriterion `json:"criteria"`
}

type givenCriterion struct {
	Name      string          `json:"name"`
	Answer    json.RawMessage `json:"answer"`
	Evidence  []int64         `json:"evidence"`
	Rationale string          `json:"rationale"`
}

// Read reads a language model's answer. faults are why it is not valid, worded for the model. unproven are the criteria whose yes or
// score rests on too little, worded for the model as well; in the answers these are unknown.
func (c Config) Read(text string, transcript []Entry) (a Answers, faults, unproven []string) {
	var g given
	if err := json.Unmarshal([]byte(object(text)), &g); err != nil {
		return a, []string{"it must be one JSON object with the fields that were asked for"}, nil
	}
	if c.Schema != nil {
		if len(g.Data) == 0 || string(g.Data) == "null" {
			faults = append(faults, "data is missing")
		} else {
			faults = append(faults, dataFaults(c.Schema, g.Data)...)
		}
		a.Data = g.Data
	}
	speakers := map[int64]Speaker{}
	for _, e := range transcript {
		speakers[e.ID] = e.Speaker
	}
	for _, criterion := range c.Criteria {
		n := slices.IndexFunc(g.Criteria, func(answer givenCriterion) bool { return answer.Name == criterion.Name })
		if n < 0 {
			faults = append(faults, fmt.Sprintf("the criterion %s has no answer", criterion.Name))
			continue
		}
		answer := CriterionAnswer{Name: criterion.Name, Evidence: append([]int64{}, g.Criteria[n].Evidence...), Rationale: shorten(g.Criteria[n].Rationale)}
		if fault := answer.set(criterion, g.Criteria[n].Answer); fault != "" {
			faults = append(faults, fault)
		}
		for _, id := range answer.Evidence {
			if _, exists := speakers[id]; !exists {
				faults = append(faults, fmt.Sprintf("the evidence of %s: there is no entry %d", criterion.Name, id))
			}
		}
		if fault := answer.weigh(criterion, speakers); fault != "" {
			unproven = append(unproven, fault)
		}
		a.Criteria = append(a.Criteria, answer)
	}
	return a, faults, unproven
}

// set sets the answer itself, or returns why it is none.
func (a *CriterionAnswer) set(c Criterion, value json.RawMessage) string {
	if c.kind() == YesNo {
		if json.Unmarshal(value, &a.Answer) != nil || !slices.Contains([]string{Yes, No, Unknown}, a.Answer) {
			return fmt.Sprintf(`the answer of %s must be "yes", "no" or "unknown"`, c.Name)
		}
		return ""
	}
	if string(value) == `"unknown"` {
		return ""
	}
	if json.Unmarshal(value, &a.Score) != nil || a.Score != nil && (*a.Score < 0 || *a.Score > 10) {
		return fmt.Sprintf("the answer of %s must be a number from 0 to 10, or null", c.Name)
	}
	return ""
}

// weigh makes an answer unknown that needs evidence and has not enough of it, and returns why.
func (a *CriterionAnswer) weigh(c Criterion, speakers map[int64]Speaker) string {
	if a.Answer != Yes && a.Score == nil {
		return ""
	}
	want := map[Source]string{FromTool: "the result of a tool", FromAgent: "an entry of the agent or of a tool", FromAny: "an entry of the transcript"}[c.source()]
	if slices.ContainsFunc(a.Evidence, func(id int64) bool { return c.source().holds(speakers[id]) }) {
		return ""
	}
	a.Score, a.Unproven = nil, true
	if c.kind() == YesNo {
		a.Answer = Unknown
	}
	return fmt.Sprintf("the answer of %s needs %s as evidence, or else is unknown", c.Name, want)
}

// holds reports whether an entry of a speaker is evidence.
func (s Source) holds(speaker Speaker) bool {
	switch s {
	case FromTool:
		return speaker == Tool
	case FromAgent:
		return speaker == Tool || speaker == Agent
	}
	return speaker != ""
}

// object returns the JSON object within a text: models write it into a block of code, or add a sentence.
func object(text string) string {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 || end < start {
		return text
	}
	return text[start : end+1]
}

func shorten(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
	if utf8.RuneCountInString(text) <= maxRationale {
		return text
	}
	return string([]rune(text)[:maxRationale]) + "…"
}
