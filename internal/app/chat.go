package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"parley/internal/analysis"
	"parley/internal/call"
	"parley/internal/chat"
	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/dialogue"
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

// Redacts reports whether the tenant's calls are masked.
func (c *Chats) Redacts(ctx context.Context) (redacts bool, err error) {
	err = c.db.Tenant(c.tenant.ID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		redacts, err = tenant.Redacts(ctx, tx)
		return err
	})
	return redacts, err
}

// Analyse has a language model answer an analysis of the tenant: the analysis' own, or that of the last of the agents that has one.
func (c *Chats) Analyse(ctx context.Context, name, workflow string, agents []string, q analysis.Question) (answers analysis.Answers, faults []string, err error) {
	var a *analysis.Analysis
	err = c.db.Tenant(c.tenant.ID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		a, err = analysis.Find(ctx, tx, name)
		return err
	})
	if err != nil {
		return answers, nil, err
	}
	llm := a.Config.LLM
	if llm == nil {
		if llm, err = c.languageModel(ctx, workflow, agents); err != nil {
			return answers, nil, err
		}
	}
	model, err := c.speech.of(ctx, c.tenant.ID).LanguageModel(llm.Provider)
	if err != nil {
		return answers, nil, err
	}
	answers, faults, _, err = a.Config.Ask(ctx, model, *llm, q, analysisTimeout)
	if err != nil {
		return answers, nil, fmt.Errorf("llm provider %s: %s", llm.Provider, dialogue.Summary(err))
	}
	return answers, faults, nil
}

// analysisTimeout bounds an answer of a language model to an analysis.
const analysisTimeout = 90 * time.Second

var errNoModel = errors.New("neither the analysis nor an agent of the conversation has a language model")

// languageModel, of a conversation with a workflow or else the first agent, returns the language model of the last of the agents that has one.
func (c *Chats) languageModel(ctx context.Context, workflow string, agents []string) (*analysis.LLM, error) {
	first := ""
	if workflow == "" {
		first = agents[0]
	}
	read, _, err := call.ReadPlan(ctx, c.db.Tenant(c.tenant.ID), workflow, first)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Backward(agents) {
		if llm := read.Agents[name].LLM; llm.Provider != "" {
			return &analysis.LLM{Provider: llm.Provider, Model: llm.Model}, nil
		}
	}
	return nil, errNoModel
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
