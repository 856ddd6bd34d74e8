package call

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"parley/internal/cost"
	"parley/internal/database"
)

// costRow is an item of an ended call's cost, for sums.
type costRow struct {
	bun.BaseModel `bun:"table:call_costs"`

	TenantID string          `bun:"tenant_id"`
	CallID   string          `bun:"call_id"`
	Workflow string          `bun:"workflow"` // slug; "" for a call of an agent
	Agent    string          `bun:"agent"`
	Kind     cost.Kind       `bun:"kind"`
	Provider string          `bun:"provider"`
	Model    string          `bun:"model"`
	Unit     cost.Unit       `bun:"unit"`
	Quantity decimal.Decimal `bun:"quantity"`
	Amount   *int64          `bun:"amount"` // 10^-12 of the currency; nil if the price is not known
	Currency string          `bun:"currency"`
	Livemode bool            `bun:"livemode"`
	At       time.Time       `bun:"at"` // the time by which lists order the call
}

// settle sets the cost of a call that ends, and stores its items.
func (s *Service) settle(ctx context.Context, tx database.Tx, c *Call) error {
	if s.options.Prices == nil {
		return nil
	}
	tariff, err := s.tariff(ctx, tx, c)
	if err != nil {
		return err
	}
	total := tariff.Of(c.used(c.DurationSeconds))
	c.Cost = &total
	return storeCost(ctx, tx, c, total.Items, total.Currency)
}

// unnamedTrunk is the provider of phone calls through a trunk without a name.
var unnamedTrunk = cost.SIP

// used returns what the call used of its providers, and of its trunk in the seconds for which it was active.
func (c *Call) used(seconds int64) []cost.Usage {
	used := slices.Clone(c.Metrics.Usage)
	if c.CallType == SIP && seconds > 0 {
		use := cost.Use{Kind: cost.Trunk, Provider: *cmp.Or(c.Trunk, &unnamedTrunk), Model: c.Direction, Unit: cost.Seconds}
		used = append(used, cost.Usage{Use: use, Quantity: decimal.NewFromInt(seconds)})
	}
	return used
}

// tariff returns the prices that were valid when the call began.
func (s *Service) tariff(ctx context.Context, tx database.Tx, c *Call) (cost.Tariff, error) {
	own, err := cost.Own(ctx, tx, c.TenantID)
	return s.options.Prices.At(own, c.listedAt()), err
}

func storeCost(ctx context.Context, tx database.Tx, c *Call, items []cost.Item, currency string) error {
	if len(items) == 0 {
		return nil
	}
	rows := make([]costRow, len(items))
	for n, item := range items {
		rows[n] = costRow{TenantID: c.TenantID, CallID: c.ID, Agent: item.Agent, Kind: item.Kind, Provider: item.Provider, Model: item.Model, Unit: item.Unit,
			Quantity: item.Quantity, Currency: currency, Livemode: c.Livemode, At: c.listedAt()}
		if c.WorkflowSlug != nil {
			rows[n].Workflow = *c.WorkflowSlug
		}
		if item.Amount != nil {
			amount := cost.ToPico(*item.Amount)
			rows[n].Amount = &amount
		}
	}
	if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
		return fmt.Errorf("store the call's cost: %w", err)
	}
	return nil
}

// priceTurns sets the cost of a call's turns.
func (s *Service) priceTurns(ctx context.Context, tx database.Tx, c *Call, turns []Turn) error {
	if s.options.Prices == nil || len(turns) == 0 {
		return nil
	}
	tariff, err := s.tariff(ctx, tx, c)
	if err != nil {
		return err
	}
	for n := range turns {
		if len(turns[n].Usage) > 0 {
			share := tariff.Of(turns[n].Usage)
			turns[n].Cost = &share
		}
	}
	return nil
}
