package api

import (
	"context"
	"net/http"
	"time"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/tenant"
)

// Limits knows the limits of tenants that are not of records.
type Limits interface {
	ForTenant(ctx context.Context, tenantID string) (tenant.Limits, error)
}

type limitBody struct {
	Name  tenant.Limit `json:"name" enum:"agents,workflows,tools,prompts,api_keys,phone_numbers,sip_trunks,provider_keys,variables,secrets,public_tokens,analyses,sounds,webhooks,users,waiting_calls,active_calls,dispatches_per_minute,sse_streams,stored_bytes" doc:"Name of the limit." example:"agents"`
	Limit *int64       `json:"limit" nullable:"true" doc:"Maximum value; null for no limit." example:"5000"`
	Used  *int64       `json:"used" nullable:"true" doc:"Current usage, counted up to 100,000 except stored_bytes; null for dispatches_per_minute and sse_streams, which each node counts." example:"12"`
}

type budgetBody struct {
	Period      tenant.Period `json:"period" enum:"day,month" doc:"Time that the budget is for, in UTC." example:"day"`
	PeriodStart string        `json:"period_start" doc:"The day or the month." example:"2026-11-27"`
	PeriodEnd   time.Time     `json:"period_end" doc:"When the period ends, and the next one starts with nothing spent." example:"2026-11-28T00:00:00Z"`
	Budget      string        `json:"budget" doc:"What calls and analyses may cost in the period." example:"50"`
	Spent       string        `json:"spent" doc:"What the ended calls and their analyses have cost in the period, as far as prices are known." example:"12.0414"`
	Currency    string        `json:"currency" doc:"ISO 4217 code." example:"USD"`
}

func (s *Server) registerLimits() {
	wire.Register(s.router, wire.Operation{
		ID: "list-limits", Method: http.MethodGet, Path: "/api/v1/limits", Tag: "Limits", Scope: "limits:read",
		Summary: "List limits", Description: "Lists the tenant's limits of records, calls and streams with their current usage. The operator sets them.",
	}, s.listLimits)
	wire.Register(s.router, wire.Operation{
		ID: "list-budgets", Method: http.MethodGet, Path: "/api/v1/budgets", Tag: "Limits", Scope: "limits:read",
		Summary: "List budgets", Description: "Lists the tenant's budgets of the day and the month, and what its calls have cost in them. The operator sets them; when one is spent, calls are refused with `budget_exhausted`.",
	}, s.listBudgets)
}

func (s *Server) listLimits(ctx context.Context, who auth.Principal, _ *struct{}) (*wire.Answer[wire.ItemsBody[limitBody]], error) {
	those, err := s.deps.Limits.ForTenant(ctx, who.TenantID)
	if err != nil {
		return nil, err
	}
	var items []limitBody
	err = s.deps.DB.Tenant(who.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		uses, err := tenant.Usage(ctx, tx, those)
		items = make([]limitBody, len(uses))
		for i, u := range uses {
			items[i] = limitBody(u)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(wire.ItemsBody[limitBody]{Items: items}), nil
}

func (s *Server) listBudgets(ctx context.Context, who auth.Principal, _ *struct{}) (*wire.Answer[wire.ItemsBody[budgetBody]], error) {
	items := []budgetBody{}
	err := s.deps.DB.Tenant(who.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		uses, err := tenant.BudgetUses(ctx, tx)
		for _, u := range uses {
			items = append(items, budgetBody{u.Period, u.Starts, u.Ends, u.Budget.Amount.String(), u.Spent.String(), u.Budget.Currency})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(wire.ItemsBody[budgetBody]{Items: items}), nil
}
