package cost

import (
	"fmt"
	"regexp"

	"github.com/shopspring/decimal"
)

// Money is an amount in a currency.
type Money struct {
	Amount   decimal.Decimal `json:"amount"`
	Currency string          `json:"currency"` // ISO 4217
}

// String returns the amount and the currency, such as 50 EUR.
func (m Money) String() string { return m.Amount.String() + " " + m.Currency }

// maxMoney bounds an amount of money, exclusively.
var maxMoney = decimal.NewFromInt(1_000_000)

var moneyForm = regexp.MustCompile(`^([0-9]{1,7}(?:[.][0-9]{1,12})?) ?([A-Z]{3})$`)

// ParseMoney reads an amount and a currency, such as 50EUR or 12.50 USD.
func ParseMoney(text string) (m Money, err error) {
	parts := moneyForm.FindStringSubmatch(text)
	if parts == nil {
		return m, fmt.Errorf("%q is not an amount with its currency, such as 50EUR", text)
	}
	if m.Amount, err = decimal.NewFromString(parts[1]); err != nil {
		return m, err
	}
	if m.Amount.Cmp(maxMoney) >= 0 {
		return m, fmt.Errorf("%s is too much: an amount is less than %s", text, maxMoney)
	}
	m.Currency = parts[2]
	return m, nil
}

// LimitPattern is the form of an amount greater than zero that limits a cost, in the currency of the price list.
const LimitPattern = `^([1-9][0-9]{0,5}([.][0-9]{1,12})?|0[.][0-9]{0,5}[1-9][0-9]{0,6})$`

var limitForm = regexp.MustCompile(LimitPattern)

// ParseLimit reads an amount of LimitPattern.
func ParseLimit(text string) (limit decimal.Decimal, ok bool) {
	if !limitForm.MatchString(text) {
		return limit, false
	}
	limit, err := decimal.NewFromString(text)
	return limit, err == nil
}
