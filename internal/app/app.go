// Package app wires the other packages according to the configuration, and starts and stops them in order.
package app

import (
	"context"
	"io"
	"log/slog"
	"slices"

	"github.com/redis/go-redis/v9"

	"parley/internal/agent"
	"parley/internal/analysis"
	"parley/internal/analytics"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/config"
	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/health"
	"parley/internal/hook"
	"parley/internal/mcpclient"
	"parley/internal/metrics"
	"parley/internal/plan"
	"parley/internal/prompt"
	"parley/internal/provider"
	"parley/internal/recording"
	"parley/internal/seal"
	"parley/internal/signing"
	"parley/internal/sip"
	"parley/internal/sound"
	"parley/internal/speechcache"
	"parley/internal/tenant"
	"parley/internal/tool"
	"parley/internal/tracing"
	"parley/internal/variable"
	"parley/internal/voice/turn"
	"parley/internal/webhook"
	"parley/internal/workflow"
)

// Options configures serve and worker.
type Options struct {
	Config  config.Server
	Without []string // roles to leave out: worker, media, sip, delivery
	Version string
	Out     io.Writer // receives the startup message
}

// with reports whether a role is enabled.
func (o Options) with(role string) bool { return !slices.Contains(o.Without, role) }

// infrastructure is shared by all roles.
type infrastructure struct {
	config  config.Server
	log     *slog.Logger
	secrets config.Secrets
	traces  tracing.Tracing
	redis   *redis.Client // nil if not configured

	recordings *recording.Store
	db         *database.DB
	bus        *event.Bus
	limits     *tenant.LimitCache
	limiter    auth.Limiter
	calls      *call.Service
	queue      *webhook.Queue
	phones     sip.Registry
	metrics    *metrics.Metrics
	health     *health.Monitor // nil until startHealth
	stopping   func() error    // an error while this process drains; nil until Serve
	worker     string          // this process's name in leases

	speechCache *speechcache.Cache // nil for none
	prices      *cost.List
}

// openInfrastructure opens and migrates the database and creates what all roles share.
func openInfrastructure(ctx context.Context, o Options, role string) (*infrastructure, error) {
	c := o.Config
	g := &infrastructure{config: c, log: openLog(c), bus: event.NewBus(), metrics: metrics.New(), worker: processName()}
	for _, p := range provider.Catalog {
		if p.Kind == provider.Realtime { // it is measured as all three
			for _, kind := range []provider.Kind{provider.STT, provider.LLM, provider.TTS} {
				g.metrics.Expect(string(kind), p.Name)
			}
			continue
		}
		g.metrics.Expect(string(p.Kind), p.Name)
	}
	for _, r := range call.Refusals {
		g.metrics.ExpectRefusal(string(r))
	}
	platform, err := platformTrunk(c)
	if err != nil {
		return nil, err
	}
	limits, err := phoneLimits(c)
	if err != nil {
		return nil, err
	}
	if g.prices, err = LoadPrices(c.PricesFile); err != nil {
		return nil, err
	}
	if err := g.connect(ctx); err != nil {
		return nil, err
	}
	if err := g.openRecordings(ctx); err != nil {
		g.close()
		return nil, err
	}
	if err := g.startTraces(ctx, o.Version, role); err != nil {
		g.close()
		return nil, err
	}
	if g.secrets, g.db, err = openStore(ctx, c.Store); err != nil {
		g.close()
		return nil, err
	}
	if err := g.warnOfRole(ctx); err != nil {
		g.close()
		return nil, err
	}
	g.phones = sip.Registry{Sealer: g.secrets.Sealer, Platform: platform, Sandbox: c.SIPSandboxAddress, OpenNumbers: c.SIPOpenNumbers}
	g.queue = webhook.NewQueue(g.db, g.bus)
	g.limits = tenant.NewLimitCache(g.db, defaultLimits(c))
	if g.limiter, err = newLimiter(g); err != nil {
		g.close()
		return nil, err
	}
	g.calls = call.NewService(g.db, event.NewLog(g.bus, g.queue, analytics.NewRollups(g.metrics)), g.bus, g.secrets.Sealer,
		call.Options{JoinTimeout: c.JoinTimeout, MaxDuration: c.MaxCallDuration, MaxWaiting: c.MaxWaitingCalls, Obstacle: g.obstacle, Limits: g.limits, Budgets: tenant.NewBudgetCache(g.db), Rate: g.countDispatch, Phone: limits, Incident: g.incident, Refused: func(r call.Refusal) { g.metrics.DispatchRefused(string(r)) },
			Prices: g.prices, Hooks: hook.NewAsker(g.db, g.secrets.Sealer, c.PrivateNetworks())})
	g.openSpeechCache()
	g.startInstruments()
	return g, nil
}

