package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// channelIdle is how long nothing may arrive before the connection is tested, to detect a broken network.
	channelIdle = 10 * time.Second
	// channelWait bounds each request.
	channelWait = 3 * time.Second
)

// Channel carries short messages between the nodes that share a Redis, by publish and subscribe.
type Channel struct {
	client *redis.Client
	name   string
}

// NewChannel returns the channel of all nodes that use one database of a Redis.
func NewChannel(client *redis.Client) *Channel {
	// Redis channels are shared by its databases.
	return &Channel{client, fmt.Sprintf("parley:%d", client.Options().DB)}
}

// Run connects and calls joined once it receives; it then passes each message to receive, its own included, and
// sends those from send. It returns when the connection fails or ctx ends.
func (c *Channel) Run(ctx context.Context, joined func(), receive func(message string), send <-chan string) error {
	limited, cancel := context.WithTimeout(ctx, channelWait)
	defer cancel()
	subscription := c.client.Subscribe(limited, c.name)
	defer subscription.Close()
	if _, err := subscription.Receive(limited); err != nil {
		return fmt.Errorf("subscribe to Redis: %w", err)
	}
	joined()
	broken := make(chan error, 1)
	go func() { broken <- c.listen(ctx, subscription, receive) }()
	for {
		select {
		case <-ctx.Done():
			_ = subscription.Close() // which ends listen
			<-broken                 //nolint:errcheck // it was closed here
			return ctx.Err()
		case err := <-broken:
			return err
		case message := <-send:
			if err := c.publish(ctx, message); err != nil {
				_ = subscription.Close()
				<-broken //nolint:errcheck // it was closed here
				return err
			}
		}
	}
}

func (c *Channel) publish(ctx context.Context, message string) error {
	limited, cancel := context.WithTimeout(ctx, channelWait)
	defer cancel()
	if err := c.client.Publish(limited, c.name, message).Err(); err != nil {
		return fmt.Errorf("publish on Redis: %w", err)
	}
	return nil
}

// listen forwards messages until the subscription is closed or fails.
func (c *Channel) listen(ctx context.Context, subscription *redis.PubSub, receive func(message string)) error {
	asked := false
	for {
		wait := channelIdle
		if asked {
			wait = channelWait
		}
		received, err := subscription.ReceiveTimeout(ctx, wait)
		var late net.Error
		if errors.As(err, &late) && late.Timeout() && !asked {
			asked = true
			if err := subscription.Ping(ctx); err != nil {
				return fmt.Errorf("ask Redis whether it is there: %w", err)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("listen to Redis: %w", err)
		}
		asked = false
		if m, ok := received.(*redis.Message); ok {
			receive(m.Payload)
		}
	}
}
