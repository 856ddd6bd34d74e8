package app

import (
	"errors"
	"strings"

	"parley/internal/config"
	"parley/internal/cost"
	"parley/internal/fault"
)

// LoadPrices returns the price list with those of an operator's file; "" for none.
func LoadPrices(file string) (*cost.List, error) {
	list, err := cost.Load(file)
	if err != nil {
		return nil, &config.Error{Variable: "PARLEY_PRICES_FILE", Problem: pricesProblem(err)}
	}
	return list, nil
}

// pricesProblem returns what is wrong with a price list, with the path of each price that is not valid.
func pricesProblem(err error) string {
	var invalid *fault.Error
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	wrong := make([]string, len(invalid.Details))
	for n, d := range invalid.Details {
		wrong[n] = d.Field + " " + d.Message
	}
	return strings.Join(wrong, "; ")
}
