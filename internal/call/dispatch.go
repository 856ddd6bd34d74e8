package call

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"parley/internal/agent"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/prompt"
	"parley/internal/providerkey"
	"parley/internal/tool"
	"parley/internal/workflow"
)

// Request asks for a call. Its fields were checked at the edge.
type Request struct {
	TenantID     string
	WorkflowSlug string // either a workflow …
	AgentName    string // … or one agent
	// Config is used in place of the agent's own, which need not be active or exist.
	Config      *agent.Config
	UserID      *string
	CallType    string
	PhoneNumber *string
	Inbound     bool            // a phone call whose caller rang here, and waits
	UserContext json.RawMessage // a JSON object, or nil
	Metadata    json.RawMessage // a JSON object, or nil
	Livemode    bool
}

// plan is what a call needs to know of its agents, as they are now; voice.Plan
// reads it.
type plan struct {
	Agent    string                  `json:"agent,omitempty"`
	Workflow *workflow.Config        `json:"workflow,omitempty"`
	Agents   map[string]agent.Config `json:"agents"`
	// Tools are those that the agents name and that exist.
	Tools map[string]tool.Definition `json:"tools,omitempty"`
	// Prompts are the templates that the agents' texts refer to. They are
	// rendered in the call: what they may name of its context is sealed.
	Prompts prompt.Bodies `json:"prompts,omitempty"`

	room *room // for all of it
}

// Need is a provider that an agent of a call names, or any of several: its own
// and its fallback.
type Need struct {
	Kind       string      // stt, llm, tts
	Candidates []Candidate // the fallback last
}

// Candidate is a provider that an agent may use.
type Candidate struct {
	Name string
	// OwnKey says that the tenant has a key of its own for it.
	OwnKey bool
}

// Needs are what a call's agents need of providers, each once.
type Needs []Need

// Dispatch writes a pending call with its call.started event and wakes the
// workers. A missing workflow or agent is not_found; one that is not active,
// or whose agents are not, is a conflict; over the tenant's limits it is
// rate_limit_exceeded, and while too many calls wait already
// service_unavailable, both with RetryAfter. A phone
// call that the tenant may not make is told by mayDial's errors.
func (s *Service) Dispatch(ctx context.Context, r Request) (c *Call, needs Needs, err error) {
	limits, err := s.limits(ctx, r.TenantID)
	if err != nil {
		return nil, nil, err
	}
	leave, err := s.admitShare(ctx, r.TenantID, limits, s.db.Tenant(r.TenantID).Read)
	defer leave()
	if err != nil {
		return nil, nil, err
	}
	if err := s.admit(r.TenantID, r.CallType); err != nil {
		return nil, nil, err
	}
	err = s.db.Tenant(r.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, needs, err = s.dispatch(ctx, tx, r)
		return err
	})
	return c, needs, err
}

func (s *Service) dispatch(ctx context.Context, tx database.Tx, r Request) (*Call, Needs, error) {
	if r.CallType == SIP && !r.Inbound {
		if err := s.mayDial(ctx, tx, r); err != nil {
			return nil, nil, err
		}
	}
	id := uuid.Must(uuid.NewV7()).String()
	c := &Call{
		ID: id, TenantID: r.TenantID, UserID: r.UserID, Status: Pending, Direction: Inbound, CallType: r.CallType,
		PhoneNumber: r.PhoneNumber, Livemode: r.Livemode, RoomName: roomOf(id), AgentHistory: []string{}, Metadata: r.Metadata,
		CreatedAt: tx.Now(), JoinBy: tx.Now().Add(s.o.JoinTimeout),
	}
	if r.CallType == SIP {
		c.ArrivedAt = tx.Now()
		if !r.Inbound {
			c.Direction = Outbound
		}
	}
	if r.UserContext != nil {
		c.UserContext = s.sealer.Seal(r.UserContext, contextPlace(id, r.TenantID))
	}
	p, absent, err := resolve(ctx, tx, r, c)
	if err != nil {
		return nil, nil, err
	}
	if c.Plan, err = p.complete(ctx, tx); err != nil {
		return nil, nil, err
	}
	if _, err := tx.NewInsert().Model(c).Value("redact", "(SELECT redact FROM tenants WHERE id = ?)", c.TenantID).Returning("redact").Exec(ctx); err != nil {
		return nil, nil, fmt.Errorf("write call: %w", err)
	}
	if len(absent) > 0 {
		if err := s.write(ctx, tx, c, Notes{Errors: absent}); err != nil {
			return nil, nil, fmt.Errorf("write call: %w", err)
		}
	}
	held, err := providerkey.Held(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	tx.AfterCommit(func() {
		s.tally.add(c.TenantID)
		s.wakeWorkers(c)
	})
	return c, p.needs(held), s.announce(ctx, tx, c, announced[Pending], nil)
}

// resolve finds what the request names, all agents that the call may reach and
// their tools. What is not there is left out and reported.
func resolve(ctx context.Context, tx database.Tx, r Request, c *Call) (p plan, absent []ErrorItem, err error) {
	p.Agents, p.Tools, p.room = map[string]agent.Config{}, map[string]tool.Definition{}, &room{maxPlan}
	if r.WorkflowSlug == "" {
		c.AgentName = &r.AgentName
		p.Agent = r.AgentName
		if absent, err = p.reach(ctx, tx, r.AgentName, r.Config); err != nil {
			return p, nil, err
		}
		return p, brief(append(absent, p.absentTools(tx)...)), nil
	}
	w, err := workflow.Find(ctx, tx, r.WorkflowSlug)
	if err != nil {
		return p, nil, err
	}
	if !w.IsActive {
		return p, nil, fault.New(fault.Conflict, "the workflow %s is not active", w.Slug)
	}
	c.WorkflowID, c.WorkflowSlug, p.Workflow = &w.ID, &w.Slug, &w.Config
	names := map[string]bool{}
	for _, node := range w.Config.Nodes {
		names[node.AgentName] = true
	}
	found, err := p.findAgents(ctx, tx, slices.Sorted(maps.Keys(names)))
	if err != nil {
		return p, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, exists := found[name]
		switch {
		case !exists:
			return p, nil, fault.New(fault.Conflict, "the workflow %s uses the agent %s, which does not exist", w.Slug, name)
		case !a.IsActive:
			return p, nil, fault.New(fault.Conflict, "the workflow %s uses the agent %s, which is not active", w.Slug, name)
		}
		p.Agents[name] = a.Config
	}
	if err := p.takeTools(ctx, tx, slices.Collect(maps.Values(p.Agents))...); err != nil {
		return p, nil, err
	}
	return p, brief(p.absentTools(tx)), nil
}

// ReadPlan is the plan that a call of a workflow, or else of an agent, would
// have if it were dispatched now, for a conversation that is no call, with what
// is wrong with it. Errors are those of Dispatch.
func ReadPlan(ctx context.Context, scope database.Scope, workflowSlug, agentName string) (encoded json.RawMessage, absent []ErrorItem, err error) {
	err = scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		var p plan
		if p, absent, err = resolve(ctx, tx, Request{WorkflowSlug: workflowSlug, AgentName: agentName}, new(Call)); err != nil {
			return err
		}
		encoded, err = p.complete(ctx, tx)
		return err
	})
	return encoded, absent, err
}

