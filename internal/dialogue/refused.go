package dialogue

import "errors"

// ErrRefused marks an error of a provider that trying again does not mend: a
// key that the vendor does not take, an account that is closed, a request that
// it finds wrong. A rate limit is none.
var ErrRefused = errors.New("refused by the provider")
