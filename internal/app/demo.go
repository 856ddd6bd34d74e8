package app

import (
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"parley/internal/agent"
	"parley/internal/auth"
	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/provider"
	"parley/internal/tenant"
	"parley/internal/workflow"
)

//go:embed demo/front.txt
var demoFront string

//go:embed demo/booking.txt
var demoBooking string

// Names that parley call uses by default.
const (
	defaultAddr    = "127.0.0.1:8080"
	defaultDataDir = "data"
)

const (
	demoTenant = "demo"
	demoEmail  = "demo@parley.local"
	// DemoKeyFile is the demo tenant's API key in the data folder.
	DemoKeyFile = "demo-api-key"
)

// made is what the first start created, for the welcome message; zero on later starts.
type made struct{ email, password string }

// firstStart creates the configured administrator, or, in an empty database, the demo tenant. It is idempotent,
// also among nodes that start concurrently.
func firstStart(ctx context.Context, g *infrastructure, authority *auth.Service) (m made, err error) {
	for range 5 {
		if m, err = makeFirst(ctx, g, authority); !fault.Is(err, fault.Conflict) {
			break
		}
	}
	return m, err
}

func makeFirst(ctx context.Context, g *infrastructure, authority *auth.Service) (made, error) {
	switch {
	case g.config.AdminEmail != "":
		return made{}, makeAdmin(ctx, g, authority)
	case g.config.DemoTenant():
		return makeDemo(ctx, g, authority)
	}
	return made{}, nil
}

// makeAdmin creates the configured tenant and user unless they exist.
func makeAdmin(ctx context.Context, g *infrastructure, authority *auth.Service) error {
	exists, err := authority.HasUser(ctx, g.config.AdminEmail)
	if err != nil || exists {
		return err
	}
	t, err := tenant.Named(ctx, g.db, g.config.AdminTenant)
	if fault.Is(err, fault.NotFound) {
		t, err = createTenant(ctx, g.db, g.config.AdminTenant)
	}
	if err != nil {
		return fmt.Errorf("PARLEY_ADMIN_TENANT: %w", err)
	}
	if _, err := createUser(ctx, g.db, authority, t.ID, g.config.AdminEmail, g.config.AdminPassword, nil); err != nil && !fault.Is(err, fault.Conflict) {
		return fmt.Errorf("PARLEY_ADMIN_EMAIL, PARLEY_ADMIN_PASSWORD: %w", err)
	}
	return nil
}

// makeDemo creates the demo tenant. Its user is created last: if it is missing, an earlier first start was
// interrupted and is completed.
func makeDemo(ctx context.Context, g *infrastructure, authority *auth.Service) (made, error) {
	exists, err := authority.HasUser(ctx, demoEmail)
	if err != nil || exists {
		return made{}, err
	}
	t, err := tenant.Named(ctx, g.db, demoTenant)
	if fault.Is(err, fault.NotFound) {
		var any bool
		if any, err = tenant.Any(ctx, g.db); err != nil || any {
			return made{}, err // the database has tenants already
		}
		t, err = createTenant(ctx, g.db, demoTenant)
	}
	if err != nil {
		return made{}, fmt.Errorf("make the demo tenant: %w", err)
	}
	if err := makeDemoAgents(ctx, g.db.Tenant(t.ID)); err != nil {
		return made{}, fmt.Errorf("make the demo agents: %w", err)
	}
	if err := makeDemoKey(ctx, g, authority, t.ID); err != nil {
		return made{}, fmt.Errorf("make the demo key: %w", err)
	}
	password := rand.Text()[:16]
	if _, err := createUser(ctx, g.db, authority, t.ID, demoEmail, password, nil); err != nil {
		return made{}, fmt.Errorf("make the demo user: %w", err)
	}
	return made{email: demoEmail, password: password}, nil
}

// makeDemoKey writes an API key to the data folder, for parley call.
func makeDemoKey(ctx context.Context, g *infrastructure, authority *auth.Service, tenantID string) error {
	path := g.config.Path(DemoKeyFile)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	// No limits for trials and measurements on one's own machine.
	_, secret, err := createKey(ctx, g.db, authority, tenantID, auth.KeyDraft{Name: "demo", Environment: auth.Live, Scopes: []string{"*"}, RateLimit: auth.MaxRateLimit})
	if err != nil {
		return err
	}
	return config.WriteSecret(path, secret)
}

// makeDemoAgents creates two agents with offline providers and a workflow that connects them.
func makeDemoAgents(ctx context.Context, scope database.Scope) error {
	agents := agentRegistry(nil).In(scope)
	for _, a := range []agent.Draft{
		demoAgent("demo", "Demo front desk", "rms", demoFront, "Hello, this is the Parley demo. How can I help you?", agent.Handoff{TargetAgent: "demo-booking"}),
		demoAgent("demo-booking", "Demo booking desk", "slt", demoBooking, ""),
	} {
		if _, _, err := agents.Create(ctx, a); err != nil && !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	description := "A front desk that hands over to a booking desk."
	_, _, err := workflowRegistry().In(scope).Create(ctx, workflow.Draft{
		Slug: "demo", Name: "Demo", Description: &description,
		Config: workflow.Config{
			Nodes: []workflow.Node{
				{ID: "front", AgentName: "demo", IsEntry: true, IsExit: true, Position: &workflow.Position{X: new(0.0), Y: new(0.0)}},
				{ID: "booking", AgentName: "demo-booking", IsExit: true, Position: &workflow.Position{X: new(320.0), Y: new(0.0)}},
			},
			Connections: []workflow.Connection{{SourceID: "front", TargetID: "booking"}},
		},
	})
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

func demoAgent(name, displayName, voice, system, greeting string, handoffs ...agent.Handoff) agent.Draft {
	return agent.Draft{Name: name, DisplayName: &displayName, Config: agent.Config{
		Prompt: agent.Prompt{System: system, Greeting: greeting}, Handoffs: handoffs,
		STT: agent.STT{Provider: provider.Offline, Model: "pocketsphinx"},
		TTS: agent.TTS{Provider: provider.Offline, VoiceID: voice},
		LLM: agent.LLM{Provider: provider.Offline, Model: "scripted"},
	}}
}

// welcome prints the next steps.
func welcome(out io.Writer, c config.Server, first made) {
	fmt.Fprintf(out, "Parley serves %s\n", c.Public())
	fmt.Fprintf(out, "  API documentation  %s/docs\n", c.Public())
	fmt.Fprintf(out, "  private networks   %s for webhooks and tools (PARLEY_ALLOW_PRIVATE_NETWORKS)\n", map[bool]string{true: "allowed", false: "refused"}[c.PrivateNetworks()])
	if first.email == "" {
		return
	}
	key := c.Path(DemoKeyFile)
	options := "" // of parley call, where its defaults do not apply
	if c.Addr != defaultAddr {
		options += " --server " + c.Public()
	}
	if key != filepath.Join(defaultDataDir, DemoKeyFile) {
		options += " --data-dir " + c.DataDir
	}
	fmt.Fprintf(out, `
A demo tenant was made. This is shown once:
  e-mail    %s
  password  %s
  API key   in %s

Call it:
  bin/parley call%s --agent demo --say "what are your opening hours" --say "thank you very much goodbye"
Or start a call yourself and join with the url and token of the answer:
  curl -s -X POST %s/api/v1/calls -H "X-API-Key: $(cat %s)" -H 'Content-Type: application/json' -d '{"workflow_slug":"demo"}'
`, first.email, first.password, key, options, c.Public(), key)
}
