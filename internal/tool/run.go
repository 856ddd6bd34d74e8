package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"parley/internal/mcpclient"
	"parley/internal/netguard"
	"parley/internal/template"
)

// Limits of a run's output, in bytes.
const (
	maxAnswer  = 8 << 10  // of one response, for the model
	maxAnswers = 32 << 10 // of all answers of a run, for the model
	maxValue   = 64 << 10 // of a flag or a context key, as JSON
)

// Definition is a tool as stored in a call's plan.
type Definition struct {
	Description string `json:"description,omitempty"`
	Config      Config `json:"config"`
	// Server is the tool of an MCP server in place of actions; nil for a tool of the tenant.
	Server *ServerTool `json:"server,omitempty"`
}

// Phone is a call's SIP leg; WebRTC calls have none.
type Phone interface {
	// SendDTMF sends tones and returns afterwards. w is a pause of half a second.
	SendDTMF(ctx context.Context, digits string) error
	// Transfer connects the caller with an E.164 number and returns when the caller has left the call.
	Transfer(ctx context.Context, number string) error
}

// Call is a language model's call of a tool.
type Call struct {
	// ID identifies the function call, and CallID the voice call, to the servers that api_calls reach; "" for none.
	ID, CallID string

	Tenant Tenant

	Name      string
	Tool      Definition
	Arguments json.RawMessage // a JSON object
	// Scope is the values for templates: user, call, workflow, flags, vars, prompt. It is read only; changes are part of the
	// outcome.
	Scope template.Scope
	Phone Phone // nil when the call has none
	// DialsPersons says that a person's phone can be dialled into the call.
	DialsPersons bool
	// Sessions are the voice call's sessions with MCP servers; nil outside a call.
	Sessions *mcpclient.Sessions
}

// Outcome is the result of a call.
type Outcome struct {
	// Answer is the text for the model.
	Answer string
	// Changes are changes of flags and workflow, in order.
	Changes []Change
	// Next is the action that follows in the conversation; nil for none.
	Next *Next
	// Problems are for the tenant's error log. They contain no rendered values.
	Problems []Problem
	// Failed reports that an action of the tool failed, or that the tool says so.
	Failed bool
}

// Change sets a flag or a key of the workflow's state.
type Change struct {
	Flag, Key string // one of them
	Value     any
}

// Next is a handoff, an end or a transfer, performed after the message was spoken.
type Next struct {
	Action  string // Handoff, EndCall or TransferCall
	Agent   string // of a handoff
	Number  string // of a transfer: the first that is dialled
	Message string // spoken first; may be empty
	// Transfer is a transfer to a person; nil for one by the trunk.
	Transfer *Transfer
}

// Problem is an error of a run. A critical one prevented the tool from working.
type Problem struct {
	Critical bool
	Message  string
}

// Runner runs tools. It is safe for concurrent use.
type Runner struct {
	client       *http.Client
	transport    *http.Transport
	allowPrivate bool
}

// NewRunner returns a Runner. With allowPrivate, requests may use private addresses and plain http.
func NewRunner(allowPrivate bool) *Runner {
	transport := netguard.NewTransport(netguard.Options{AllowPrivate: allowPrivate, IdlePerHost: 8})
	return &Runner{client: netguard.NewClient(transport), transport: transport, allowPrivate: allowPrivate}
}

// Close closes idle connections.
func (r *Runner) Close() { r.transport.CloseIdleConnections() }

// run is the state of one call.
type run struct {
	*Runner
	call    Call
	scope   template.Scope
	outcome Outcome
	answers []string // of requests, tones and the like
	replies []string // of respond
	missing map[string]bool
	all     *template.Budget // of all actions
	budget  *template.Budget // of the current action, part of all
	last    bool             // all has less left than one action may take
	trial   *trial           // nil in a call

	used        *hidden // secrets in the requests so far
	secretFault error   // why a secret of the current request has no value
	shown       bool    // the request is not sent, and shows no secret
}

