package analysis

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/internal/answering"
	"parley/internal/fault"
)

// Limits, in characters where texts are meant.
const (
	MaxDescription  = 2_000
	MaxInstructions = 20_000
	MaxCriteria     = 20
	MaxQuestion     = 2_000
	MaxReasons      = 50
	MaxDuration     = 86_400
	MaxTurns        = 1_000
	MaxAnswerers    = 10
)

// The forms of names, as regular expressions.
const (
	NamePattern      = `^[a-z0-9][a-z0-9_-]{0,99}$`
	CriterionPattern = `^[a-z][a-z0-9_]{0,63}$`
)

var (
	nameForm      = regexp.MustCompile(NamePattern)
	criterionForm = regexp.MustCompile(CriterionPattern)
	modelForm     = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,99}$`)
	efforts       = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
)

// Providers is the catalogue that a language model is checked against.
type Providers interface {
	Has(kind, name string) bool
	Names(kind string) []string
	KnowsModel(kind, name, model string) bool
}

// validation collects errors and warnings about an analysis.
type validation struct {
	fault.Findings
	providers Providers
	reasons   []string    // values of status_reason
	found     fault.Found // before the rules
}

func (i *validation) name(name string) {
	switch {
	case name == "":
		i.Fault("name", "is required")
	case !nameForm.MatchString(name):
		i.Fault("name", "must be 1 to 100 lowercase letters, digits, hyphens and underscores, the first a letter or digit")
	}
}

func (i *validation) config(c Config) {
	if c.Description != nil {
		i.Text("description", *c.Description, MaxDescription)
	}
	i.Text("instructions", c.Instructions, MaxInstructions)
	switch {
	case c.Schema != nil:
		checkSchema(&i.Findings, "schema", c.Schema)
	case len(c.Criteria) == 0 && !i.found.Inside("criteria"):
		i.Fault("criteria", "an analysis needs a schema or criteria")
	}
	if i.Count("criteria", len(c.Criteria), MaxCriteria) {
		i.criteria(c.Criteria)
	}
	i.conditions(c.Conditions)
	if c.LLM != nil {
		i.llm(*c.LLM)
	}
}

func (i *validation) criteria(criteria []Criterion) {
	for n, c := range criteria {
		at := fmt.Sprintf("criteria[%d].", n)
		switch {
		case !criterionForm.MatchString(c.Name):
			i.Fault(at+"name", "must be 1 to 64 lowercase letters, digits and underscores, the first a letter")
		case slices.ContainsFunc(criteria[:n], func(before Criterion) bool { return before.Name == c.Name }):
			i.Fault(at+"name", "is given twice")
		}
		if strings.TrimSpace(c.Question) == "" {
			i.Fault(at+"question", "is required")
		}
		i.Text(at+"question", c.Question, MaxQuestion)
		if k := c.kind(); k != YesNo && k != Score {
			i.Fault(at+"kind", "must be yes_no or score")
		}
		if s := c.source(); s != FromTool && s != FromAgent && s != FromAny {
			i.Fault(at+"evidence", "must be tool, agent or any")
		}
	}
}

func (i *validation) conditions(c Conditions) {
	if c.MinDurationSeconds < 0 || c.MinDurationSeconds > MaxDuration {
		i.Fault("conditions.min_duration_seconds", "must be 0 to %d", MaxDuration)
	}
	if c.MinTurns < 0 || c.MinTurns > MaxTurns {
		i.Fault("conditions.min_turns", "must be 0 to %d", MaxTurns)
	}
	if i.Count("conditions.reasons", len(c.Reasons), MaxReasons) {
		for n, reason := range c.Reasons {
			if !slices.Contains(i.reasons, reason) {
				i.Fault(fmt.Sprintf("conditions.reasons[%d]", n), "must be one of %s", strings.Join(i.reasons, ", "))
			}
		}
	}
	if i.Count("conditions.answered_by", len(c.AnsweredBy), MaxAnswerers) {
		for n, class := range c.AnsweredBy {
			if !slices.Contains(answering.Classes, answering.Class(class)) {
				i.Fault(fmt.Sprintf("conditions.answered_by[%d]", n), "is not among the classes of who answers")
			}
		}
	}
}

func (i *validation) llm(l LLM) {
	if !i.providers.Has("llm", l.Provider) {
		i.Fault("llm.provider", "must be one of %s", strings.Join(i.providers.Names("llm"), ", "))
	}
	switch {
	case !modelForm.MatchString(l.Model):
		i.Fault("llm.model", "must be an identifier of at most 100 characters")
	case i.providers.Has("llm", l.Provider) && !i.providers.KnowsModel("llm", l.Provider, l.Model):
		i.Warn("llm.model", "%s is not among the models known of %s", l.Model, l.Provider)
	}
	if l.Temperature != nil && (*l.Temperature < 0 || *l.Temperature > 2) {
		i.Fault("llm.temperature", "must be between 0 and 2")
	}
	if l.MaxTokens != nil && *l.MaxTokens < 1 {
		i.Fault("llm.max_tokens", "must be at least 1")
	}
	if l.ReasoningEffort != "" && !slices.Contains(efforts, l.ReasoningEffort) {
		i.Fault("llm.reasoning_effort", "must be one of %s", strings.Join(efforts, ", "))
	}
}
