package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/shopspring/decimal"

	"parley/internal/analytics"
	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/cost"
	"parley/internal/fault"
)

// CostBody is an amount of money. Amounts are decimal strings.
type CostBody struct {
	Total    *string  `json:"total" nullable:"true" doc:"Sum of all amounts; null if a price is not known." example:"0.0414"`
	Known    string   `json:"known" doc:"Sum of the amounts that are known." example:"0.0414"`
	Currency string   `json:"currency" doc:"ISO 4217 code." example:"USD"`
	Unknown  []string `json:"unknown" nullable:"false" doc:"What has no price." example:"[\"stt deepgram/nova-3 seconds\"]"`
}

// callCostBody is the cost of a call, with its items.
type callCostBody struct {
	CostBody
	Items []costItemBody `json:"items" nullable:"false" doc:"What was used, by agent, provider, model and unit."`
}

type costItemBody struct {
	Agent    string  `json:"agent,omitempty" doc:"Agent whose conversation used it; absent for what belongs to the call." example:"front-desk"`
	Kind     string  `json:"kind" enum:"stt,llm,tts,realtime,trunk,analysis" doc:"What was used."`
	Provider string  `json:"provider" doc:"Name of the provider, or of the trunk; sip for a trunk without a name." example:"openai"`
	Model    string  `json:"model" doc:"Model; inbound or outbound for a trunk." example:"gpt-6-luna"`
	Unit     string  `json:"unit" enum:"input_tokens,cached_input_tokens,cache_write_tokens,output_tokens,input_audio_tokens,cached_input_audio_tokens,output_audio_tokens,seconds,characters" doc:"What is counted. Each token counts once: input_tokens are those of no other input unit."`
	Quantity string  `json:"quantity" doc:"How many units were used, as a decimal." example:"1250"`
	Price    *string `json:"price" nullable:"true" doc:"Price of per units; null if it is not known." example:"0.10"`
	Per      int64   `json:"per" doc:"Number of units that the price is for." example:"1000000"`
	Amount   *string `json:"amount" nullable:"true" doc:"What it cost, to 12 decimals; null if the price is not known." example:"0.000125"`
}

func wireCost(c *cost.Cost) *CostBody {
	if c == nil {
		return nil
	}
	return &CostBody{Total: nullableDecimal(c.Total), Known: c.Known.String(), Currency: c.Currency, Unknown: c.Unknown}
}

func wireCallCost(c *cost.Cost) *callCostBody {
	if c == nil {
		return nil
	}
	b := &callCostBody{CostBody: *wireCost(c), Items: make([]costItemBody, len(c.Items))}
	for n, i := range c.Items {
		b.Items[n] = costItemBody{i.Agent, string(i.Kind), i.Provider, i.Model, string(i.Unit), i.Quantity.String(), nullableDecimal(i.Price), i.Per, nullableDecimal(i.Amount)}
	}
	return b
}

func nullableDecimal(d *decimal.Decimal) *string {
	if d == nil {
		return nil
	}
	text := d.String()
	return &text
}

// PriceBody is a price. It is embedded, and huma fills the fields of exported types only.
type PriceBody struct {
	Kind      string `json:"kind,omitempty" enum:"stt,llm,tts,realtime,trunk,analysis" doc:"What the price is for. Default: any. A price of llm is also that of analyses."`
	Provider  string `json:"provider" minLength:"1" maxLength:"100" doc:"Name of the provider, or of the trunk; * for any." example:"openai_compatible"`
	Model     string `json:"model" pattern:"^([^*]{1,199}[*]?|[*])$" doc:"Model; inbound or outbound for a trunk. A * at the end stands for any rest." example:"Qwen/Qwen3-8B"`
	Unit      string `json:"unit" enum:"input_tokens,cached_input_tokens,cache_write_tokens,output_tokens,input_audio_tokens,cached_input_audio_tokens,output_audio_tokens,seconds,characters" doc:"What is counted."`
	Price     string `json:"price" pattern:"^[0-9]{1,7}([.][0-9]{1,12})?$" doc:"Price of per units, in the list's currency." example:"0.20"`
	Per       int64  `json:"per" minimum:"1" maximum:"1000000000" doc:"Number of units that the price is for." example:"1000000"`
	Increment int64  `json:"increment,omitempty" minimum:"0" maximum:"1000000000" doc:"Units that a quantity is rounded up to a multiple of, such as 60 for started minutes. Default: none."`
	ValidFrom string `json:"valid_from" pattern:"^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$" doc:"Day from which the price is valid (UTC). The latest one before the start of a call counts." example:"2026-11-01"`
}

type listedPriceBody struct {
	PriceBody
	Source string `json:"source" enum:"shipped,operator,tenant" doc:"Who keeps the price: shipped with Parley, the operator's file, or the tenant. Tenants' prices take precedence over the operator's, and these over shipped ones."`
}

