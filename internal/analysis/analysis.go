// Package analysis has the analyses of a tenant: what a language model reads out of the transcript of a call that has ended. An analysis
// fills a JSON Schema and answers criteria, each with the entries of the transcript that its answer rests on. This package has their
// records and rules, the check of an answer, and the queue of the analyses of calls; package postcall runs them.
package analysis

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"
)

// Analysis is an analysis of a tenant.
type Analysis struct {
	bun.BaseModel `bun:"table:analyses,alias:a"`

	TenantID  string    `bun:"tenant_id,pk"`
	ID        string    `bun:"id,pk"`
	Name      string    `bun:"name"` // unique within the tenant; never changes
	Config    Config    `bun:"config,type:jsonb"`
	Version   int64     `bun:"version"` // counts the changes, from 1
	CreatedAt time.Time `bun:"created_at"`
	UpdatedAt time.Time `bun:"updated_at"`
}

// Config is what an analysis consists of, in requests and as stored. The tags beside json describe the fields in the API's
// description; rules.go validates.
type Config struct {
	Description  *string         `json:"description,omitempty" nullable:"true" maxLength:"2000" doc:"Purpose of the analysis." example:"Whether an appointment was made."`
	Instructions string          `json:"instructions,omitempty" maxLength:"20000" doc:"What the language model has to know beside the schema and the criteria, such as the meaning of your terms." example:"A rescheduled appointment counts as booked."`
	Schema       json.RawMessage `json:"schema,omitempty" doc:"JSON Schema of the data to fill, of type object: a subset of draft 2020-12, see docs/analyses.md. At most 64 KiB, 100 properties and 8 levels. Required without criteria."`
	Criteria     []Criterion     `json:"criteria,omitzero" maxItems:"20" nullable:"false" doc:"Questions about the call. Required without a schema."`
	Conditions   Conditions      `json:"conditions,omitzero" doc:"Conditions of the calls to analyse. Other calls have the status skipped, with the reason."`
	LLM          *LLM            `json:"llm,omitempty" nullable:"true" doc:"Language model of the analysis. Default: that of the last agent of the call that has one."`
}

// Criterion is a question about a call. Its answer is yes, no or unknown, or a score.
type Criterion struct {
	Name     string `json:"name" pattern:"^[a-z][a-z0-9_]{0,63}$" doc:"Name of the criterion, unique within the analysis." example:"booked"`
	Question string `json:"question" minLength:"1" maxLength:"2000" doc:"Question about the call, for the language model." example:"Was an appointment made?"`
	Kind     Kind   `json:"kind,omitempty" enum:"yes_no,score" doc:"Whether the answer is yes, no or unknown, or a score from 0 to 10. Default: yes_no." example:"yes_no"`
	Evidence Source `json:"evidence,omitempty" enum:"tool,agent,any" doc:"What an answer of yes, or a score, has to rest on: at least one result of a tool (tool), an entry of the agent or a result of a tool (agent), or any entry (any). Otherwise the answer is unknown. Default: agent, so that what the caller says alone proves nothing." example:"tool"`
}

// Kind is the kind of a criterion's answer.
type Kind string

// The kinds of answers.
const (
	YesNo Kind = "yes_no"
	Score Kind = "score"
)

// Source is what kind of entry an answer has to rest on.
type Source string

// The sources of evidence, the strictest first.
const (
	FromTool  Source = "tool"
	FromAgent Source = "agent"
	FromAny   Source = "any"
)

// Conditions are those of the calls to analyse. Zero values do not count.
type Conditions struct {
	MinDurationSeconds int      `json:"min_duration_seconds,omitempty" minimum:"0" maximum:"86400" doc:"Least duration of the call, in seconds." example:"15"`
	MinTurns           int      `json:"min_turns,omitempty" minimum:"0" maximum:"1000" doc:"Least number of entries of the caller in the transcript." example:"2"`
	Reasons            []string `json:"reasons,omitzero" maxItems:"50" nullable:"false" doc:"Values of status_reason of the calls to analyse. Default: all." example:"[\"caller_hangup\"]"`
	AnsweredBy         []string `json:"answered_by,omitzero" maxItems:"10" nullable:"false" doc:"Who answered the calls to analyse, of those that were dialled; other calls are analysed regardless. Default: all." example:"[\"human\"]"`
}

// LLM is a language model.
type LLM struct {
	Provider        string   `json:"provider" doc:"Name of a language model provider." example:"openai"`
	Model           string   `json:"model" pattern:"^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,99}$" example:"gpt-6-luna"`
	Temperature     *float64 `json:"temperature,omitempty" minimum:"0" maximum:"2" doc:"Default: 0." example:"0"`
	MaxTokens       *int     `json:"max_tokens,omitempty" minimum:"1" doc:"Maximum number of tokens of the answer. Default: 4096." example:"2000"`
	ReasoningEffort string   `json:"reasoning_effort,omitempty" enum:"none,minimal,low,medium,high,xhigh,max" doc:"How much the model reasons before it answers. Default: the least that the model allows." example:"low"`
}

// kind returns the kind of the criterion's answer.
func (c Criterion) kind() Kind {
	if c.Kind == "" {
		return YesNo
	}
	return c.Kind
}

// source returns what the criterion's answer has to rest on.
func (c Criterion) source() Source {
	if c.Evidence == "" {
		return FromAgent
	}
	return c.Evidence
}
