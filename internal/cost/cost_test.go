package cost_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"parley/internal/cost"
	"parley/internal/dialogue"
)

var november = time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)

// listOf loads the shipped list with an operator's file.
func listOf(t *testing.T, file string) *cost.List {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prices.json")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := cost.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func price(t *testing.T, model, amount, from string, per, increment int64) cost.Price {
	t.Helper()
	p := cost.Price{Kind: cost.LLM, Provider: "v", Model: model, Unit: cost.InputTokens, Price: decimal.RequireFromString(amount), Per: per, Increment: increment}
	if err := p.ValidFrom.UnmarshalText([]byte(from)); err != nil {
		t.Fatal(err)
	}
	return p
}

func use(model string, quantity string) cost.Usage {
	return cost.Usage{Use: cost.Use{Kind: cost.LLM, Provider: "v", Model: model, Unit: cost.InputTokens}, Quantity: decimal.RequireFromString(quantity)}
}

func TestCostsAreDecimal(t *testing.T) {
	list := listOf(t, `{"currency":"EUR","prices":[]}`)
	for _, test := range []struct {
		p        cost.Price
		quantity string
		want     string
	}{
		{price(t, "m", "0.1", "2026-01-01", 1, 0), "3", "0.3"},                   // 0.30000000000000004 in binary
		{price(t, "m", "0.075", "2026-01-01", 1_000_000, 0), "7", "0.000000525"}, //
		{price(t, "m", "0.0077", "2026-01-01", 60, 0), "12.345", "0.001584275"},  //
		{price(t, "m", "1", "2026-01-01", 3, 0), "1", "0.333333333333"},          // twelve decimals
		{price(t, "m", "0.02", "2026-01-01", 60, 60), "61", "0.04"},              // two started minutes
		{price(t, "m", "0.02", "2026-01-01", 60, 60), "60", "0.02"},              //
		{price(t, "m", "0.000000000005", "2026-01-01", 10, 0), "1", "0"},         // half to even
		{price(t, "m", "0.000000000015", "2026-01-01", 10, 0), "1", "0.000000000002"},
	} {
		c := list.At([]cost.Price{test.p}, november).Of([]cost.Usage{use("m", test.quantity)})
		if c.Total == nil || c.Total.String() != test.want || c.Currency != "EUR" {
			t.Errorf("%s of %s for %d: %v %s, want %s", test.quantity, test.p.Price, test.p.Per, c.Total, c.Currency, test.want)
		}
		if stored := cost.FromPico(decimal.NewFromInt(cost.ToPico(*c.Total))); !stored.Equal(*c.Total) {
			t.Errorf("%s is stored as %s", c.Total, stored)
		}
	}
}

func TestWithoutAPriceTheTotalIsUnknown(t *testing.T) {
	list := listOf(t, `{"currency":"EUR","prices":[{"provider":"v","model":"known","unit":"input_tokens","price":"2","per":1,"valid_from":"2026-01-01"}]}`)
	c := list.At(nil, november).Of([]cost.Usage{use("known", "3"), use("other", "5"), use("other", "6")})
	if c.Total != nil || c.Known.String() != "6" || !slices.Equal(c.Unknown, []string{"llm v/other input_tokens"}) {
		t.Errorf("%+v", c)
	}
	if i := c.Items[1]; i.Amount != nil || i.Price != nil || i.Quantity.String() != "5" {
		t.Errorf("%+v", i)
	}
	if c := list.At(nil, november).Of(nil); c.Total == nil || !c.Total.IsZero() {
		t.Errorf("without usage: %+v", c)
	}
}

