package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"parley/client"
)

// prices of the emulated vendors, each unit another.
const billPrices = `{"currency":"EUR","prices":[
	{"provider":"deepgram","model":"nova-3","unit":"seconds","price":"0.0077","per":60,"valid_from":"2020-01-01"},
	{"provider":"openai","model":"gpt-4.1","unit":"input_tokens","price":"1.23","per":1000000,"valid_from":"2020-01-01"},
	{"provider":"openai","model":"gpt-4.1","unit":"cached_input_tokens","price":"0.123","per":1000000,"valid_from":"2020-01-01"},
	{"provider":"openai","model":"gpt-4.1","unit":"output_tokens","price":"4.56","per":1000000,"valid_from":"2020-01-01"},
	{"provider":"cartesia","model":"*","unit":"characters","price":"35","per":1000000,"valid_from":"2020-01-01"},
	{"provider":"openai","model":"gpt-realtime-*","unit":"input_tokens","price":"4","per":1000000,"valid_from":"2020-01-01"},
	{"provider":"openai","model":"gpt-realtime-*","unit":"cached_input_tokens","price":"0.4","per":1000000,"valid_from":"2020-01-01"},
	{"provider":"openai","model":"gpt-realtime-*","unit":"output_tokens","price":"16","per":1000000,"valid_from":"2020-01-01"},
	{"provider":"openai","model":"gpt-realtime-*","unit":"input_audio_tokens","price":"32","per":1000000,"valid_from":"2020-01-01"},
	{"provider":"openai","model":"gpt-realtime-*","unit":"cached_input_audio_tokens","price":"0.3","per":1000000,"valid_from":"2020-01-01"},
	{"provider":"openai","model":"gpt-realtime-*","unit":"output_audio_tokens","price":"64","per":1000000,"valid_from":"2020-01-01"}]}`

// unitPrice is the price of a unit of billPrices.
var unitPrice = map[string][2]string{
	"deepgram samples": {"0.0077", "960000"}, "cartesia characters": {"35", "1000000"},
	"gpt-4.1 input_tokens": {"1.23", "1000000"}, "gpt-4.1 cached_input_tokens": {"0.123", "1000000"}, "gpt-4.1 output_tokens": {"4.56", "1000000"},
	"realtime input_tokens": {"4", "1000000"}, "realtime cached_input_tokens": {"0.4", "1000000"}, "realtime output_tokens": {"16", "1000000"},
	"realtime input_audio_tokens": {"32", "1000000"}, "realtime cached_input_audio_tokens": {"0.3", "1000000"}, "realtime output_audio_tokens": {"64", "1000000"},
}

// billed returns what a vendor bills, each unit to twelve decimals.
func billed(t *testing.T, name string, bill, before map[string]int) (sum decimal.Decimal) {
	t.Helper()
	for unit, n := range bill {
		price, known := unitPrice[name+" "+unit]
		if !known {
			t.Fatalf("%s bills %s", name, unit)
		}
		quantity := decimal.NewFromInt(int64(n - before[unit]))
		sum = sum.Add(quantity.Mul(decimal.RequireFromString(price[0])).DivRound(decimal.RequireFromString(price[1]), 12))
	}
	return sum
}

// The costs of calls agree to the last digit with what the emulated vendors have counted, cached and audio tokens included.
func TestCostsAgreeWithTheVendorsBills(t *testing.T) {
	t.Parallel()
	lines := []string{hours, name}
	v := newVendors(t, script{heard: map[string][]string{"deepgram": lines, "openai": lines}, answers: parrot})
	prices := filepath.Join(t.TempDir(), "prices.json")
	if err := os.WriteFile(prices, []byte(billPrices), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := v.settings(keyOf)
	settings["PARLEY_PRICES_FILE"], settings["PARLEY_SPEECH_CACHE_BYTES"] = prices, "0"
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "opening_hours", "config": object{
		"parameters": []object{{"name": "day", "type": "string", "required": true}},
		"actions":    []object{{"type": "end_call", "message": "Goodbye."}},
	}}, nil)
	newAgent(t, s, "cascade", choices["deepgram"], choices["openai"], choices["cartesia"])
	newRealtimeAgent(t, s, "duplex", duplex["openai"], nil)

	call := func(agent string) client.Call {
		r, problem := converseOnce(t, s, []string{hours, name}, nil, "--agent", agent, "--hang-up")
		if problem != "" {
			t.Log(problem) // it costs what it costs all the same
		}
		var c client.Call
		ask(t, s, http.MethodGet, "/api/v1/calls/"+r.CallID, nil, &c)
		if c.Cost == nil || c.Cost.Total == nil || len(c.Cost.Unknown) > 0 || c.Cost.Currency != "EUR" {
			t.Fatalf("%s: cost %+v", agent, c.Cost)
		}
		var shares decimal.Decimal
		var moments []client.Moment
		ask(t, s, http.MethodGet, "/api/v1/calls/"+r.CallID+"/timeline", nil, &moments)
		for _, m := range moments {
			if m.Cost != nil {
				shares = shares.Add(decimal.RequireFromString(*m.Cost.Total))
			}
		}
		if !shares.IsPositive() || shares.Cmp(decimal.RequireFromString(*c.Cost.Total).Add(decimal.New(1, -10))) > 0 {
			t.Errorf("%s: turns cost %s of %s", agent, shares, *c.Cost.Total)
		}
		return c
	}
	c := call("cascade")
	time.Sleep(time.Second) // the emulators receive what is on its way
	openai := v["openai"].Bill()
	want := billed(t, "deepgram", v["deepgram"].Bill(), nil).Add(billed(t, "gpt-4.1", openai, nil)).Add(billed(t, "cartesia", v["cartesia"].Bill(), nil))
	if *c.Cost.Total != want.String() {
		t.Errorf("the cascade costs %s, the vendors bill %s: deepgram %v, openai %v, cartesia %v; items %+v", *c.Cost.Total, want,
			v["deepgram"].Bill(), openai, v["cartesia"].Bill(), c.Cost.Items)
	}
	c = call("duplex")
	time.Sleep(time.Second)
	if want := billed(t, "realtime", v["openai"].Bill(), openai); *c.Cost.Total != want.String() {
		t.Errorf("the realtime model costs %s, the vendor bills %s: %v, before %s; items %+v", *c.Cost.Total, want, v["openai"].Bill(), strconv.Itoa(len(openai)), c.Cost.Items)
	}
	var sums []client.CostSum
	ask(t, s, http.MethodGet, "/api/v1/analytics/costs?group_by=agent", nil, &sums)
	if len(sums) != 2 || sums[0].Currency != "EUR" {
		t.Errorf("sums %+v", sums)
	}
}
