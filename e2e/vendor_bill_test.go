package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/cost"
	"parley/internal/provider"
	"parley/internal/provider/emulator"
)

// billed is a call whose cost is compared with the bills of its vendors.
type billed struct {
	stt, llm, tts, realtime object
	interrupt               bool   // the caller interrupts each answer
	base                    string // of openai: http for requests, ws for a stream
}

// bills are calls that use every provider of the catalogue, with each way in which it bills.
var bills = map[string]billed{
	"deepgram, openai, cartesia":     {stt: choices["deepgram"], llm: choices["openai"], tts: choices["cartesia"]},
	"an interrupted cascade":         {stt: choices["deepgram"], llm: choices["openai"], tts: choices["cartesia"], interrupt: true},
	"assemblyai, anthropic, aura":    {stt: choices["assemblyai"], llm: choices["anthropic"], tts: named["tts"]["aura"]},
	"scribe, google, elevenlabs":     {stt: choices["scribe"], llm: choices["google"], tts: choices["elevenlabs"]},
	"interrupted elevenlabs":         {stt: choices["scribe"], llm: choices["google"], tts: choices["elevenlabs"], interrupt: true},
	"flux, google, gemini":           {stt: named["stt"]["flux"], llm: named["llm"]["google"], tts: named["tts"]["gemini"]},
	"openai's audio as a stream":     {stt: named["stt"]["openai"], llm: named["llm"]["groq"], tts: named["tts"]["openai"], base: "ws"},
	"openai's audio by characters":   {stt: object{"provider": "openai", "model": "gpt-transcribe"}, llm: named["llm"]["groq"], tts: object{"provider": "openai", "model": "tts-1", "voice_id": "ash"}, base: "http"},
	"openai's transcription, tokens": {stt: object{"provider": "openai", "model": "gpt-4o-transcribe"}, llm: named["llm"]["groq"], tts: named["tts"]["openai"], base: "http"},
	"groq":                           {stt: named["stt"]["groq"], llm: named["llm"]["groq"], tts: named["tts"]["groq"]},
	"google cloud":                   {stt: named["stt"]["chirp"], llm: choices["anthropic"], tts: choices["cartesia"]},
	"compatible servers":             {stt: own["stt"], llm: own["llm"], tts: own["tts"]},
	"openai realtime":                {realtime: duplex["openai"]},
	"interrupted openai realtime":    {realtime: duplex["openai"], interrupt: true},
	"gemini live":                    {realtime: duplex["google"]},
	"interrupted gemini live":        {realtime: duplex["google"], interrupt: true},
}

// choices of the call, by kind.
func (b billed) choices() map[provider.Kind]object {
	return map[provider.Kind]object{provider.STT: b.stt, provider.LLM: b.llm, provider.TTS: b.tts, provider.Realtime: b.realtime}
}

// A provider of the catalogue has a bill with which the costs of its calls are compared.
func TestEveryProviderHasABill(t *testing.T) {
	t.Parallel()
	for _, entry := range provider.Catalog {
		if !entry.Demo && !slices.ContainsFunc(slices.Collect(maps.Values(bills)), func(b billed) bool { return b.choices()[entry.Kind]["provider"] == entry.Name }) {
			t.Errorf("no call is compared with the bill of the %s provider %s: add one to bills", entry.Kind, entry.Name)
		}
	}
}

// billedUse is what a vendor bills.
type billedUse struct {
	kind     cost.Kind
	provider string
	unit     cost.Unit
}

// priceOf is the price of a use, of each another, and for how many units it is.
func priceOf(u billedUse) (price decimal.Decimal, per int64) {
	n := 1000 + 101*slices.Index(cost.Kinds, u.kind) + 11*slices.Index(cost.Units, u.unit)
	for _, letter := range u.provider {
		n += 7 * int(letter)
	}
	if u.unit == cost.Seconds {
		return decimal.New(int64(n), -6), 60
	}
	return decimal.New(int64(n), -3), 1_000_000
}

