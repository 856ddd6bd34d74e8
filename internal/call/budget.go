package call

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/shopspring/decimal"

	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/tenant"
)

// Budgets checks tenants' budgets.
type Budgets interface {
	// Check returns budget_exhausted if a budget of the tenant is spent.
	Check(ctx context.Context, tenantID string) error
}

func (s *Service) checkBudget(ctx context.Context, tenantID string) error {
	if s.options.Budgets == nil {
		return nil
	}
	return s.options.Budgets.Check(ctx, tenantID)
}

// spend adds what a call has cost to what its tenant has spent, with an event if most of a budget is. Test calls count as well: providers
// bill them.
func (s *Service) spend(ctx context.Context, tx database.Tx, c *Call, amount decimal.Decimal) error {
	warnings, err := tenant.Spend(ctx, tx, c.TenantID, cost.Money{Amount: amount, Currency: c.Cost.Currency})
	if err != nil {
		return err
	}
	for _, warning := range warnings {
		data, err := json.Marshal(warning)
		if err != nil {
			return fmt.Errorf("encode event %s: %w", event.BudgetWarning, err)
		}
		if err := s.events.Append(ctx, tx, event.Event{TenantID: c.TenantID, Type: event.BudgetWarning, Livemode: true, Data: data}); err != nil {
			return err
		}
	}
	return nil
}

// RunningCost prices a call while it runs.
type RunningCost struct {
	call   *Call
	tariff cost.Tariff
}

// RunningCost returns what prices a call while it runs; nil without prices.
func (s *Service) RunningCost(ctx context.Context, c *Call) (*RunningCost, error) {
	if s.options.Prices == nil {
		return nil, nil
	}
	var r *RunningCost
	err := s.db.Tenant(c.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		tariff, err := s.tariff(ctx, tx, c)
		r = &RunningCost{c, tariff}
		return err
	})
	return r, err
}

// Of returns the known cost of a call that has used so much besides its metrics, and is active for so long.
func (r *RunningCost) Of(used []cost.Usage, seconds int64) decimal.Decimal {
	return r.tariff.Of(append(r.call.used(seconds), used...)).Known
}
