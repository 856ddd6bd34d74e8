package dialogue

import (
	"context"
	"errors"
)

// ErrRefused marks a provider's error that a retry cannot fix: an invalid key, a closed account, a malformed
// request. A rate limit is not one.
var ErrRefused = errors.New("refused by the provider")

// Checker is a LanguageModel that can verify its key at no cost. Check is called when a caller joins, so that an
// invalid key fails the call before it starts. Only an error that is ErrRefused counts.
type Checker interface {
	Check(ctx context.Context, model string) error
}
