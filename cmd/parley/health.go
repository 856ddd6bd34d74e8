package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// healthCommand asks a process on this machine for its health. It is for images, which have no other HTTP client.
type healthCommand struct {
	Addr  string `name:"addr" env:"PARLEY_ADDR" default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"HTTP listener of the process: PARLEY_ADDR of a server, PARLEY_WORKER_ADDR of a worker."`
	Ready bool   `help:"Check readiness for requests and calls (/health/ready) instead of liveness (/health/live)."`
}

// healthTimeout bounds the request: what answers later is not healthy.
const healthTimeout = 3 * time.Second

func (c *healthCommand) Run(s signalled) error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("--addr: %q is not host:port", c.Addr)
	}
	if address, err := netip.ParseAddr(host); host == "" || err == nil && address.IsUnspecified() {
		host = "localhost" // a listener on all addresses
	}
	path := "/health/live"
	if c.Ready {
		path = "/health/ready"
	}
	ctx, cancel := context.WithTimeout(s.ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+path, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("unhealthy: %w", err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 4096)) // only shown
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("unhealthy: %s answers %s: %s", path, answer.Status, strings.TrimSpace(string(body)))
	}
	fmt.Println(cmp.Or(strings.TrimSpace(string(body)), "healthy"))
	return nil
}
