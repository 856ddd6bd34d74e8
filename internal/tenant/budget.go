package tenant

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/fault"
)

// Period is the time for which a budget is.
type Period string

// The periods, both in UTC.
const (
	Day   Period = "day"
	Month Period = "month"
)

// Periods lists the periods.
var Periods = []Period{Day, Month}

// Budgets are what the calls of a tenant may cost in a period. A missing one is unlimited.
type Budgets map[Period]cost.Money

// name identifies the period of a time.
func (p Period) name(now time.Time) string {
	if p == Month {
		return now.UTC().Format("2006-01")
	}
	return now.UTC().Format(time.DateOnly)
}

// end returns when the period of a time ends.
func (p Period) end(now time.Time) time.Time {
	year, month, day := now.UTC().Date()
	if p == Month {
		return time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
}

// budgets applies the changes of Budgets.
func (c Change) budgets(t *Tenant) {
	if t.Budgets == nil {
		t.Budgets = Budgets{}
	}
	for period, budget := range c.Budgets {
		if budget == nil {
			delete(t.Budgets, period)
		} else {
			t.Budgets[period] = *budget
		}
	}
}

// spending is what the calls of a tenant have cost in a period.
type spending struct {
	bun.BaseModel `bun:"table:tenant_spending,alias:s"`

	TenantID string `bun:"tenant_id,pk"`
	Period   string `bun:"period,pk"` // 2026-11-27 or 2026-11
	Currency string `bun:"currency,pk"`
	Amount   int64  `bun:"amount"` // 10^-12 of the currency
	// Warned is the budget of which warnAt is spent, when that was noticed; "" for none.
	Warned string `bun:"warned"`
}

// warnAt is the share of a budget after which the tenant is warned.
var warnAt = decimal.RequireFromString("0.8")

// BudgetWarning says that most of a budget is spent.
type BudgetWarning struct {
	Period   Period          `json:"period"`
	Starts   string          `json:"period_start"` // 2026-11-27, or 2026-11 for a month
	Budget   decimal.Decimal `json:"budget"`
	Spent    decimal.Decimal `json:"spent"`
	Currency string          `json:"currency"`
}

// Spend adds what a call of the transaction's tenant has cost to the day and the month, and returns the warnings that are due; each one is
// once for a period and a budget. It waits for other transactions that add to them.
func Spend(ctx context.Context, tx database.Tx, tenantID string, spent cost.Money) (warnings []BudgetWarning, err error) {
	if spent.Amount.IsZero() {
		return nil, nil
	}
	budgets, err := budgetsOf(ctx, tx, tenantID)
	if err != nil {
		return nil, err
	}
	for _, period := range Periods {
		row := &spending{TenantID: tenantID, Period: period.name(tx.Now()), Currency: spent.Currency, Amount: cost.ToPico(spent.Amount)}
		if _, err := tx.NewInsert().Model(row).On("CONFLICT (tenant_id, period, currency) DO UPDATE").Set("amount = s.amount + EXCLUDED.amount").Returning("amount, warned").Exec(ctx); err != nil {
			return nil, fmt.Errorf("add to what a tenant has spent: %w", err)
		}
		budget, set := budgets[period]
		total := cost.FromPico(decimal.NewFromInt(row.Amount))
		if !set || budget.Currency != spent.Currency || row.Warned == budget.String() || total.LessThan(budget.Amount.Mul(warnAt)) {
			continue
		}
		row.Warned = budget.String()
		if _, err := tx.NewUpdate().Model(row).Column("warned").WherePK().Exec(ctx); err != nil {
			return nil, fmt.Errorf("note a budget's warning: %w", err)
		}
		warnings = append(warnings, BudgetWarning{period, row.Period, budget.Amount, total, budget.Currency})
	}
	return warnings, nil
}

func budgetsOf(ctx context.Context, tx database.Tx, tenantID string) (Budgets, error) {
	t := new(Tenant)
	if err := tx.NewSelect().Model(t).Column("budgets").Where("id = ?", tenantID).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read the tenant's budgets: %w", err)
	}
	return t.Budgets, nil
}

// BudgetUse is a budget and what is spent of it.
type BudgetUse struct {
	Period Period
	Starts string // the period: 2026-11-27, or 2026-11 for a month
	Ends   time.Time
	Budget cost.Money
	Spent  decimal.Decimal
}

// exhausted reports whether nothing is left.
func (u BudgetUse) exhausted() bool { return u.Spent.GreaterThanOrEqual(u.Budget.Amount) }

// BudgetUses returns the budgets of the transaction's tenant, that of the day first.
func BudgetUses(ctx context.Context, tx database.Tx) (uses []BudgetUse, err error) {
	budgets, err := budgetsOf(ctx, tx, tx.TenantID())
	if err != nil {
		return nil, err
	}
	for _, period := range Periods {
		budget, set := budgets[period]
		if !set {
			continue
		}
		use := BudgetUse{Period: period, Starts: period.name(tx.Now()), Ends: period.end(tx.Now()), Budget: budget}
		var amount int64
		err := tx.NewRaw("SELECT amount FROM tenant_spending WHERE tenant_id = ? AND period = ? AND currency = ?", tx.TenantID(), use.Starts, budget.Currency).Scan(ctx, &amount)
		if err != nil && !database.NoRows(err) {
			return nil, fmt.Errorf("read what a tenant has spent: %w", err)
		}
		use.Spent = cost.FromPico(decimal.NewFromInt(amount))
		uses = append(uses, use)
	}
	return uses, nil
}

// BudgetCache checks tenants' budgets, and caches for limitsLife what is spent.
type BudgetCache struct {
	db *database.DB

	mu    sync.Mutex
	known map[string]knownBudgets
}

type knownBudgets struct {
	uses  []BudgetUse
	now   time.Time // of the database, when they were read
	until time.Time
}

// NewBudgetCache returns a cache.
func NewBudgetCache(db *database.DB) *BudgetCache {
	return &BudgetCache{db: db, known: map[string]knownBudgets{}}
}

// Check returns budget_exhausted, with the time until the end of the period, if a budget of the tenant is spent.
func (c *BudgetCache) Check(ctx context.Context, tenantID string) error {
	k, err := c.read(ctx, tenantID)
	if err != nil {
		return err
	}
	var spent *BudgetUse // the one that lasts longest
	for n := range k.uses {
		if k.uses[n].exhausted() {
			spent = &k.uses[n]
		}
	}
	if spent == nil {
		return nil
	}
	return fault.Later(fault.BudgetExhausted, max(time.Second, spent.Ends.Sub(k.now)), "the calls of this %s have cost %s %s, and its budget is %s", spent.Period, spent.Spent, spent.Budget.Currency, spent.Budget)
}

func (c *BudgetCache) read(ctx context.Context, tenantID string) (knownBudgets, error) {
	now := time.Now()
	c.mu.Lock()
	k, found := c.known[tenantID]
	c.mu.Unlock()
	if found && now.Before(k.until) {
		return k, nil
	}
	k = knownBudgets{until: now.Add(limitsLife)}
	err := c.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) (err error) {
		k.now = tx.Now()
		k.uses, err = BudgetUses(ctx, tx)
		return err
	})
	if err != nil {
		return k, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= rememberedLimits {
		clear(c.known)
	}
	c.known[tenantID] = k
	return k, nil
}
