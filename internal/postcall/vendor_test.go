package postcall_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"parley/internal/agent"
	"parley/internal/analysis"
	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/anthropic"
	"parley/internal/provider/emulator"
	"parley/internal/provider/google"
	"parley/internal/provider/openai"
)

// vendor is the language model of a vendor, as its client asks it.
type vendor struct{ model dialogue.LanguageModel }

func (v vendor) LanguageModel(string) (dialogue.LanguageModel, error) { return v.model, nil }

// unitPrices are the prices of a million tokens, each unit another.
var unitPrices = map[string]string{"input_tokens": "1.23", "cached_input_tokens": "0.123", "cache_write_tokens": "1.5375", "output_tokens": "4.56"}

// Each vendor's model is asked for an answer that fits the schema, in the vendor's own way, and without it where that is refused. What an
// analysis costs agrees to the last digit with what the vendor has counted, tokens of its cache included.
func TestVendors(t *testing.T) {
	const key = "key"
	for name, test := range map[string]struct {
		llm     agent.LLM
		open    func(emulator.Reporter, emulator.Options, emulator.Script) *emulator.Server
		client  func(base string) dialogue.LanguageModel
		refuses bool // the schema
	}{
		"responses": {agent.LLM{Provider: "openai", Model: "gpt-6-luna"}, emulator.NewOpenAIResponses, func(base string) dialogue.LanguageModel {
			return openai.New(openai.Options{Key: key, BaseURL: base, API: openai.Responses})
		}, false},
		"chat completions": {agent.LLM{Provider: "openai", Model: "gpt-4.1"}, emulator.NewOpenAI, func(base string) dialogue.LanguageModel {
			return openai.New(openai.Options{Key: key, BaseURL: base, API: openai.ChatCompletions})
		}, false},
		"a compatible server": {agent.LLM{Provider: provider.Compatible, Model: "llama"}, func(r emulator.Reporter, o emulator.Options, s emulator.Script) *emulator.Server {
			return emulator.NewCompatible(r, o, emulator.Compatible{Script: s})
		}, func(base string) dialogue.LanguageModel {
			return openai.New(openai.Options{Provider: provider.Compatible, Key: key, BaseURL: base})
		}, false},
		"a compatible server without schemas": {agent.LLM{Provider: provider.Compatible, Model: "llama"}, func(r emulator.Reporter, o emulator.Options, s emulator.Script) *emulator.Server {
			return emulator.NewCompatible(r, o, emulator.Compatible{Script: s})
		}, func(base string) dialogue.LanguageModel {
			return openai.New(openai.Options{Provider: provider.Compatible, Key: key, BaseURL: base})
		}, true},
		"gemini": {agent.LLM{Provider: "google", Model: "gemini-3.8-flash"}, emulator.NewGoogle, func(base string) dialogue.LanguageModel {
			return google.New(google.Options{Key: key, BaseURL: base})
		}, false},
		"claude": {agent.LLM{Provider: "anthropic", Model: "claude-sonnet-4-6"}, emulator.NewAnthropic, func(base string) dialogue.LanguageModel {
			return anthropic.New(anthropic.Options{Key: key, BaseURL: base})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *database.DB) {
				var mu sync.Mutex
				var asked []dialogue.Prompt
				server := test.open(t, emulator.Options{Key: key, NoSchemas: test.refuses}, emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
					mu.Lock()
					defer mu.Unlock()
					asked = append(asked, p)
					return emulator.Reply{Text: answer("no")}
				}})
				defer server.Close()
				h := newFixture(t, db, pricesOf(t, test.llm), test.llm).of(acme, analysis.Conditions{MinTurns: 5})
				h.models[acme] = vendor{test.client(server.URL)}
				id := h.end(h.begin(user("A cleaning, please.")))
				h.runner("a").Once(t)

				if got := h.results(id)["outcome"]; got.Status != analysis.Done || got.Criteria[0].Answer != analysis.No {
					t.Errorf("%+v", got)
				}
				if len(asked) != 1 || (asked[0].JSONSchema == nil) != test.refuses {
					t.Fatalf("asked %d times: %+v", len(asked), asked)
				}
				if schema := string(asked[0].JSONSchema); !test.refuses && (!strings.Contains(schema, `"booked"`) || !strings.Contains(schema, `"service"`)) {
					t.Errorf("the schema of the answer is %s", schema)
				}
				c, err := h.calls.Get(t.Context(), acme, id)
				if err != nil || c.Cost == nil || c.Cost.Total == nil {
					t.Fatalf("cost %+v, %v", c.Cost, err)
				}
				var billed decimal.Decimal
				for unit, n := range server.Bill() {
					billed = billed.Add(n.Mul(decimal.RequireFromString(unitPrices[strings.TrimPrefix(unit, "llm ")])).Shift(-6))
				}
				if !c.Cost.Total.Equal(billed) || !billed.IsPositive() {
					t.Errorf("the analysis costs %s, the vendor bills %s: %v; %+v", c.Cost.Total, billed, server.Bill(), c.Cost.Items)
				}
			})
		})
	}
}

// pricesOf writes a price list of a model and returns its path.
func pricesOf(t *testing.T, llm agent.LLM) (path string) {
	t.Helper()
	var list []string
	for unit, price := range unitPrices {
		list = append(list, fmt.Sprintf(`{"kind":%q,"provider":%q,"model":%q,"unit":%q,"price":%q,"per":1000000,"valid_from":"2020-01-01"}`, cost.LLM, llm.Provider, llm.Model, unit, price))
	}
	path = filepath.Join(t.TempDir(), "prices.json")
	if err := os.WriteFile(path, []byte(`{"currency":"EUR","prices":[`+strings.Join(list, ",")+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
