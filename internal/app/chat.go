package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"parley/internal/call"
	"parley/internal/chat"
	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/seal"
	"parley/internal/tenant"
	"parley/internal/tool"
	"parley/internal/voice"
)

// Chats opens text conversations with the agents of one tenant. They are not calls: they need no server and leave
// no rows, events or metrics.
type Chats struct {
	db     *database.DB
	tenant *tenant.Tenant
	speech speech
	tools  *tool.Runner
	sealer *seal.Sealer
	log    *slog.Logger
}

// OpenChats opens the database for a tenant's conversations.
func OpenChats(ctx context.Context, c config.Server, tenantName string, log *slog.Logger) (*Chats, error) {
	secrets, db, err := openInstallation(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	t, err := tenant.Named(ctx, db, tenantName)
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("tenant %s: %w", tenantName, err)
	}
	return &Chats{db: db, tenant: t, speech: newSpeech(c, c.PrivateNetworks(), db, secrets.Sealer, log, local{}), tools: tool.NewRunner(c.PrivateNetworks()), sealer: secrets.Sealer, log: log}, nil
}

// Close closes the database. The conversations must be closed.
func (c *Chats) Close() {
	c.tools.Close()
	c.db.Close()
}

// Open starts a conversation with a workflow, or else an agent, as configured now. Warnings name what does not
// exist.
func (c *Chats) Open(ctx context.Context, workflow, agent string, user map[string]any) (opened *chat.Conversation, warnings []string, err error) {
	read, absent, err := call.ReadPlan(ctx, c.db.Tenant(c.tenant.ID), workflow, agent)
	if err != nil {
		if workflow != "" {
			return nil, nil, fmt.Errorf("workflow %s: %w", workflow, err)
		}
		return nil, nil, fmt.Errorf("agent %s: %w", agent, err)
	}
	for _, item := range absent {
		warnings = append(warnings, item.Message)
	}
	opened, err = chat.Open(ctx, voice.Options{Plan: read, Providers: c.speech.of(ctx, c.tenant.ID), Tools: c.tools, Tenant: toolTenant(c.db, c.sealer, c.tenant.ID), UserContext: user,
		Call: voice.CallFacts{Direction: call.Inbound, Type: call.VoIP, StartedAt: time.Now()}, Log: c.log})
	return opened, warnings, err
}
