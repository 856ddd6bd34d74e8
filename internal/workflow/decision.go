package workflow

// Decision says where the agent that speaks can lead the call, and why not elsewhere. There is a new one when that
// changes, and when values were set.
type Decision struct {
	Agent   string    `json:"agent" doc:"Agent that speaks." example:"triage"`
	Node    string    `json:"node_id,omitempty" doc:"Its node of the workflow; absent without a workflow." example:"triage"`
	Set     []SetPath `json:"set" nullable:"false" doc:"What was set since the decision before; values are not repeated."`
	Offered []Offer   `json:"offered" nullable:"false" doc:"The functions by which the agent can hand the call over or end it."`
	Skipped []Skip    `json:"skipped" nullable:"false" doc:"Where the call cannot go from here, though connections or handoffs lead there."`
}

// SetPath is a flag or a key of the workflow's state that was set.
type SetPath struct {
	Path   string    `json:"path" doc:"Name of the value, as in templates and conditions." example:"flags.verified"`
	Reason SetReason `json:"reason" enum:"tool,context_mapping,context_pass" doc:"What set it: a tool, the context_mapping of the node that was entered, or the context_pass of a handoff."`
	Tool   string    `json:"tool,omitempty" doc:"Name of the tool; absent for other reasons." example:"verify_identity"`
}

// SetReason is why a value was set.
type SetReason string

// The reasons for which values are set.
const (
	SetByTool    SetReason = "tool"
	SetByMapping SetReason = "context_mapping"
	SetByPass    SetReason = "context_pass"
)

// Offer is a function that an agent is offered. One that ends the call has neither agent nor node.
type Offer struct {
	Function string `json:"function" doc:"Name of the function for the language model." example:"handoff_to_billing"`
	Agent    string `json:"agent,omitempty" doc:"Agent that it leads to; absent for end_call." example:"billing"`
	Node     string `json:"node_id,omitempty" doc:"Node of the workflow that it leads to." example:"billing"`
}

// Skip is a node or an agent that the call cannot go to.
type Skip struct {
	Agent  string     `json:"agent" doc:"Agent that is not reached." example:"verification"`
	Node   string     `json:"node_id,omitempty" doc:"Its node of the workflow; absent without a workflow." example:"verification"`
	Reason SkipReason `json:"reason" enum:"skip_condition,condition,unavailable,limit" doc:"skip_condition: the node's condition is true, and its connections are followed instead; condition: that of the connection or handoff is false; unavailable: the agent is not active; limit: there were too many handoffs."`
	// Condition is cut to MaxShown characters.
	Condition string `json:"condition,omitempty" doc:"The condition, its first 200 characters; absent without one." example:"{{flags.verified}}"`
}

// SkipReason is why the call cannot go to a node or agent.
type SkipReason string

// The reasons for which nodes and agents are skipped.
const (
	SkippedBySkipCondition SkipReason = "skip_condition"
	SkippedByCondition     SkipReason = "condition"
	SkippedAsUnavailable   SkipReason = "unavailable"
	SkippedByLimit         SkipReason = "limit"
)

// MaxShown is how much of a condition a Skip repeats, in characters.
const MaxShown = 200
