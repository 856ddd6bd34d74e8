package app

import (
	"errors"
	"strings"

	"parley/internal/fault"
)

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
