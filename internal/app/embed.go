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

// embedding is the servers of the media role in this process; nil for those that run elsewhere.
type embedding struct {
	server  *media.EmbeddedOptions
	gateway *sip.GatewayOptions
}

// planEmbedding decides which servers run in this process, and checks their ports.
func planEmbedding(o Options) (e embedding, err error) {
	if !o.with("media") || o.Config.LiveKitURL != "" {
		return e, nil
	}
	server, err := embeddedOptions(o.Config)
	if err == nil {
		err = server.Check()
	}
	if err != nil {
		return e, err
	}
	e.server = &server
	if !o.with("sip") {
		return e, nil
	}
	gateway, err := gatewayOptions(o.Config)
	if err == nil {
		err = gateway.Check()
	}
	e.gateway = &gateway
	return e, err
}

// start starts the planned servers. failed receives the error of one that ends by itself. stop stops them and is
// never nil; dialer is the gateway, the client of an outside LiveKit, or nil.
func (e embedding) start(ctx context.Context, g *infrastructure, at *mediaServer, listener net.Addr, failed chan<- error) (dialer phones, stop func() error, err error) {
	var stops []func(context.Context) error // stopped in reverse order
	stop = func() (err error) {
		for n := len(stops) - 1; n >= 0; n-- {
			limited, cancel := context.WithTimeout(context.Background(), embeddedWait)
			err = errors.Join(err, stops[n](limited))
			cancel()
		}
		return err
	}
	var server *media.Embedded
	if e.server != nil {
		e.server.Secret = g.secrets.LiveKit
		options := *e.server
		if e.gateway != nil {
			options.Port = 0 // frontPhones has the configured one
		}
		if server, err = media.StartEmbedded(ctx, options); err != nil {
			return nil, stop, err
		}
		stops = append(stops, server.Stop)
		at.embed(server)
		at.relayMedia(server, listener, g.config.PublicPort())
		go func() {
			if err := server.Wait(); err != nil {
				failed <- fmt.Errorf("media server: %w", err)
			}
		}()
	}
	if e.gateway == nil {
		return outsidePhones(g.config, g.config.PrivateNetworks()), stop, nil
	}
	e.gateway.MediaURL, e.gateway.Joiner, e.gateway.Tokens, e.gateway.Inbound = at.url, at.joiner(g.log), at.tokens, inboundCalls{g, at}
	gateway, err := sip.StartGateway(ctx, *e.gateway)
	if err != nil {
		return nil, stop, err
	}
	stops = append(stops, gateway.Stop)
	stopFront, err := frontPhones(e.server.Port, server, gateway, embeddedKey, g.secrets.LiveKit, g.log)
	if err != nil {
		return nil, stop, err
	}
	stops = append(stops, stopFront)
	if open := len(g.config.SIPOpenNumbers); open > 0 {
		g.log.Warn("phone numbers accept calls from any address", "numbers", open, "setting", "PARLEY_SIP_OPEN_NUMBERS")
	}
	if e.gateway.Port == 0 {
		g.log.Warn("standard SIP port in use; the SIP gateway listens on another; set PARLEY_SIP_PORT to choose one", "standard_port", standardPort, "port", gateway.Port())
	}
	return gateway, stop, nil
}