// Run validates the arguments and performs the tool's actions in order. It stops when the context ends.
func (r *Runner) Run(ctx context.Context, c Call) Outcome { return r.run(ctx, c, nil) }

func (r *Runner) run(ctx context.Context, c Call, trial *trial) Outcome {
	u := &run{Runner: r, call: c, trial: trial, used: &hidden{}}
	u.begin()
	if c.Tool.Server != nil {
		return u.serverTool(ctx)
	}
	params, faults := c.Tool.Config.arguments(c.Arguments)
	if len(faults) > 0 {
		u.warn("called with arguments that do not fit: %s", strings.Join(faults, "; "))
		u.outcome.Answer = mend(faults)
		return u.outcome
	}
	u.scope["params"] = params
	for _, source := range []string{"workflow", "flags"} { // actions see the changes of earlier ones
		values, _ := u.scope[source].(map[string]any)
		u.scope[source] = maps.Clone(values)
		if values == nil {
			u.scope[source] = map[string]any{}
		}
	}
	u.list(ctx, c.Tool.Config.Actions)
	said := u.replies
	if len(said) == 0 {
		said = u.answers
	}
	u.outcome.Answer = first(strings.Join(said, "\n"), maxAnswers)
	if u.outcome.Answer == "" {
		u.outcome.Answer = "Done."
	}
	return u.outcome
}

// begin makes what templates are rendered with.
func (u *run) begin() {
	u.scope, u.missing, u.all = maps.Clone(u.call.Scope), map[string]bool{}, template.NewBudget(MaxRun)
	u.budget = u.all.Part(MaxAction)
	if u.scope == nil {
		u.scope = template.Scope{}
	}
}

// list performs actions in order. {{result}} is available to later actions of the list and its nested lists.
func (u *run) list(ctx context.Context, actions []Action) {
	result, had := u.scope["result"]
	for _, a := range actions {
		if ctx.Err() != nil {
			break
		}
		u.act(ctx, a)
	}
	delete(u.scope, "result")
	if had {
		u.scope["result"] = result
	}
}

func (u *run) act(ctx context.Context, a Action) {
	u.budget, u.last = u.all.Part(MaxAction-a.size()), u.all.Left() < MaxAction-a.size()
	if a.Type == APICall {
		if u.apiCall(ctx, a) {
			u.list(ctx, a.OnSuccess)
		} else {
			u.list(ctx, a.OnFailure)
		}
		return
	}
	f, err := u.fill(a)
	if err != nil {
		u.fail("%s is not done: %v", a.Type, err)
		u.answers = append(u.answers, a.Type+" was not done: it is too large.")
		return
	}
	switch a.Type {
	case SetFlag:
		u.change("flags", Change{Flag: a.Name, Value: f.value})
	case SetContext:
		u.change("workflow", Change{Key: a.Key, Value: f.value})
	case Handoff:
		u.next(Next{Action: Handoff, Agent: a.TargetAgent})
	case EndCall:
		u.next(Next{Action: EndCall, Message: f.message})
	case TransferCall:
		u.transfer(a, f)
	case SendDTMF:
		u.tones(ctx, a, f.digits)
	case Respond:
		u.replies = append(u.replies, f.message)
	}
}

func (u *run) change(source string, c Change) {
	if encoded, err := json.Marshal(c.Value); err != nil || len(encoded) > maxValue {
		u.fail("%s is not set: its value is larger than %d KiB", source+"."+c.Flag+c.Key, maxValue>>10)
		return
	}
	u.scope[source].(map[string]any)[c.Flag+c.Key] = c.Value
	u.outcome.Changes = append(u.outcome.Changes, c)
}

// next keeps the first follow-up action.
func (u *run) next(n Next) {
	if u.outcome.Next != nil {
		u.warn("%s is ignored: %s came before it", n.Action, u.outcome.Next.Action)
		return
	}
	u.outcome.Next = &n
}

