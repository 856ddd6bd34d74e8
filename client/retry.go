package client

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"net"
	"net/http"
	"time"
)

// longestWait limits the wait between two attempts, including Retry-After.
const longestWait = 30 * time.Second

// send sends a request until it succeeds, fails permanently, has no attempts left, or the context ends.
func (c *Client) send(ctx context.Context, r request, body []byte) ([]byte, error) {
	for attempt := 1; ; attempt++ {
		answer, err := c.once(ctx, r, body)
		if err == nil {
			return answer, nil
		}
		if err := c.backOff(ctx, r, attempt, err); err != nil {
			return nil, err
		}
	}
}

// backOff waits before the next attempt of a request whose attempt has failed, or returns the error if there is to be none.
func (c *Client) backOff(ctx context.Context, r request, attempt int, err error) error {
	if attempt >= c.attempts || ctx.Err() != nil || !worthRetrying(r, err) {
		return err
	}
	pause := jitter(c.backoff << (attempt - 1))
	var refused *Error
	if errors.As(err, &refused) {
		pause = max(pause, refused.retryAfter)
	}
	timer := time.NewTimer(min(pause, longestWait))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return errors.Join(ctx.Err(), err)
	case <-timer.C:
		return nil
	}
}

// worthRetrying reports whether another attempt is safe and may succeed. A 429 and a failed connection have changed
// nothing, so any request can be retried after them; a budget that is spent stays so for long.
func worthRetrying(r request, err error) bool {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Status == http.StatusTooManyRequests && refused.Code != "budget_exhausted" || refused.Status >= 500 && r.idempotent()
	}
	if errors.Is(err, errBrokenOff) {
		return true
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return true
	}
	var connection net.Error // *url.Error is one, whatever went wrong in between
	return errors.As(err, &connection) && r.idempotent()
}

// jitter returns a random wait between d/2 and d, so that clients do not retry at the same time.
func jitter(d time.Duration) time.Duration {
	half := int64(d / 2)
	if half <= 0 {
		return d
	}
	n, err := rand.Int(rand.Reader, big.NewInt(half))
	if err != nil {
		return d
	}
	return d - time.Duration(n.Int64())
}
