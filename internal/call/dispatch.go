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
	"parley/internal/hook"
	"parley/internal/plan"
	"parley/internal/prompt"
	"parley/internal/providerkey"
	"parley/internal/tool"
	"parley/internal/workflow"
)

// Request describes a call to dispatch. The API has validated its fields.
type Request struct {
	TenantID     string
	WorkflowSlug string // either a workflow …
	AgentName    string // … or one agent
	// Config replaces the agent's stored configuration; the agent provider not be active or exist.
	Config        *agent.Config
	UserID        *string
	CallType      string
	PhoneNumber   *string
	SIPHeaders    map[string]string // added to the INVITE of an outbound call
	Caller        Caller            // of an inbound phone call
	Trunk         string            // name of the trunk of a phone call; "" for none
	Settings      Settings
	Inbound       bool              // the caller dialled one of the tenant's numbers and is waiting
	Hook          *hook.CallHook    // call hook of an inbound phone call's number; nil for none
	Dialled       string            // number that an inbound caller dialled, E.164
	InviteHeaders map[string]string // headers of the INVITE that the call hook receives, by their names in user.sip
	UserContext   json.RawMessage   // a JSON object, or nil
	Metadata      json.RawMessage   // a JSON object, or nil
	Livemode      bool
	OnCreate      OnCreate // nil for none

	id     string // of the call, once it is admitted
	hooked hookOutcome
}

// OnCreate writes what belongs to a new call in the call's transaction. An error prevents the call.
type OnCreate func(ctx context.Context, tx database.Tx, callID string) error

// planLoader loads the plan of a call.
type planLoader struct {
	plan.Plan
	budget *sizeBudget // bytes left for all parts
	// greeting is the call's own, which may refer to prompts and variables.
	greeting string
}

// RequiredProvider is a provider that an agent of a call requires: one of the
// candidates.
type RequiredProvider struct {
	Kind       string      // stt, llm, tts or realtime
	Candidates []Candidate // the configured one, then its fallbacks
}

// Candidate is a provider that an agent may use.
type Candidate struct {
	Name string
	// OwnKey reports whether the tenant has its own key for the provider.
	OwnKey bool
}

// RequiredProviders are the providers that a call's agents require, without duplicates.
type RequiredProviders []RequiredProvider

// Dispatch writes a pending call and its call.started event, and notifies the workers. Errors: not_found for a missing
// workflow or agent; conflict for one that is inactive or has inactive agents; rate_limit_exceeded above the
// tenant's limits, budget_exhausted when its budget is spent and service_unavailable while too many calls wait, all with RetryAfter; conflict above the limit of stored
// bytes; those of checkOutbound for a phone call.
func (s *Service) Dispatch(ctx context.Context, r Request) (c *Call, required RequiredProviders, err error) {
	p, end, err := s.admit(ctx, &r)
	defer end()
	if err != nil {
		return nil, nil, err
	}
	err = s.db.Tenant(r.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, required, err = s.dispatch(ctx, tx, r, p)
		return err
	})
	return c, required, err
}

// admit checks whether the tenant and the server have room for a call until end is called, asks its hook, and loads its plan. That is done
// outside the call's transaction: encoding may take a tenth of a second, during which SQLite's other writers would wait.
func (s *Service) admit(ctx context.Context, r *Request) (p loadedPlan, end func(), err error) {
	limits, err := s.limits(ctx, r.TenantID)
	if err != nil {
		return p, func() {}, err
	}
	if end, err = s.checkTenantLimits(ctx, r.TenantID, limits); err != nil {
		return p, end, err
	}
	if err := s.checkBudget(ctx, r.TenantID); err != nil {
		return p, end, err
	}
	if err := s.checkLoad(r.TenantID, r.CallType); err != nil {
		return p, end, err
	}
	r.id = uuid.Must(uuid.NewV7()).String()
	p, err = s.decide(ctx, r)
	return p, end, err
}

// readPlan loads and encodes the plan of a request.
func (s *Service) readPlan(ctx context.Context, r Request) (p loadedPlan, err error) {
	err = s.db.Tenant(r.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		p, err = loadPlan(ctx, tx, r)
		return err
	})
	return p, err
}

