package cost

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"parley/internal/fault"
)

// Source says who keeps a price.
type Source string

// The sources, in increasing precedence.
const (
	Shipped  Source = "shipped"  // with Parley, as published by the vendors on the list's date
	Operator Source = "operator" // in the operator's file
	Tenant   Source = "tenant"
)

// MaxPrices is how many prices a tenant may have, and a file.
const MaxPrices = 1000

// Price is what Per units of a use cost from a time on.
type Price struct {
	Kind     Kind   `json:"kind,omitempty"` // "" for any
	Provider string `json:"provider"`       // * for any
	// Model may end with *, which stands for any rest. The longest one that fits counts.
	Model string          `json:"model"`
	Unit  Unit            `json:"unit"`
	Price decimal.Decimal `json:"price"`
	Per   int64           `json:"per"`
	// Increment is what a quantity is rounded up to: 60 bills started minutes. 0 is none.
	Increment int64  `json:"increment,omitempty"`
	ValidFrom Date   `json:"valid_from"`
	Source    Source `json:"-"`
}

// Date is a day, whose beginning in UTC counts.
type Date struct{ time.Time }

// UnmarshalText reads 2026-11-26.
func (d *Date) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.DateOnly, string(text))
	if err != nil {
		return errors.New("must be a date such as 2026-11-26")
	}
	d.Time = t
	return nil
}

// UnmarshalJSON reads a date in a string.
func (d *Date) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	return d.UnmarshalText([]byte(text))
}

// String returns the date as it is read.
func (d Date) String() string { return d.Format(time.DateOnly) }

// MarshalJSON writes the date.
func (d Date) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// amount returns what a quantity costs.
func (p Price) amount(quantity decimal.Decimal) decimal.Decimal {
	if p.Increment > 0 {
		step := decimal.NewFromInt(p.Increment)
		quantity = quantity.Div(step).Ceil().Mul(step)
	}
	// The quotient of two decimals can have any number of digits: it is rounded once, from 8 more.
	return quantity.Mul(p.Price).DivRound(decimal.NewFromInt(p.Per), amountDigits+8).RoundBank(amountDigits)
}

// fits reports whether the price is of a use.
func (p Price) fits(u Use) bool {
	prefix, any := strings.CutSuffix(p.Model, "*")
	return (p.Kind == "" || p.Kind == u.Kind || p.Kind == LLM && u.Kind == Analysis) && (p.Provider == u.Provider || p.Provider == "*") && p.Unit == u.Unit &&
		(p.Model == u.Model || any && strings.HasPrefix(u.Model, prefix))
}

// List is the price list of an installation.
type List struct {
	Currency string   `json:"currency"` // ISO 4217, of all prices
	Date     string   `json:"date"`     // when the shipped prices were looked up
	Sources  []string `json:"sources"`
	Prices   []Price  `json:"prices"`
}

//go:embed shipped.json
var shipped []byte

// Load returns the shipped list with the prices of an operator's file, whose currency counts. Shipped prices of another currency are left
// out. No file is "".
func Load(path string) (*List, error) {
	list, err := decode(shipped, Shipped)
	if err != nil || path == "" {
		return list, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	own, err := decode(content, Operator)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if own.Currency != list.Currency {
		*list = List{Currency: own.Currency}
	}
	list.Prices = append(list.Prices, own.Prices...)
	return list, nil
}

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

func decode(content []byte, source Source) (*List, error) {
	list := new(List)
	decoder := json.NewDecoder(strings.NewReader(string(content)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(list); err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	if !currencyForm.MatchString(list.Currency) {
		return nil, errors.New(`currency must be three letters, such as "EUR"`)
	}
	if err := Check(list.Prices, source); err != nil {
		return nil, err
	}
	return list, nil
}

// Check sets the source of prices, and returns validation_error with the path of each one that is not valid.
func Check(prices []Price, source Source) error {
	var faults []fault.Detail
	if len(prices) > MaxPrices {
		faults = append(faults, fault.Detail{Field: "prices", Message: fmt.Sprintf("must be at most %d", MaxPrices)})
	}
	seen := map[string]int{}
	for n := range prices {
		p := &prices[n]
		p.Source = source
		wrong := func(field, message string) {
			faults = append(faults, fault.Detail{Field: fmt.Sprintf("prices[%d].%s", n, field), Message: message})
		}
		if p.Kind != "" && !slices.Contains(Kinds, p.Kind) {
			wrong("kind", "must be stt, llm, tts, realtime, trunk or analysis")
		}
		if p.Provider == "" || len(p.Provider) > 100 {
			wrong("provider", "must have 1 to 100 characters")
		}
		if p.Model == "" || len(p.Model) > 200 || strings.Contains(strings.TrimSuffix(p.Model, "*"), "*") {
			wrong("model", "must have 1 to 200 characters, and * only at its end")
		}
		if !slices.Contains(Units, p.Unit) {
			wrong("unit", "is no unit")
		}
		if p.Price.IsNegative() || p.Price.Exponent() < -amountDigits || p.Price.Cmp(decimal.NewFromInt(10_000_000)) >= 0 {
			wrong("price", "must be 0 to less than 10000000, with at most 12 decimals")
		}
		if p.Per < 1 || p.Per > 1_000_000_000 {
			wrong("per", "must be 1 to 1000000000")
		}
		if p.Increment < 0 || p.Increment > 1_000_000_000 {
			wrong("increment", "must be 0 to 1000000000")
		}
		if p.ValidFrom.IsZero() {
			wrong("valid_from", "must be a date such as 2026-11-26")
		}
		id := fmt.Sprint(p.Kind, "|", p.Provider, "|", p.Model, "|", p.Unit, "|", p.ValidFrom)
		if first, twice := seen[id]; twice {
			wrong("valid_from", fmt.Sprintf("is that of prices[%d] for the same use", first))
		}
		seen[id] = n
	}
	return fault.Invalid(faults)
}

// Tariff is the prices of a tenant at a time.
type Tariff struct {
	list *List
	own  []Price
	at   time.Time
}

// At returns the prices at a time. A tenant's own take precedence.
func (l *List) At(own []Price, at time.Time) Tariff { return Tariff{l, own, at} }

// Currency returns the currency of the amounts.
func (t Tariff) Currency() string { return t.list.Currency }

// price returns the price of a use: of those that are valid, of the tenant's before the operator's and the shipped ones, the one of the
// longest model, and of these the latest.
func (t Tariff) price(u Use) (best Price, known bool) {
	for _, prices := range [][]Price{t.list.Prices, t.own} {
		for _, p := range prices {
			if p.fits(u) && !p.ValidFrom.After(t.at) && (!known || p.precedes(best)) {
				best, known = p, true
			}
		}
	}
	return best, known
}

var rank = map[Source]int{Shipped: 0, Operator: 1, Tenant: 2}

func (p Price) precedes(other Price) bool {
	if a, b := rank[p.Source], rank[other.Source]; a != b {
		return a > b
	}
	if a, b := p.specificity(), other.specificity(); a != b {
		return a > b
	}
	return p.ValidFrom.After(other.ValidFrom.Time)
}

// specificity is greater for a price of one provider, for a longer model, for one without *, and for a price of one kind.
func (p Price) specificity() int {
	n := 4 * len(strings.TrimSuffix(p.Model, "*"))
	if !strings.HasSuffix(p.Model, "*") {
		n += 2
	}
	if p.Provider != "*" {
		n += 1000
	}
	if p.Kind != "" {
		n++
	}
	return n
}
