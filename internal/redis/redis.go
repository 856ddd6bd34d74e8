// Package redis connects to the Redis that nodes share for rate limits and messages.
package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// openWait bounds how long Redis may take to answer at the start.
const openWait = 5 * time.Second

// Parse reads a URL: redis://[user:password@]host[:port][/database], rediss://
// for TLS, unix:///path. Its error does not repeat the URL, for that holds a
// password.
func Parse(url string) (*redis.Options, error) {
	options, err := redis.ParseURL(url)
	if err != nil || !strings.Contains(url, "://") {
		return nil, errors.New("want redis://host:port, rediss://… for TLS or unix:///path, with user:password@ and /database where needed")
	}
	// A request waits for Redis as long as its context says, no longer, and
	// an unreachable server is tried again by the next request.
	options.ContextTimeoutEnabled = true
	options.MaxRetries = -1
	options.DialTimeout = 2 * time.Second
	options.DialerRetries = 1
	return options, nil
}

// Open connects and proves that Redis answers; the error returns why it does
// not.
func Open(ctx context.Context, url string) (*redis.Client, error) {
	options, err := Parse(url)
	if err != nil {
		return nil, err
	}
	client := redis.NewClient(options)
	ctx, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	if err := client.Ping(ctx).Err(); err != nil {
		_ = client.Close()
		return nil, fmt.Errorf("no answer from Redis at %s: %w", options.Addr, err)
	}
	return client, nil
}

// The library would write to standard error on its own about connections that
// break; requests then return an error.
func init() { redis.SetLogger(quiet{}) }

type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}