func TestPriceThatCounts(t *testing.T) {
	list := listOf(t, `{"currency":"USD","prices":[
		{"provider":"v","model":"*","unit":"input_tokens","price":"1","per":1,"valid_from":"2026-01-01"},
		{"provider":"v","model":"big-*","unit":"input_tokens","price":"2","per":1,"valid_from":"2026-01-01"},
		{"provider":"v","model":"big-*","unit":"input_tokens","price":"3","per":1,"valid_from":"2026-06-01"},
		{"provider":"v","model":"big-1","unit":"input_tokens","price":"4","per":1,"valid_from":"2026-01-01"}]}`)
	own := []cost.Price{price(t, "big-7", "5", "2026-11-26", 1, 0)}
	if err := cost.Check(own, cost.Tenant); err != nil {
		t.Fatal(err)
	}
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		model, want string
		at          time.Time
	}{
		{"small", "1", november}, {"big-2", "3", november}, {"big-2", "2", march}, {"big-1", "4", november},
		{"big-7", "5", november}, {"big-7", "3", november.Add(-time.Nanosecond)},
	} {
		if c := list.At(own, test.at).Of([]cost.Usage{use(test.model, "1")}); c.Total == nil || c.Total.String() != test.want {
			t.Errorf("%s at %s: %v, want %s", test.model, test.at, c.Total, test.want)
		}
	}
	if c := list.At(nil, time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC)).Of([]cost.Usage{use("small", "1")}); c.Total != nil {
		t.Errorf("before valid_from: %s", c.Total)
	}
	analysis := use("small", "1")
	analysis.Kind = cost.Analysis
	if c := list.At(nil, november).Of([]cost.Usage{analysis}); c.Total == nil {
		t.Error("an analysis costs what the language model costs")
	}
}

func TestShippedPrices(t *testing.T) {
	list, err := cost.Load("")
	if err != nil || list.Currency != "USD" || list.Date == "" || len(list.Sources) == 0 {
		t.Fatalf("%+v, %v", list, err)
	}
	c := list.At(nil, november).Of([]cost.Usage{
		{Use: cost.Use{Kind: cost.LLM, Provider: "openai", Model: "gpt-6-luna", Unit: cost.OutputTokens}, Quantity: decimal.NewFromInt(1000)},
		{Use: cost.Use{Kind: cost.TTS, Provider: "offline", Model: "flite", Unit: cost.Characters}, Quantity: decimal.NewFromInt(40)},
	})
	if c.Total == nil || c.Total.String() != "0.0005" || c.Items[0].Amount.String() != "0.0005" {
		t.Errorf("%+v", c)
	}
	if euro := listOf(t, `{"currency":"EUR","prices":[]}`); len(euro.Prices) != 0 {
		t.Error("prices in dollars are prices in euros")
	}
}

func TestListsThatAreRefused(t *testing.T) {
	for file, want := range map[string]string{
		`{"currency":"euro","prices":[]}`:                "currency",
		`{"currency":"EUR","prices":[{}],"valid":true}`:  "valid",
		`{"currency":"EUR","prices":[{"provider":"v"}]}`: "not valid",
		`{"currency":"EUR","prices":[{"provider":"v","model":"m","unit":"seconds","price":"1e-13","per":1,"valid_from":"2026-01-01"}]}`: "not valid",
		`{"currency":"EUR","prices":[{"provider":"v","model":"m","unit":"seconds","price":"1","per":1,"valid_from":"26.11.2026"}]}`:     "2026-11-26",
	} {
		path := filepath.Join(t.TempDir(), "prices.json")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := cost.Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}

func TestTokensCountOnce(t *testing.T) {
	u := dialogue.Usage{InputTokens: 100, CachedTokens: 25, CacheWriteTokens: 5, AudioTokens: 60, CachedAudioTokens: 15, OutputTokens: 40, OutputAudioTokens: 30}
	got := cost.Tokens(u)
	want := map[cost.Unit]int{cost.InputTokens: 25, cost.CachedInputTokens: 10, cost.CacheWriteTokens: 5, cost.InputAudioTokens: 45,
		cost.CachedInputAudioTokens: 15, cost.OutputTokens: 10, cost.OutputAudioTokens: 30}
	sum := 0
	for unit, n := range want {
		if got[unit] != n {
			t.Errorf("%s: %d, want %d", unit, got[unit], n)
		}
		sum += got[unit]
	}
	if sum != u.InputTokens+u.OutputTokens {
		t.Errorf("%d tokens in all", sum)
	}
}
