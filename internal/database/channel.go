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
	// channelIdle is how long nothing may arrive before the connection is tested, to detect a broken network.
	channelIdle = 15 * time.Second
	// channelTimeout bounds each request.
	channelTimeout = 5 * time.Second
)

// Channel carries short messages between the nodes of one PostgreSQL database, by LISTEN and NOTIFY on a dedicated
// connection. NOTIFY is not used in transactions that write, because those would then commit one after the other.
type Channel struct{ config *pgx.ConnConfig }

func newChannel(pool *pgx.ConnConfig) *Channel {
	config := pool.Copy()
	// Nothing is stored: a commit need not wait for the disk.
	config.RuntimeParams["synchronous_commit"] = "off"
	return &Channel{config}
}

// Run connects and calls joined once it receives; it then calls receive with each message, its own included, and
// sends those from send, each shorter than 8,000 bytes. It returns when the connection fails or ctx ends.
func (c *Channel) Run(ctx context.Context, joined func(), receive func(message string), send <-chan string) error {
	connecting, cancel := context.WithTimeout(ctx, channelTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(connecting, c.config)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL at %s:%d", c.config.Host, c.config.Port) // the driver's message may contain the password
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), channelTimeout)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(connecting, "LISTEN "+channelName); err != nil {
		return fmt.Errorf("listen on PostgreSQL: %w", err)
	}
	joined()
	for ctx.Err() == nil {
		if err := exchange(ctx, conn, receive, send); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// exchange waits for a message in either direction and forwards it.
func exchange(ctx context.Context, conn *pgx.Conn, receive func(message string), send <-chan string) error {
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
		receive(*a.message)
	}
	if conn.IsClosed() {
		return fmt.Errorf("wait for messages on PostgreSQL: %w", a.err)
	}
	if ctx.Err() != nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, channelTimeout)
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
