package app

import (
	"context"
	"errors"
	"fmt"
	"net"

	"parley/internal/media"
	"parley/internal/sip"
)

// embeddedWait bounds stopping each embedded server. LiveKit waits for its own requests as long as shutdownWait.
const embeddedWait = 2 * shutdownWait

// embedding is the servers of the roles media and sip in this process; nil for those that run elsewhere.
type embedding struct {
	server  *media.EmbeddedOptions
	gateway *sip.GatewayOptions
}

// planEmbedding decides which servers run in this process, and checks their ports.
func planEmbedding(o Options) (e embedding, err error) {
	if o.with("media") && o.Config.LiveKitURL == "" {
		server, err := embeddedOptions(o.Config)
		if err == nil {
			err = server.Check()
		}
		if err != nil {
			return e, err
		}
		e.server = &server
	}
	if !o.hasGateway() {
		return e, nil
	}
	gateway, err := gatewayOptions(o.Config)
	if err == nil {
		err = gateway.Check()
	}
	e.gateway = &gateway
	return e, err
}

// hasGateway reports whether the SIP gateway runs in this process. It does not without the role media.
func (o Options) hasGateway() bool { return o.with("sip") && o.with("media") }

// embedded is the running servers of an embedding.
type embedded struct {
	phones phones // dials with the gateway, or with those of other processes
	stops  []func(context.Context) error
	// drain waits for the gateway's calls, which do not end with this process's workers, until a context ends.
	drain func(context.Context)
}

// stop stops the servers, the last one first.
func (e *embedded) stop() (err error) {
	for n := len(e.stops) - 1; n >= 0; n-- {
		limited, cancel := context.WithTimeout(context.Background(), embeddedWait)
		err = errors.Join(err, e.stops[n](limited))
		cancel()
	}
	return err
}

// start starts the planned servers. failed receives the error of one that ends by itself. The result is to be stopped, with an error,
// too. When ctx ends, the gateway takes no new calls.
func (e embedding) start(ctx context.Context, g *infrastructure, at *mediaServer, listener net.Addr, failed chan<- error) (*embedded, error) {
	running := &embedded{phones: g.remotePhones(), drain: func(context.Context) {}}
	if e.server != nil {
		e.server.Secret = g.secrets.LiveKit
		server, err := media.StartEmbedded(ctx, *e.server)
		if err != nil {
			return running, err
		}
		running.stops = append(running.stops, server.Stop)
		at.embed(server)
		at.relayMedia(server, listener, g.config.PublicPort())
		go func() {
			if err := server.Wait(); err != nil {
				failed <- fmt.Errorf("media server: %w", err)
			}
		}()
	}
	if e.gateway == nil {
		return running, nil
	}
	return running, e.startGateway(ctx, g, at, running)
}

func (e embedding) startGateway(ctx context.Context, g *infrastructure, at *mediaServer, running *embedded) error {
	o := *e.gateway
	o.MediaURL, o.Joiner, o.Tokens, o.Inbound = at.url, at.joiner(g.log), at.tokens, inboundCalls{g, at}
	o.Transfers = transfers{g}
	if g.config.SIPTrace {
		o.Messages = messageLog{g}
	}
	gateway, err := sip.StartGateway(ctx, o)
	if err != nil {
		return err
	}
	others := g.remotePhones()
	running.phones = sip.JoinedPhones{Gateway: gateway, Others: others}
	stopping, stop := context.WithCancel(context.Background())
	serving := make(chan struct{})
	server := &sip.RemoteServer{Remote: *others, Name: g.worker, Phones: gateway, Log: g.log}
	go func() {
		defer close(serving)
		server.Run(ctx, stopping)
	}()
	rejecting := context.AfterFunc(ctx, gateway.RejectCalls)
	running.stops = append(running.stops, func(ctx context.Context) error {
		rejecting()
		stop()
		err := gateway.Stop(ctx)
		<-serving
		return err
	})
	if !at.own {
		running.drain = gateway.AwaitIdle
	}
	if open := len(g.config.SIPOpenNumbers); open > 0 {
		g.log.Warn("phone numbers accept calls from any address", "numbers", open, "setting", "PARLEY_SIP_OPEN_NUMBERS")
	}
	if o.Port == 0 {
		g.log.Warn("standard SIP port in use; the SIP gateway listens on another; set PARLEY_SIP_PORT to choose one", "standard_port", standardPort, "port", gateway.Port())
	}
	return nil
}