// warnOfRole logs a warning when the database role bypasses row-level security.
func (g *infrastructure) warnOfRole(ctx context.Context) error {
	bypasses, role, err := g.db.BypassesRowSecurity(ctx)
	if bypasses {
		g.log.WarnContext(ctx, "DATABASE_URL: row-level security does not apply to the PostgreSQL role; use one that is no superuser and has no BYPASSRLS", "role", role)
	}
	return err
}

// openStore opens and migrates the database, and loads the secrets. PostgreSQL is checked before anything is
// written to the data folder.
func openStore(ctx context.Context, c config.Store) (secrets config.Secrets, db *database.DB, err error) {
	defer func() {
		if err != nil && db != nil {
			db.Close()
		}
	}()
	if c.DatabaseURL != "" {
		if db, err = database.Open(ctx, c.DatabaseURL, ""); err != nil {
			return secrets, nil, err
		}
	}
	if secrets, err = c.Prepare(); err != nil {
		return secrets, db, err
	}
	if db == nil {
		if db, err = database.Open(ctx, "", c.DatabaseFile()); err != nil {
			return secrets, nil, err
		}
	}
	if err = checkReplacement(ctx, db); err != nil {
		return secrets, db, err
	}
	if _, err = db.Migrate(ctx); err != nil {
		return secrets, db, err
	}
	if err = checkKey(ctx, db, secrets.Sealer); err != nil {
		return secrets, db, err
	}
	if err = tool.SealStored(ctx, db, secrets.Sealer); err != nil {
		return secrets, db, err
	}
	return secrets, db, call.SealPlans(ctx, db, secrets.Sealer)
}

// eventExtras provides what events carry when they are sent.
func (g *infrastructure) eventExtras() call.EventExtras {
	return call.EventExtras{Calls: g.calls, PublicURL: g.config.Reachable()}
}

// toolTenant returns what the requests of a tenant's tools are made with.
func (g *infrastructure) toolTenant(tenantID string) tool.Tenant {
	return toolTenant(g.db, g.secrets.Sealer, tenantID)
}

func toolTenant(db *database.DB, sealer *seal.Sealer, tenantID string) tool.Tenant {
	return tool.Tenant{ID: tenantID, Sealer: sealer, Secrets: variable.NewReader(db.Tenant(tenantID), sealer), Signer: signing.NewSigner(db.Tenant(tenantID), sealer, signing.Tools)}
}

// agentRegistry and workflowRegistry connect the packages to each other.
func agentRegistry(servers agent.ToolServers) agent.Registry {
	return agent.Registry{ToolServers: servers, Providers: knowledge{}, Turn: turn.Check, Tools: tool.Directory{}, Prompts: prompt.Directory{}, Analyses: analysis.Directory{}, Sounds: sound.Directory{}, Usage: workflow.Usage{}}
}

// toolServers lists the tools of MCP servers as tools reach them.
type toolServers struct {
	runner *tool.Runner
	tenant func(tenantID string) tool.Tenant
}

func (t toolServers) ListServer(ctx context.Context, tenantID string, s mcpclient.ToolServer) ([]mcpclient.ListedTool, bool, error) {
	return t.runner.ListServer(ctx, t.tenant(tenantID), s)
}

func toolRegistry(sealer *seal.Sealer) tool.Registry {
	return tool.Registry{Agents: agent.Directory{}, Usage: agent.Directory{}, Sealer: sealer}
}

func secretRegistry(sealer *seal.Sealer) variable.SecretRegistry {
	return variable.SecretRegistry{Sealer: sealer, Agents: agent.Directory{}, Tools: tool.Directory{}}
}

func promptRegistry() prompt.Registry {
	return prompt.Registry{Agents: agent.Directory{}, Tools: tool.Directory{}}
}

func workflowRegistry() workflow.Registry {
	return workflow.Registry{Agents: agent.Directory{}, Analyses: analysis.Directory{}, Contexts: plan.Contexts{}}
}

func soundRegistry() sound.Registry {
	return sound.Registry{Agents: agent.Directory{}}
}

func analysisRegistry() analysis.Registry {
	return analysis.Registry{Providers: knowledge{}, StatusReasons: call.EndReasons(), Agents: agent.Directory{}, Workflows: workflow.Usage{}}
}