type pricesBody struct {
	Currency string            `json:"currency" doc:"ISO 4217 code of the currency of all prices." example:"USD"`
	Date     string            `json:"date" doc:"When the shipped prices were looked up; empty without them." example:"2026-11-26"`
	Sources  []string          `json:"sources" nullable:"false" doc:"Where the shipped prices were looked up." example:"[\"https://deepgram.com/pricing\"]"`
	Prices   []listedPriceBody `json:"prices" nullable:"false" doc:"All prices."`
}

type replacePricesIn struct {
	Body struct {
		Prices []PriceBody `json:"prices" maxItems:"1000" nullable:"false" doc:"The tenant's own prices."`
	}
}

func (s *Server) registerPrices() {
	wire.Register(s.router, wire.Operation{
		ID: "list-prices", Method: http.MethodGet, Path: "/api/v1/prices", Tag: "Prices", Scope: "prices:read",
		Summary: "List prices", Description: "The prices that calls' costs are computed with. Shipped ones are published list prices on their date, without discounts.",
	}, func(ctx context.Context, who auth.Principal, _ *struct{}) (*wire.Answer[pricesBody], error) {
		return s.listPrices(ctx, who)
	})
	wire.Register(s.router, wire.Operation{
		ID: "replace-prices", Method: http.MethodPut, Path: "/api/v1/prices", Tag: "Prices", Scope: "prices:write", LiveOnly: true,
		Summary: "Replace the tenant's prices", Description: "Replaces the tenant's own prices. Costs of calls that have ended do not change.",
	}, s.replacePrices)
}

func (s *Server) replacePrices(ctx context.Context, who auth.Principal, in *replacePricesIn) (*wire.Answer[pricesBody], error) {
	own := make([]cost.Price, len(in.Body.Prices))
	var faults []fault.Detail
	for n, b := range in.Body.Prices {
		price, err := decimal.NewFromString(b.Price)
		if err != nil {
			return nil, err // the pattern permits none
		}
		own[n] = cost.Price{Kind: cost.Kind(b.Kind), Provider: b.Provider, Model: b.Model, Unit: cost.Unit(b.Unit), Price: price, Per: b.Per, Increment: b.Increment}
		if err := own[n].ValidFrom.UnmarshalText([]byte(b.ValidFrom)); err != nil {
			faults = append(faults, fault.Detail{Field: fmt.Sprintf("prices[%d].valid_from", n), Message: err.Error()})
		}
	}
	if err := fault.Invalid(faults); err != nil {
		return nil, err
	}
	if err := cost.NewStore(s.deps.DB.Tenant(who.TenantID)).Replace(ctx, own); err != nil {
		return nil, err
	}
	return s.listPrices(ctx, who)
}

func (s *Server) listPrices(ctx context.Context, who auth.Principal) (*wire.Answer[pricesBody], error) {
	own, err := cost.NewStore(s.deps.DB.Tenant(who.TenantID)).List(ctx)
	if err != nil {
		return nil, err
	}
	list := s.deps.Prices
	body := pricesBody{Currency: list.Currency, Date: list.Date, Sources: append([]string{}, list.Sources...), Prices: []listedPriceBody{}}
	for _, prices := range [][]cost.Price{own, list.Prices} {
		for _, p := range prices {
			body.Prices = append(body.Prices, listedPriceBody{PriceBody{string(p.Kind), p.Provider, p.Model, string(p.Unit), p.Price.String(), p.Per, p.Increment,
				p.ValidFrom.String()}, string(p.Source)})
		}
	}
	return wire.NewAnswer(body), nil
}

type costsIn struct {
	RangeIn
	GroupBy string `query:"group_by" enum:"agent,workflow,provider,model,day" default:"provider" doc:"What the sums are for."`
}

type costSumBody struct {
	Group    string   `json:"group" doc:"Name of the agent, workflow, provider, or provider and model; or the day (UTC). Empty for what belongs to none." example:"openai"`
	Known    string   `json:"known" doc:"Sum of the amounts that are known." example:"12.0414"`
	Currency string   `json:"currency" doc:"ISO 4217 code." example:"USD"`
	Calls    int64    `json:"calls" doc:"Number of calls." example:"310"`
	Unknown  []string `json:"unknown" nullable:"false" doc:"What has no price." example:"[]"`
}

func (s *Server) costs(ctx context.Context, who auth.Principal, in *costsIn) (*wire.Answer[[]costSumBody], error) {
	sums, err := s.deps.Analytics.Costs(ctx, in.query(who), analytics.CostGroup(in.GroupBy))
	if err != nil {
		return nil, err
	}
	items := make([]costSumBody, len(sums))
	for n, sum := range sums {
		items[n] = costSumBody{sum.Group, sum.Known.String(), sum.Currency, sum.Calls, sum.Unknown}
	}
	return wire.NewAnswer(items), nil
}
