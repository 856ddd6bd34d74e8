package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"parley/internal/analysis"
)

// Analyst has analyses of the tenant answered.
type Analyst interface {
	// Analyse has a language model answer an analysis: its own one, or that of the last of the agents that has one. faults are why the answer
	// is not valid.
	Analyse(ctx context.Context, name, workflow string, agents []string, q analysis.Question) (a analysis.Answers, faults []string, err error)
}

// ExpectAnalysis is what is expected of the answers to an analysis.
type ExpectAnalysis struct {
	Name    string
	Answers []ExpectAnswer
}

// ExpectAnswer is what is expected of one answer.
type ExpectAnswer struct {
	Path  string // name of a criterion, or the way to a value below data, such as data.service or data.items.0.name
	Value any    // as JSON decodes it, numbers as json.Number; text of a criterion
	Least *bound // of a number, in place of Value; nil for none
	Most  *bound
}

// bound is a limit of a number.
type bound struct {
	limit     float64
	inclusive bool
}

// AnalysisOutcome is the result of an analysis of a conversation.
type AnalysisOutcome struct {
	Name     string                     `json:"name"`
	Data     json.RawMessage            `json:"data,omitempty"`
	Criteria []analysis.CriterionAnswer `json:"criteria,omitempty"`
	Faults   []string                   `json:"faults,omitempty"` // why the answer of the language model is not valid
}

// dataPath begins the paths to values.
const dataPath = "data"

// analyses reads the expected analyses.
func analyses(to *[]ExpectAnalysis) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		return entries(n, "analyses", func(name string, n *yaml.Node) error {
			a := ExpectAnalysis{Name: name}
			err := entries(n, name, func(path string, n *yaml.Node) error {
				answer, err := expectAnswer(path, n)
				a.Answers = append(a.Answers, answer)
				return err
			})
			if err == nil && len(a.Answers) == 0 {
				err = at(n, "%s expects nothing", name)
			}
			*to = append(*to, a)
			return err
		})
	}
}

// entries reads an object of any fields, each of which occurs once.
func entries(n *yaml.Node, name string, read func(field string, n *yaml.Node) error) error {
	if n = resolved(n); n.Kind != yaml.MappingNode {
		return at(n, "%s must be an object", name)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			return at(key, "%s has %q twice", name, key.Value)
		}
		seen[key.Value] = true
		if err := read(key.Value, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// isData reports whether a path is one to a value of the data, and not a criterion.
func isData(path string) bool { return path == dataPath || strings.HasPrefix(path, dataPath+".") }

// operators compare a number with a limit.
var operators = []struct {
	sign             string
	least, inclusive bool
}{{">=", true, true}, {"<=", false, true}, {">", true, false}, {"<", false, false}}

func expectAnswer(path string, n *yaml.Node) (e ExpectAnswer, err error) {
	e.Path = path
	n = resolved(n)
	if n.Kind == yaml.ScalarNode {
		for _, o := range operators {
			rest, is := strings.CutPrefix(n.Value, o.sign)
			if !is {
				continue
			}
			limit, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil && isData(path) {
				break // a text that begins so
			}
			if err != nil {
				return e, at(n, "%s: %q is no number", path, strings.TrimSpace(rest))
			}
			b := &bound{limit, o.inclusive}
			if o.least {
				e.Least = b
			} else {
				e.Most = b
			}
			return e, nil
		}
	}
	if !isData(path) {
		if !isCriterionAnswer(n) {
			return e, at(n, "%s must be yes, no, unknown, a number, or a comparison such as %q", path, ">= 7")
		}
		e.Value = criterionAnswer(n.Value)
		return e, nil
	}
	var wrapped map[string]any
	object := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: "value"}, n}}
	err = jsonObject(object, &wrapped)
	e.Value = wrapped["value"]
	return e, err
}

func isCriterionAnswer(n *yaml.Node) bool {
	_, err := strconv.ParseFloat(n.Value, 64)
	return n.Kind == yaml.ScalarNode && (err == nil || slices.Contains([]string{analysis.Yes, analysis.No, analysis.Unknown, "true", "false"}, n.Value))
}

// criterionAnswer returns the answer that a text stands for: yes and no are true and false to some writers of YAML.
func criterionAnswer(text string) any {
	switch text {
	case "true":
		return analysis.Yes
	case "false":
		return analysis.No
	case analysis.Yes, analysis.No, analysis.Unknown:
		return text
	}
	return json.Number(text)
}

// analyse has the analyses of the conversation answered, and compares the answers with those that are expected. Its error is one of the
// tenant's records or of a provider.
func (p *play) analyse(ctx context.Context) error {
	transcript, agents := p.transcript()
	p.outcome.Transcript = transcript
	facts := analysis.Facts{Direction: "inbound", Reason: "caller_hangup"}
	if p.ended {
		facts.Reason = "agent_ended"
	}
	for _, expected := range p.c.Analyses {
		answers, faults, err := p.analyst.Analyse(ctx, expected.Name, p.c.Workflow, agents, analysis.NewQuestion(facts, transcript))
		if err != nil {
			return fmt.Errorf("analysis %s: %w", expected.Name, err)
		}
		outcome := AnalysisOutcome{Name: expected.Name, Faults: faults}
		if len(faults) > 0 {
			p.outcome.Failures = append(p.outcome.Failures, fmt.Sprintf("analysis %s: the answer of the language model is not valid: %s", expected.Name, strings.Join(faults, "; ")))
		} else {
			if p.redact {
				answers.Redact()
			}
			outcome.Data, outcome.Criteria = answers.Data, answers.Criteria
			for _, answer := range expected.Answers {
				if failure := answer.check(answers, transcript); failure != "" {
					p.outcome.Failures = append(p.outcome.Failures, fmt.Sprintf("analysis %s: %s", expected.Name, failure))
				}
			}
		}
		p.outcome.Analyses = append(p.outcome.Analyses, outcome)
	}
	return nil
}

