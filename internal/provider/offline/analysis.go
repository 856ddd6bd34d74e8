package offline

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/internal/dialogue"
)

// analysed is the transcript of a call that a prompt asks about, as package analysis writes it.
type analysed struct {
	Transcript []struct {
		ID           int64
		Text, Result string
	}
}

// finding is the answer to a criterion.
type finding struct {
	Name      string          `json:"name"`
	Answer    json.RawMessage `json:"answer"`
	Evidence  []int64         `json:"evidence"`
	Rationale string          `json:"rationale,omitempty"`
}

// analyse answers a prompt for the analysis of a call by the rules in its system prompt:
//
//   - is booked | see you on => booked: yes
//   - clean | cleaning => data.service: "cleaning"
//   - * => booked: no
//
// The words on the left are looked for in each entry of the transcript, and in the results of tools; the entries that have them are the
// evidence. On the right are the name of a criterion and its answer, or data. and the name of a field and its JSON value. * is for what no
// other rule answers. A criterion without an answer is unknown.
func analyse(p dialogue.Prompt) string {
	var call analysed
	if json.Unmarshal([]byte(firstUser(p)), &call) != nil {
		return "{}"
	}
	findings, data := criteriaOf(p.System), map[string]json.RawMessage{}
	for _, r := range parseRules(p.System) {
		name, value, found := strings.Cut(r.say, ":")
		if !found {
			continue
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		evidence := call.entriesWith(r)
		otherwise := slices.ContainsFunc(r.alternatives, func(a []string) bool { return a[0] == fallbackWord })
		if field, isData := strings.CutPrefix(name, "data."); isData {
			if _, answered := data[field]; !answered && (otherwise || len(evidence) > 0) && json.Valid([]byte(value)) {
				data[field] = json.RawMessage(value)
			}
			continue
		}
		n := slices.IndexFunc(findings, func(f finding) bool { return f.Name == name && f.Rationale == "" })
		if n >= 0 && (otherwise || len(evidence) > 0) {
			findings[n].Answer, findings[n].Evidence, findings[n].Rationale = jsonOf(value), evidence, "A rule says so."
		}
	}
	answer, err := json.Marshal(map[string]any{"data": data, "criteria": findings})
	if err != nil {
		return "{}"
	}
	return string(answer)
}

// entriesWith returns the ids of the entries that have a rule's words.
func (a analysed) entriesWith(r rule) []int64 {
	ids := []int64{}
	for _, e := range a.Transcript {
		said := words(e.Text + " " + e.Result)
		if slices.ContainsFunc(r.alternatives, func(wanted []string) bool { return holds(said, wanted) }) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// criteriaOf returns the criteria that a system prompt lists, each unknown.
func criteriaOf(system string) []finding {
	findings := []finding{}
	for line := range strings.Lines(system) {
		var c struct{ Name, Kind, Question string }
		if json.Unmarshal([]byte(line), &c) == nil && c.Name != "" && c.Question != "" {
			answer := json.RawMessage(`"unknown"`)
			if c.Kind == "score" {
				answer = json.RawMessage("null")
			}
			findings = append(findings, finding{Name: c.Name, Answer: answer, Evidence: []int64{}})
		}
	}
	return findings
}

// jsonOf returns a value as JSON, a word as a string.
func jsonOf(value string) json.RawMessage {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, _ := json.Marshal(value) // a text is always valid
	return text
}

func firstUser(p dialogue.Prompt) string {
	for _, m := range p.Messages {
		if m.Role == dialogue.RoleUser {
			return m.Content
		}
	}
	return ""
}