func (s *Service) dispatch(ctx context.Context, tx database.Tx, r Request, p loadedPlan) (*Call, RequiredProviders, error) {
	if r.CallType == SIP && !r.Inbound {
		if err := s.checkOutbound(ctx, tx, r); err != nil {
			return nil, nil, err
		}
	}
	id := r.id
	c := &Call{
		ID: id, TenantID: r.TenantID, UserID: r.UserID, Status: Pending, Direction: Inbound, CallType: r.CallType,
		PhoneNumber: r.PhoneNumber, Caller: r.Caller, Livemode: r.Livemode, RoomName: roomName(id), AgentHistory: []string{}, Metadata: r.Metadata,
		CreatedAt: tx.Now(), JoinBy: tx.Now().Add(s.options.JoinTimeout),
	}
	if r.CallType == SIP {
		c.ArrivedAt = tx.Now()
		if r.Trunk != "" {
			c.Trunk = &r.Trunk
		}
		if !r.Inbound {
			c.Direction = Outbound
		}
	}
	if r.UserContext != nil {
		c.UserContext = s.sealer.Seal(r.UserContext, userContextPlace(id, r.TenantID))
	}
	if len(r.SIPHeaders) > 0 {
		headers, err := json.Marshal(r.SIPHeaders)
		if err != nil {
			return nil, nil, fmt.Errorf("encode SIP headers: %w", err)
		}
		c.SIPHeaders = s.sealer.Seal(headers, sipHeadersPlace(id, r.TenantID))
	}
	settings, err := s.sealSettings(r.Settings, settingsPlace(id, r.TenantID))
	if err != nil {
		return nil, nil, err
	}
	c.Settings = settings
	if r.WorkflowSlug == "" {
		c.AgentName = &r.AgentName
	} else {
		c.WorkflowID, c.WorkflowSlug = &p.workflow.ID, &p.workflow.Slug
	}
	c.Plan, c.PlanHash = p.encoded, p.hash
	plan, err := storePlan(ctx, tx, c)
	if err != nil {
		return nil, nil, err
	}
	c.StoredBytes = rowBytes + int64(len(c.UserContext)+len(c.SIPHeaders)+len(c.Settings)+len(c.Metadata)) + c.eventBytes()
	if _, err := tx.NewInsert().Model(c).Value("redact", "(SELECT redact FROM tenants WHERE id = ?)", c.TenantID).Returning("redact").Exec(ctx); err != nil {
		return nil, nil, fmt.Errorf("write call: %w", err)
	}
	if len(p.absent) > 0 {
		if err := s.writeRecords(ctx, tx, c, Records{Errors: p.absent}); err != nil {
			return nil, nil, fmt.Errorf("write call: %w", err)
		}
	}
	if r.OnCreate != nil {
		if err := r.OnCreate(ctx, tx, c.ID); err != nil {
			return nil, nil, err
		}
	}
	held, err := providerkey.Held(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	tx.AfterCommit(func() {
		s.stored.add(c.TenantID, c.StoredBytes+plan)
		s.counts.add(c.TenantID)
		if !c.Status.Terminal() {
			s.notifyWorkers(c)
		}
	})
	if err := s.appendEvent(ctx, tx, c, eventOf[Pending], nil); err != nil {
		return nil, nil, err
	}
	return c, p.requiredProviders(held), s.writeHook(ctx, tx, c, r.hooked)
}

// loadedPlan is the plan of a call to dispatch.
type loadedPlan struct {
	planLoader
	workflow *workflow.Workflow // nil for a call of an agent
	absent   []ErrorItem        // missing agents and tools, which are left out
	encoded  json.RawMessage
	hash     []byte // of the stored plan
}

// loadPlan loads and encodes the plan of a request.
func loadPlan(ctx context.Context, tx database.Tx, r Request) (l loadedPlan, err error) {
	if l.planLoader, l.workflow, l.absent, err = loadParts(ctx, tx, r); err != nil {
		return l, err
	}
	if l.encoded, err = l.encode(ctx, tx); err != nil {
		return l, err
	}
	l.hash = planHash(r.TenantID, l.encoded)
	return l, nil
}

// loadParts loads the workflow or agent of the request, and all agents and tools that the call can reach. Missing agents
// and tools are left out and reported in absent.
func loadParts(ctx context.Context, tx database.Tx, r Request) (p planLoader, w *workflow.Workflow, absent []ErrorItem, err error) {
	p.Agents, p.Tools, p.budget, p.greeting = map[string]agent.Config{}, map[string]tool.Definition{}, &sizeBudget{maxPlan}, r.Settings.Greeting
	if r.WorkflowSlug == "" {
		p.Agent = r.AgentName
		if absent, err = p.addReachable(ctx, tx, r.AgentName, r.Config); err != nil {
			return p, nil, nil, err
		}
		absent = truncate(append(absent, p.absentTools(tx)...))
		p.addServerTools()
		return p, nil, absent, nil
	}
	if w, err = workflow.Find(ctx, tx, r.WorkflowSlug); err != nil {
		return p, nil, nil, err
	}
	if !w.IsActive {
		return p, nil, nil, fault.New(fault.Conflict, "the workflow %s is not active", w.Slug)
	}
	p.Workflow = &w.Config
	names := map[string]bool{}
	for _, node := range w.Config.Nodes {
		names[node.AgentName] = true
	}
	found, err := p.findAgents(ctx, tx, slices.Sorted(maps.Keys(names)))
	if err != nil {
		return p, nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, exists := found[name]
		switch {
		case !exists:
			return p, nil, nil, fault.New(fault.Conflict, "the workflow %s uses the agent %s, which does not exist", w.Slug, name)
		case !a.IsActive:
			return p, nil, nil, fault.New(fault.Conflict, "the workflow %s uses the agent %s, which is not active", w.Slug, name)
		}
		p.Agents[name] = a.Config
	}
	if err := p.addTools(ctx, tx, slices.Collect(maps.Values(p.Agents))...); err != nil {
		return p, nil, nil, err
	}
	absent = truncate(p.absentTools(tx))
	p.addServerTools()
	return p, w, absent, nil
}

// ReadPlan returns the plan of a call of a workflow, or else of an agent, as if it were dispatched now, and its
// problems. It is for conversations without a call. Errors are those of Dispatch.
func ReadPlan(ctx context.Context, scope database.Scope, workflowSlug, agentName string) (read plan.Plan, absent []ErrorItem, err error) {
	err = scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		l, err := loadPlan(ctx, tx, Request{WorkflowSlug: workflowSlug, AgentName: agentName})
		if err != nil {
			return err
		}
		absent = l.absent
		read, err = plan.Decode(l.encoded)
		return err
	})
	return read, absent, err
}