// maxReach bounds how many agents one call without a workflow can reach.
const maxReach = 100

// reach gathers an agent, with draft in place of its own configuration unless it is nil, and all that its handoffs, and
// those of its tools, lead to.
func (p plan) reach(ctx context.Context, tx database.Tx, first string, draft *agent.Config) (absent []ErrorItem, err error) {
	if draft == nil {
		a, err := agent.Find(ctx, tx, first)
		if err != nil {
			return nil, err
		}
		if !a.IsActive {
			return nil, fault.New(fault.Conflict, "the agent %s is not active", first)
		}
		draft = &a.Config
	}
	p.Agents[first] = *draft
	if err := p.takeTools(ctx, tx, *draft); err != nil {
		return nil, err
	}
	for reached := []string{first}; len(reached) > 0 && len(p.Agents) < maxReach; {
		named := map[string][]string{} // by which agents, of those that are not known yet
		for _, by := range reached {
			for _, name := range p.targets(p.Agents[by]) {
				named[name] = append(named[name], by)
			}
		}
		names := slices.Sorted(maps.Keys(named))
		found, err := p.findAgents(ctx, tx, names)
		if err != nil {
			return nil, err
		}
		reached = nil
		var configs []agent.Config
		for _, name := range names {
			if a, exists := found[name]; exists && a.IsActive {
				p.Agents[name] = a.Config
				reached, configs = append(reached, name), append(configs, a.Config)
				continue
			}
			for _, by := range named[name] {
				absent = append(absent, ErrorItem{Service: "workflow", Level: LevelWarning, Agent: &by, CreatedAt: tx.Now(),
					Message: fmt.Sprintf("a handoff leads to the agent %s, which does not exist or is not active; it is not offered", name)})
			}
		}
		if err := p.takeTools(ctx, tx, configs...); err != nil {
			return nil, err
		}
	}
	return absent, nil
}

// targets are the agents that an agent's handoffs and those of its tools lead
// to and that are not known yet.
func (p plan) targets(c agent.Config) (names []string) {
	add := func(name string) {
		if _, known := p.Agents[name]; !known && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, h := range c.Handoffs {
		add(h.TargetAgent)
	}
	for _, name := range c.Tools {
		if t, exists := p.Tools[name]; exists {
			for _, target := range t.Config.Targets() {
				add(target)
			}
		}
	}
	return names
}

// wordings are the templates of what an agent says by itself: when it cannot go
// on, and when it has no answer.
const wordings = "{{prompt.error}}{{prompt.pardon}}"

// slugs are the templates that a call may need.
func (p plan) slugs() []string {
	texts := []string{wordings}
	for _, name := range slices.Sorted(maps.Keys(p.Agents)) {
		c := p.Agents[name]
		texts = append(texts, c.Prompt.System, c.Prompt.Greeting, string(c.Turn))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
		texts = append(texts, p.Tools[name].Config.Texts()...)
	}
	return prompt.Slugs(texts...)
}

// needs gathers the providers of all agents; held are those, by kind and name,
// that the tenant has keys for.
func (p plan) needs(held map[[2]string]bool) (needs Needs) {
	add := func(kind string, names []string) {
		need := Need{Kind: kind}
		for _, name := range slices.Compact(names) {
			need.Candidates = append(need.Candidates, Candidate{name, held[[2]string{kind, name}]})
		}
		if !slices.ContainsFunc(needs, func(n Need) bool { return n.Kind == kind && slices.Equal(n.Candidates, need.Candidates) }) {
			needs = append(needs, need)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Agents)) {
		c := p.Agents[name]
		var stt, llm, tts []string
		for _, choice := range c.STT.Choices() {
			stt = append(stt, choice.Provider)
		}
		for _, choice := range c.LLM.Choices() {
			llm = append(llm, choice.Provider)
		}
		for _, choice := range c.TTS.Choices() {
			tts = append(tts, choice.Provider)
		}
		add("stt", stt)
		add("llm", llm)
		add("tts", tts)
	}
	return needs
}
