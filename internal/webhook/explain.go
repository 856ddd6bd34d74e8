package webhook

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/netguard"
)

// explain returns why there was no response, in fixed words.
func explain(err error, timeout int) string {
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, netguard.ErrRefused) {
		return fmt.Sprintf("no answer within %d s", timeout)
	}
	return netguard.Explain(err)
}
