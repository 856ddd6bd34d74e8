package database

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// channelName is PostgreSQL's channel, of which each database has its own.
	channelName = "parley"
	// channelIdle is how long nothing may be heard before the connection has
	// to prove itself: the other end of a broken network does not say goodbye.
	channelIdle = 15 * time.Second
	// channelWait bounds each step that needs an answer.
	channelWait = 5 * time.Second
)

// Channel carries short messages between the nodes of one PostgreSQL database,
// by LISTEN and NOTIFY on a connection of its own: one in a pool could not
// wait. NOTIFY stands in no transaction that writes, for all that do so commit
// one after the other.
type Channel struct{ config *pgx.ConnConfig }

func newChannel(pool *pgx.ConnConfig) *Channel {
	config := pool.Copy()
	// There is nothing to keep: a commit need not wait for the disk.
	config.RuntimeParams["synchronous_commit"] = "off"
	return &Channel{config}
}

// Run connects, calls joined once it hears, then hands each message to hear,
// those that it sent included, and sends what comes from send, of less than
// 8,000 bytes each. It returns when the connection breaks or ctx ends.
func (c *Channel) Run(ctx context.Context, joined func(), hear func(message string), send <-chan string) error {
	connecting, cancel := context.WithTimeout(ctx, channelWait)
	defer cancel()
	conn, err := pgx.ConnectConfig(connecting, c.config)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL at %s:%d", c.config.Host, c.config.Port) // the driver's words may tell more than they should
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), channelWait)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(connecting, "LISTEN "+channelName); err != nil {
		return fmt.Errorf("listen on PostgreSQL: %w", err)
	}
	joined()
	for ctx.Err() == nil {
		if err := exchange(ctx, conn, hear, send); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// exchange waits for a message from either side and hands it on.
func exchange(ctx context.Context, conn *pgx.Conn, hear func(message string), send <-chan string) error {
	type arrival struct {
		message *string
		err     error
	}
	waiting, interrupt := context.WithTimeout(ctx, channelIdle)
	defer interrupt()
	arrived := make(chan arrival, 1)
	go func() {
		n, err := conn.WaitForNotification(waiting)
		if n == nil {
			arrived <- arrival{nil, err}
			return
		}
		arrived <- arrival{&n.Payload, nil}
	}()
	var message string
	var some bool
	var a arrival
	select {
	case a = <-arrived:
	case message, some = <-send:
		interrupt()
		a = <-arrived
	}
	if a.message != nil {
		hear(*a.message)
	}
	if conn.IsClosed() {
		return fmt.Errorf("wait for messages on PostgreSQL: %w", a.err)
	}
	if ctx.Err() != nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, channelWait)
	defer cancel()
	if some {
		if _, err := conn.Exec(limited, "SELECT pg_notify($1, $2)", channelName, message); err != nil {
			return fmt.Errorf("send a message on PostgreSQL: %w", err)
		}
	} else if a.message == nil {
		if err := conn.Ping(limited); err != nil {
			return fmt.Errorf("PostgreSQL does not answer: %w", err)
		}
	}
	return nil
}