// writeBillPrices writes prices of all that the vendors bill, and returns the path.
func writeBillPrices(t *testing.T) string {
	t.Helper()
	var prices []object
	for _, entry := range provider.Catalog {
		for _, unit := range cost.Units {
			use := billedUse{cost.Kind(entry.Kind), entry.Name, unit}
			price, per := priceOf(use)
			prices = append(prices, object{"kind": use.kind, "provider": use.provider, "model": "*", "unit": unit, "price": price, "per": per, "valid_from": "2020-01-01"})
		}
	}
	file, err := json.Marshal(object{"currency": "EUR", "prices": prices})
	path := filepath.Join(t.TempDir(), "prices.json")
	if err == nil {
		err = os.WriteFile(path, file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// bill is what vendors bill.
type bill map[billedUse]decimal.Decimal

// billOf adds up what the vendors of a call bill.
func billOf(v vendors, own selfHosted) bill {
	sum := bill{}
	add := func(name string, server *emulator.Server) {
		for what, quantity := range server.Bill() {
			kind, unit, _ := strings.Cut(what, " ")
			if use := (billedUse{cost.Kind(kind), name, cost.Unit(unit)}); !quantity.IsZero() {
				sum[use] = sum[use].Add(quantity)
			}
		}
	}
	for name, server := range v {
		add(name, server)
	}
	for _, server := range own {
		add(provider.Compatible, server)
	}
	return sum
}

// total is the price of a bill, each unit to twelve decimals.
func (b bill) total() (sum decimal.Decimal) {
	for use, quantity := range b {
		price, per := priceOf(use)
		sum = sum.Add(quantity.Mul(price).DivRound(decimal.NewFromInt(per), 20).RoundBank(12))
	}
	return sum
}

// withoutLLM returns the bill and the cost without language models: one whose answer is cancelled reports no usage.
func withoutLLM(b bill, c client.CallCost) (bill, *client.CallCost) {
	known := decimal.RequireFromString(c.Known)
	c.Items = slices.Clone(c.Items)
	c.Items = slices.DeleteFunc(c.Items, func(item client.CostItem) bool {
		if item.Kind == string(cost.LLM) && item.Amount != nil {
			known = known.Sub(decimal.RequireFromString(*item.Amount))
		}
		return item.Kind == string(cost.LLM)
	})
	total := known.String()
	c.Total = &total
	maps.DeleteFunc(b, func(u billedUse, _ decimal.Decimal) bool { return u.kind == cost.LLM })
	return b, &c
}

// differs says how the cost of a call differs from a bill, "" for not at all.
func (b bill) differs(c *client.CallCost) string {
	if c.Total == nil || len(c.Unknown) > 0 || c.Currency != "EUR" {
		return fmt.Sprintf("cost %+v", c)
	}
	var faults []string
	left := maps.Clone(b)
	for _, item := range c.Items {
		use := billedUse{cost.Kind(item.Kind), item.Provider, cost.Unit(item.Unit)}
		if quantity, has := left[use]; !has || quantity.String() != item.Quantity {
			faults = append(faults, fmt.Sprintf("%+v: counted %s, billed %s", use, item.Quantity, quantity))
		}
		delete(left, use)
	}
	for use, quantity := range left {
		faults = append(faults, fmt.Sprintf("%+v: not counted, billed %s", use, quantity))
	}
	if total := b.total(); len(faults) == 0 && total.String() != *c.Total {
		faults = append(faults, fmt.Sprintf("the call costs %s, the bill is %s", *c.Total, total))
	}
	return strings.Join(faults, "\n")
}

// The costs of calls agree to the last digit with what the emulated vendors have counted: tokens, cached ones and those of audio included,
// characters and seconds, in each provider's own way to bill.
func TestCostsAgreeWithTheVendorsBills(t *testing.T) {
	t.Parallel()
	prices := writeBillPrices(t)
	for title, test := range bills {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(`{"open":"eleven in the morning"}`)) }))
			t.Cleanup(backend.Close)
			var v vendors
			var settings map[string]string
			if test.base == "" && test.stt["provider"] != "groq" && test.stt["provider"] != "google_cloud" {
				lines := []string{hours, name}
				v = newVendors(t, script{heard: map[string][]string{"deepgram": lines, "assemblyai": lines, "elevenlabs": lines, "openai": lines, "google": lines}, answers: parrot})
				settings = v.settings(keyOf)
			} else {
				v, settings = newNamed(t, parrot, hours, name)
				settings["OPENAI_BASE_URL"] = test.base + strings.TrimPrefix(v["openai"].URL, "http")
				if test.base == "" {
					settings["OPENAI_BASE_URL"] = v["openai"].URL
				}
			}
			compatible := newSelfHosted(t, "", hours, name)
			maps.Copy(settings, compatible.settings())
			settings["PARLEY_PRICES_FILE"], settings["PARLEY_SPEECH_CACHE_BYTES"] = prices, "0"
			s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
			ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "opening_hours", "config": object{
				"parameters": []object{{"name": "day", "type": "string", "required": true}},
				"actions":    []object{{"type": "api_call", "method": "GET", "url": backend.URL, "timeout": 5}},
			}}, nil)
			if test.realtime != nil {
				newRealtimeAgent(t, s, "desk", test.realtime, nil)
			} else {
				newAgent(t, s, "desk", test.stt, test.llm, test.tts)
				ask(t, s, http.MethodPut, "/api/v1/agents/desk", object{"config": object{"tools": []string{"opening_hours"}}}, nil)
			}
			args := []string{"--agent", "desk", "--hang-up"}
			if test.interrupt {
				args = append(args, "--interrupt-after", "800ms")
			}
			r, problem := converseOnce(t, s, []string{hours, name}, nil, args...)
			if problem != "" {
				t.Log(problem) // it costs what it costs all the same
			}
			var c client.Call
			ask(t, s, http.MethodGet, "/api/v1/calls/"+r.CallID, nil, &c)
			if c.Cost == nil {
				t.Fatal("the call has no cost")
			}
			difference := ""
			for wait := 0; wait < 100; wait++ { // the vendors receive what is on its way
				billed, counted := billOf(v, compatible), c.Cost
				if test.interrupt && c.Cost.Total != nil {
					billed, counted = withoutLLM(billed, *c.Cost)
				}
				if difference = billed.differs(counted); difference == "" {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			if difference != "" {
				t.Fatal(difference)
			}
			sharesOfTurns(t, s, c)
			for kind, choice := range test.choices() {
				if choice != nil && !slices.ContainsFunc(slices.Collect(maps.Keys(billOf(v, compatible))), func(u billedUse) bool {
					return string(u.kind) == string(kind) && u.provider == choice["provider"]
				}) {
					t.Errorf("the %s provider %v has billed nothing", kind, choice["provider"])
				}
			}
		})
	}
}

// sharesOfTurns checks that the turns of a call have shares of its cost.
func sharesOfTurns(t *testing.T, s *binary.Server, c client.Call) {
	t.Helper()
	var shares decimal.Decimal
	var moments []client.Moment
	ask(t, s, http.MethodGet, "/api/v1/calls/"+c.ID+"/timeline", nil, &moments)
	for _, m := range moments {
		if m.Cost != nil {
			shares = shares.Add(decimal.RequireFromString(*m.Cost.Total))
		}
	}
	if !shares.IsPositive() || shares.Cmp(decimal.RequireFromString(*c.Cost.Total).Add(decimal.New(1, -10))) > 0 {
		t.Errorf("turns cost %s of %s", shares, *c.Cost.Total)
	}
}