// transcript returns the conversation as language models receive it, numbered from 1, and the agents that have had it, in order.
func (p *play) transcript() (list []analysis.Entry, agents []string) {
	if p.c.Agent != "" {
		agents = append(agents, p.c.Agent)
	}
	add := func(e analysis.Entry) {
		e.ID = int64(len(list) + 1)
		if p.redact {
			e.Redact()
		}
		list = append(list, e)
	}
	for _, t := range p.outcome.Turns {
		if t.Said != "" {
			add(analysis.Entry{Speaker: analysis.Caller, Text: t.Said})
		}
		for _, e := range t.Entries() {
			entry := analysis.Entry{Speaker: analysis.Agent, Agent: e.Agent, Text: e.Text}
			if e.Tool != nil {
				entry = analysis.Entry{Speaker: analysis.Tool, Agent: e.Agent, Tool: e.Tool.Name, Result: e.Answer}
				if json.Valid(e.Tool.Arguments) {
					entry.Arguments = e.Tool.Arguments
				}
			}
			add(entry)
		}
		if len(agents) == 0 || agents[len(agents)-1] != t.Agent {
			agents = append(agents, t.Agent)
		}
	}
	return list, agents
}

// check returns what is not as expected; "" if it is.
func (e ExpectAnswer) check(answers analysis.Answers, transcript []analysis.Entry) string {
	if isData(e.Path) {
		var data any
		decoder := json.NewDecoder(strings.NewReader(string(answers.Data)))
		decoder.UseNumber()
		if err := decoder.Decode(&data); err != nil {
			return fmt.Sprintf("want %s %s, but the analysis has no schema", e.Path, e.wanted())
		}
		got := valueAt(data, strings.Split(e.Path, ".")[1:])
		if e.holds(got) {
			return ""
		}
		return fmt.Sprintf("want %s %s, got %s", e.Path, e.wanted(), written(got))
	}
	n := slices.IndexFunc(answers.Criteria, func(c analysis.CriterionAnswer) bool { return c.Name == e.Path })
	if n < 0 {
		return fmt.Sprintf("want %s %s, but the analysis has no such criterion", e.Path, e.wanted())
	}
	c := answers.Criteria[n]
	var got any = c.Answer
	switch {
	case c.Score != nil:
		got = json.Number(strconv.FormatFloat(*c.Score, 'f', -1, 64))
	case c.Answer == "":
		got = analysis.Unknown
	}
	if e.holds(got) {
		return ""
	}
	return fmt.Sprintf("want %s %s, got %v%s", e.Path, e.wanted(), got, reasons(c, transcript))
}

// valueAt returns the value at the end of a path; nil if there is none.
func valueAt(value any, path []string) any {
	for _, step := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(v) {
				return nil
			}
			value = v[n]
		default:
			return nil
		}
	}
	return value
}

// holds reports whether a value is the expected one.
func (e ExpectAnswer) holds(got any) bool {
	if e.Least == nil && e.Most == nil {
		return same(e.Value, got)
	}
	number, is := got.(json.Number)
	n, err := number.Float64()
	return is && err == nil && (e.Least == nil || n > e.Least.limit || e.Least.inclusive && n == e.Least.limit) &&
		(e.Most == nil || n < e.Most.limit || e.Most.inclusive && n == e.Most.limit)
}

// same reports whether two values are the same: texts but for case and punctuation, numbers by their value.
func same(want, got any) bool {
	switch w := want.(type) {
	case string:
		g, is := got.(string)
		return is && (w == g || len(tokens(w)) > 0 && slices.Equal(tokens(w), tokens(g)))
	case json.Number:
		g, is := got.(json.Number)
		a, err := w.Float64()
		b, other := g.Float64()
		return is && err == nil && other == nil && a == b
	case []any:
		g, is := got.([]any)
		return is && slices.EqualFunc(w, g, same)
	case map[string]any:
		g, is := got.(map[string]any)
		if !is || len(w) != len(g) {
			return false
		}
		for name, value := range w {
			if other, has := g[name]; !has || !same(value, other) {
				return false
			}
		}
		return true
	}
	return want == got
}

// wanted returns what is expected, in words.
func (e ExpectAnswer) wanted() string {
	for _, o := range operators {
		b := e.Most
		if o.least {
			b = e.Least
		}
		if b != nil && b.inclusive == o.inclusive {
			return o.sign + " " + strconv.FormatFloat(b.limit, 'f', -1, 64)
		}
	}
	if text, is := e.Value.(string); is && !isData(e.Path) {
		return text
	}
	return written(e.Value)
}

func written(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(encoded)
}

// reasons returns why a criterion has its answer: the model's rationale, and what it rests on.
func reasons(c analysis.CriterionAnswer, transcript []analysis.Entry) string {
	var b strings.Builder
	if c.Rationale != "" {
		fmt.Fprintf(&b, ": %s", c.Rationale)
	}
	if c.Unproven {
		b.WriteString(" (without sufficient evidence)")
	}
	for n, id := range c.Evidence {
		b.WriteString([]string{"; evidence: ", ", "}[min(n, 1)])
		e := transcript[id-1] // the answer is valid: the entry exists
		if e.Speaker == analysis.Tool {
			fmt.Fprintf(&b, "%s %s %s → %q", e.Speaker, e.Tool, e.Arguments, e.Result)
		} else {
			fmt.Fprintf(&b, "%s %q", e.Speaker, e.Text)
		}
	}
	return b.String()
}
