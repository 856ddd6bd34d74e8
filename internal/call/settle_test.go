package call_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"parley/internal/analytics"
	"parley/internal/call"
	"parley/internal/cost"
)

// priced are options with the prices of two uses.
func priced(t *testing.T) call.Options {
	t.Helper()
	list := &cost.List{Currency: "EUR"}
	for _, p := range []struct {
		use   cost.Use
		price string
		per   int64
	}{
		{cost.Use{Kind: cost.LLM, Provider: "brain", Model: "b", Unit: cost.InputTokens}, "0.075", 1_000_000},
		{cost.Use{Kind: cost.STT, Provider: "ear", Model: "e", Unit: cost.Seconds}, "0.0077", 60},
		{cost.Use{Kind: cost.Trunk, Provider: "*", Model: call.Outbound, Unit: cost.Seconds}, "0.02", 60},
	} {
		entry := cost.Price{Kind: p.use.Kind, Provider: p.use.Provider, Model: p.use.Model, Unit: p.use.Unit, Price: decimal.RequireFromString(p.price), Per: p.per}
		if p.use.Kind == cost.Trunk {
			entry.Increment = 60
		}
		if err := entry.ValidFrom.UnmarshalText([]byte("2000-01-01")); err != nil {
			t.Fatal(err)
		}
		list.Prices = append(list.Prices, entry)
	}
	o := defaults
	o.Prices = list
	return o
}

func used(agent string, kind cost.Kind, provider, model string, unit cost.Unit, quantity string) cost.Usage {
	return cost.Usage{Agent: agent, Use: cost.Use{Kind: kind, Provider: provider, Model: model, Unit: unit}, Quantity: decimal.RequireFromString(quantity)}
}

func TestAnEndedCallHasACost(t *testing.T) {
	each(t, priced(t), func(t *testing.T, h *fixture) {
		lease := h.active()
		if c := h.get(lease.CallID); c.Cost != nil {
			t.Errorf("before the end: %+v", c.Cost)
		}
		tokens := used("desk", cost.LLM, "brain", "b", cost.InputTokens, "7")
		if err := h.calls.Record(t.Context(), lease, call.Records{
			Turns: []call.Turn{{AgentName: "desk", Usage: []cost.Usage{tokens, used("desk", cost.STT, "ear", "e", cost.Seconds, "12.345")}, CreatedAt: time.Now()}},
			Usage: []cost.Usage{tokens, used("booking", cost.TTS, "mouth", "m", cost.Characters, "30")},
		}); err != nil {
			t.Fatal(err)
		}
		ended, err := h.calls.Finish(t.Context(), lease, call.AgentEnded)
		if err != nil {
			t.Fatal(err)
		}
		c := h.get(ended.ID).Cost
		if c == nil || c.Total != nil || c.Known.String() != "0.001585325" || c.Currency != "EUR" || len(c.Items) != 3 || c.Unknown[0] != "tts mouth/m characters" {
			t.Fatalf("cost %+v", c)
		}
		page, _, err := h.calls.List(t.Context(), acme, call.Filter{}, 10, 0)
		if err != nil || len(page) != 1 || page[0].Cost == nil || page[0].Cost.Known.String() != "0.001585325" {
			t.Errorf("list: %+v, %v", page, err)
		}
		items, err := h.calls.Timeline(t.Context(), acme, ended.ID)
		if err != nil {
			t.Fatal(err)
		}
		turns := 0
		for _, i := range items {
			if i.Turn != nil {
				turns++
				if i.Turn.Cost == nil || i.Turn.Cost.Total.String() != "0.0015848" {
					t.Errorf("the turn's share is %+v", i.Turn.Cost)
				}
			}
		}
		if turns != 1 {
			t.Errorf("%d turns", turns)
		}
		for by, want := range map[analytics.CostGroup]string{analytics.CostByAgent: "desk 0.001585325", analytics.CostByWorkflow: "support 0.001585325",
			analytics.CostByProvider: "ear 0.001584275", analytics.CostByModel: "ear/e 0.001584275", analytics.CostByDay: time.Now().UTC().Format(time.DateOnly) + " 0.001585325"} {
			sums, err := analytics.New(h.db).Costs(t.Context(), analytics.Query{TenantID: acme}, by)
			if err != nil || len(sums) == 0 || sums[0].Group+" "+sums[0].Known.String() != want || sums[0].Calls != 1 || sums[0].Currency != "EUR" {
				t.Errorf("by %s: %+v, %v; want %s", by, sums, err, want)
			}
		}
	})
}

func TestATenantsOwnPrices(t *testing.T) {
	each(t, priced(t), func(t *testing.T, h *fixture) {
		own := cost.Price{Provider: "mouth", Model: "*", Unit: cost.Characters, Price: decimal.RequireFromString("0.5"), Per: 1}
		if err := own.ValidFrom.UnmarshalText([]byte("2000-01-01")); err != nil {
			t.Fatal(err)
		}
		if err := cost.NewStore(h.db.Tenant(acme)).Replace(t.Context(), []cost.Price{own}); err != nil {
			t.Fatal(err)
		}
		lease := h.active()
		if err := h.calls.Record(t.Context(), lease, call.Records{Usage: []cost.Usage{used("desk", cost.TTS, "mouth", "m", cost.Characters, "30")}}); err != nil {
			t.Fatal(err)
		}
		ended, err := h.calls.Finish(t.Context(), lease, call.AgentEnded)
		if err != nil || ended.Cost.Total == nil || ended.Cost.Total.String() != "15" {
			t.Errorf("cost %+v, %v", ended.Cost, err)
		}
		if prices, err := cost.NewStore(h.db.Tenant(other)).List(t.Context()); err != nil || len(prices) != 0 {
			t.Errorf("another tenant has %+v, %v", prices, err)
		}
	})
}

func TestAPhoneCallCostsItsTrunk(t *testing.T) {
	each(t, priced(t), func(t *testing.T, h *fixture) {
		number := "+4930123456"
		c, _, err := h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, WorkflowSlug: "support", CallType: call.SIP, PhoneNumber: &number, Trunk: "carrier"})
		if err != nil {
			t.Fatal(err)
		}
		lease := h.claim("w1")
		for _, step := range []func() error{
			func() error { return h.calls.MarkConnecting(t.Context(), lease) }, func() error { return h.calls.MarkActive(t.Context(), lease) },
		} {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(70 * time.Second)
		if _, err := h.calls.Finish(t.Context(), lease, call.AgentEnded); err != nil {
			t.Fatal(err)
		}
		ended := h.get(c.ID) // two started minutes
		if got := ended.Cost; got == nil || got.Total == nil || got.Total.String() != "0.04" || got.Items[0].Provider != "carrier" || got.Items[0].Quantity.IntPart() != ended.DurationSeconds {
			t.Errorf("cost %+v of %d s", got, ended.DurationSeconds)
		}
	})
}