func (u *run) tones(ctx context.Context, a Action, digits string) {
	switch {
	case u.call.Phone == nil:
		u.impossible(a, "Tones cannot be sent: this is no phone call.")
	case !digitsForm.MatchString(digits):
		u.fail("%s: what %s leads to are no digits to send", a.Type, a.Digits)
		u.answers = append(u.answers, "The tones were not sent: the digits are not valid.")
	default:
		if err := u.call.Phone.SendDTMF(ctx, digits); err != nil {
			u.fail("%s: %v", a.Type, err)
			u.answers = append(u.answers, "The tones could not be sent.")
			return
		}
		u.answers = append(u.answers, "The tones were sent.")
	}
}

// impossible returns the answer to an action that requires a phone call.
func (u *run) impossible(a Action, answer string) {
	u.warn("%s is not possible: this is no phone call", a.Type)
	u.answers = append(u.answers, answer)
}

func (u *run) warn(format string, args ...any) { u.problem(false, format, args...) }
func (u *run) fail(format string, args ...any) {
	u.outcome.Failed = true
	u.problem(true, format, args...)
}

func (u *run) problem(critical bool, format string, args ...any) {
	u.outcome.Problems = append(u.outcome.Problems, Problem{Critical: critical, Message: "tool " + u.call.Name + ": " + fmt.Sprintf(format, args...)})
}

// first returns at most size bytes of a text, without splitting a character.
func first(text string, size int) string {
	if len(text) <= size {
		return text
	}
	return strings.ToValidUTF8(text[:size], "")
}

// Awaits reports whether a call of this tool has to wait for an earlier call: it reads a flag or a context key that
// the other may set.
func (c Config) Awaits(earlier Config) bool {
	written := map[string]bool{}
	earlier.each(func(a Action) {
		switch a.Type {
		case SetFlag:
			written["flags."+a.Name], written["flags"] = true, true
		case SetContext:
			written["workflow."+a.Key], written["workflow"] = true, true
		}
	})
	for _, text := range c.Texts() {
		for _, path := range template.Paths(text) {
			source, rest, within := strings.Cut(strings.ReplaceAll(path, "[", "."), ".")
			name, _, _ := strings.Cut(rest, ".")
			if written[source+"."+name] || !within && written[source] {
				return true
			}
		}
	}
	return false
}

// Texts returns all texts that may contain templates.
func (c Config) Texts() (texts []string) {
	if c.OnWait != nil {
		texts = slices.Clone(c.OnWait.Text)
	}
	c.each(func(a Action) {
		texts = append(texts, a.URL, string(a.Body), string(a.Value), a.PhoneNumber, a.Digits, a.Message, a.Summary)
		texts = append(texts, a.To...)
		for _, path := range a.Required {
			texts = append(texts, "{{"+path+"}}")
		}
		for _, name := range slices.Sorted(maps.Keys(a.Headers)) {
			texts = append(texts, a.Headers[name])
		}
	})
	return texts
}

// Targets returns the agents to whom a tool hands the caller over, without duplicates.
func (c Config) Targets() (agents []string) {
	add := func(agent string) {
		if agent != "" && !slices.Contains(agents, agent) {
			agents = append(agents, agent)
		}
	}
	c.each(func(a Action) {
		switch a.Type {
		case Handoff:
			add(a.TargetAgent)
		case TransferCall:
			for _, to := range a.To {
				add(AgentTarget(to))
			}
		}
	})
	return agents
}

// Sets returns the keys and flags that a tool's actions set, as workflow.<key> and flags.<name>.
func (c Config) Sets() (paths []string) {
	c.each(func(a Action) {
		switch a.Type {
		case SetContext:
			paths = append(paths, "workflow."+a.Key)
		case SetFlag:
			paths = append(paths, "flags."+a.Name)
		}
	})
	return paths
}

// each visits all actions, including those of nested lists.
func (c Config) each(visit func(Action)) {
	var walk func([]Action)
	walk = func(actions []Action) {
		for _, a := range actions {
			visit(a)
			walk(a.OnSuccess)
			walk(a.OnFailure)
		}
	}
	walk(c.Actions)
}