// maxReach limits how many agents a call without a workflow can reach.
const maxReach = 100

// addReachable loads an agent and all agents that its handoffs, and those of its tools, lead to. draft replaces the first
// agent's stored configuration unless nil.
func (p planLoader) addReachable(ctx context.Context, tx database.Tx, first string, draft *agent.Config) (absent []ErrorItem, err error) {
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
	if err := p.addTools(ctx, tx, *draft); err != nil {
		return nil, err
	}
	for reached := []string{first}; len(reached) > 0 && len(p.Agents) < maxReach; {
		named := map[string][]string{} // missing agents, with the agents that name them
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
		if err := p.addTools(ctx, tx, configs...); err != nil {
			return nil, err
		}
	}
	return absent, nil
}

// targets returns the agents that an agent's handoffs and those of its tools lead to and that are not loaded yet.
func (p planLoader) targets(c agent.Config) (names []string) {
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

// fixedTexts refers to the templates of an agent's fixed texts, see docs/prompts.md.
const fixedTexts = "{{prompt.error}}{{prompt.pardon}}{{prompt.declined}}{{prompt.wait}}{{prompt.wait_longer}}{{prompt.budget}}"

// promptSlugs returns the templates that a call may render.
func (p planLoader) promptSlugs() []string {
	texts := []string{fixedTexts, p.greeting}
	for _, name := range slices.Sorted(maps.Keys(p.Agents)) {
		c := p.Agents[name]
		for _, own := range c.InEach() {
			texts = append(texts, own.Prompt.System, own.Prompt.Greeting)
		}
		texts = append(texts, string(c.Turn))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
		texts = append(texts, p.Tools[name].Config.Texts()...)
	}
	return prompt.Slugs(texts...)
}

// requiredProviders collects the providers of all agents. held contains the providers, by kind and name, for which the
// tenant has keys.
func (p planLoader) requiredProviders(held map[[2]string]bool) (required RequiredProviders) {
	add := func(kind string, names []string) {
		provider := RequiredProvider{Kind: kind}
		for _, name := range slices.Compact(names) {
			keys := kind
			if kind == "realtime" { // a vendor's key for its language models
				keys = "llm"
			}
			provider.Candidates = append(provider.Candidates, Candidate{name, held[[2]string{keys, name}]})
		}
		if !slices.ContainsFunc(required, func(n RequiredProvider) bool {
			return n.Kind == kind && slices.Equal(n.Candidates, provider.Candidates)
		}) {
			required = append(required, provider)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Agents)) {
		c := p.Agents[name]
		if c.Realtime != nil && !c.HasCascade() {
			add("realtime", []string{c.Realtime.Provider})
			continue
		}
		for _, own := range c.InEach() {
			var stt, llm, tts []string
			for _, choice := range own.STT.Choices() {
				stt = append(stt, choice.Provider)
			}
			for _, choice := range own.LLM.Choices() {
				llm = append(llm, choice.Provider)
			}
			for _, choice := range own.TTS.Choices() {
				tts = append(tts, choice.Provider)
			}
			add("stt", stt)
			add("llm", llm)
			add("tts", tts)
		}
	}
	return required
}
