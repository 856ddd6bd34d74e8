package dialogue

import (
	"context"
	"errors"
)

// ErrRefused marks an error of a provider that trying again does not mend: a
// key that the vendor does not take, an account that is closed, a request that
// it finds wrong. A rate limit is none.
var ErrRefused = errors.New("refused by the provider")

// Checker is a LanguageModel that can ask its vendor, at no cost, whether it
// takes the key. It is asked when a caller joins, so that a refused key fails
// the call before it begins. Only an error that is ErrRefused counts.
type Checker interface {
	Check(ctx context.Context, model string) error
}
