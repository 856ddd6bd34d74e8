// Package cost turns what a call used of its providers into money, by price lists. Amounts are decimals; a price that is not known is
// null and named.
package cost

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"parley/internal/dialogue"
)

// Unit is what a provider's use is counted in.
type Unit string

// The units. Input tokens are those that are in none of the other input units.
const (
	InputTokens            Unit = "input_tokens"
	CachedInputTokens      Unit = "cached_input_tokens"
	CacheWriteTokens       Unit = "cache_write_tokens"
	OutputTokens           Unit = "output_tokens"
	InputAudioTokens       Unit = "input_audio_tokens"
	CachedInputAudioTokens Unit = "cached_input_audio_tokens"
	OutputAudioTokens      Unit = "output_audio_tokens"
	Seconds                Unit = "seconds" // that a recogniser bills: of audio, or of the session; of a phone call on its trunk
	Characters             Unit = "characters"
)

// Units lists all units.
var Units = []Unit{InputTokens, CachedInputTokens, CacheWriteTokens, OutputTokens, InputAudioTokens, CachedInputAudioTokens, OutputAudioTokens, Seconds, Characters}

// Kind is what is used.
type Kind string

// The kinds. The provider of Trunk is the trunk's name, or sip without one, and its models are inbound and outbound.
const (
	STT      Kind = "stt"
	LLM      Kind = "llm"
	TTS      Kind = "tts"
	Realtime Kind = "realtime"
	Trunk    Kind = "trunk"
	Analysis Kind = "analysis" // the language model of an analysis, after the call
)

// Kinds lists all kinds.
var Kinds = []Kind{STT, LLM, TTS, Realtime, Trunk, Analysis}

// SIP is the provider of a trunk without a name.
const SIP = "sip"

// Use identifies what is counted.
type Use struct {
	Kind     Kind   `json:"kind"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Unit     Unit   `json:"unit"`
}

// String names the use, for the list of what has no price.
func (u Use) String() string {
	return string(u.Kind) + " " + u.Provider + "/" + u.Model + " " + string(u.Unit)
}

// Usage is how much an agent's conversation used.
type Usage struct {
	Agent string `json:"agent,omitempty"` // "" for what belongs to the call
	Use
	Quantity decimal.Decimal `json:"quantity"`
}

// Add adds usage to a list, in which each agent and use is once.
func Add(list []Usage, more ...Usage) []Usage {
	for _, u := range more {
		n := slices.IndexFunc(list, func(have Usage) bool { return have.Agent == u.Agent && have.Use == u.Use })
		if n < 0 {
			list = append(list, u)
			continue
		}
		list[n].Quantity = list[n].Quantity.Add(u.Quantity)
	}
	return list
}

// Item is the cost of one use. Price and Amount are nil if the price is not known.
type Item struct {
	Usage
	Price  *decimal.Decimal `json:"price"` // for Per units
	Per    int64            `json:"per"`
	Amount *decimal.Decimal `json:"amount"`
}

// Cost is the cost of a call or a turn. Total is nil if a price is not known; Known is the sum of the known ones.
type Cost struct {
	Total    *decimal.Decimal `json:"total"`
	Known    decimal.Decimal  `json:"known"`
	Currency string           `json:"currency"`
	Unknown  []string         `json:"unknown"` // names of what has no price
	Items    []Item           `json:"items"`
}

// amountDigits are the decimals of an item's amount; the last one is rounded half to even. The total is the sum of these amounts.
const amountDigits = 12

// Of returns the cost of usage.
func (t Tariff) Of(used []Usage) Cost {
	c := Cost{Currency: t.list.Currency, Unknown: []string{}, Items: []Item{}}
	for _, u := range used {
		item := Item{Usage: u, Per: 1}
		if p, known := t.price(u.Use); known {
			amount := p.amount(u.Quantity)
			item.Price, item.Per, item.Amount = &p.Price, p.Per, &amount
			c.Known = c.Known.Add(amount)
		} else if !slices.Contains(c.Unknown, u.String()) {
			c.Unknown = append(c.Unknown, u.String())
		}
		c.Items = append(c.Items, item)
	}
	if len(c.Unknown) == 0 {
		c.Total = &c.Known
	}
	slices.SortStableFunc(c.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model))
	})
	return c
}

// pico is the power of ten of the integers in which amounts are stored, so that databases add them exactly.
const pico = amountDigits

// ToPico returns an amount in 10^-12 of the currency.
func ToPico(amount decimal.Decimal) int64 { return amount.Shift(pico).RoundBank(0).IntPart() }

// FromPico returns the amount of ToPico.
func FromPico(n decimal.Decimal) decimal.Decimal { return n.Shift(-pico) }

// Tokens returns the tokens of a language model by unit, each counted once.
func Tokens(u dialogue.Usage) map[Unit]int {
	return map[Unit]int{
		InputTokens:            u.InputTokens - u.CachedTokens - u.CacheWriteTokens - u.AudioTokens + u.CachedAudioTokens,
		CachedInputTokens:      u.CachedTokens - u.CachedAudioTokens,
		CacheWriteTokens:       u.CacheWriteTokens,
		OutputTokens:           u.OutputTokens - u.OutputAudioTokens,
		InputAudioTokens:       u.AudioTokens - u.CachedAudioTokens,
		CachedInputAudioTokens: u.CachedAudioTokens,
		OutputAudioTokens:      u.OutputAudioTokens,
	}
}
