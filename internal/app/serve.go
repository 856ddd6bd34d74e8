package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"parley/internal/agent"
	"parley/internal/analytics"
	"parley/internal/api"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/config"
	"parley/internal/live"
	"parley/internal/media"
	"parley/internal/sip"
	"parley/internal/tool"
	"parley/internal/webhook"
	"parley/web"
)

// shutdownWait bounds how long open requests may take at the end.
const shutdownWait = 5 * time.Second

// Serve runs the API and, unless left out, the media server with the SIP
// gateway, a worker and webhook delivery. When ctx ends it drains: no new calls, the running ones go
// on until they are over or stop ends, and requests are answered until then. Before anything is written or started,
// all that can be missing is looked for; its error names it.
func Serve(ctx, stop context.Context, o Options) (err error) {
	collectSooner()
	c := o.Config
	if err := c.Check(); err != nil {
		return err
	}
	with := func(role string) bool { return !slices.Contains(o.Without, role) }
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return &config.Error{Variable: "PARLEY_ADDR", Problem: fmt.Sprintf("cannot listen, choose another address: %v", err)}
	}
	defer listener.Close()
	embed := with("media") && c.LiveKitURL == ""
	if err := checkPorts(c, embed, embed && with("sip")); err != nil {
		return err
	}
	local, err := localSpeech(ctx, c, c.Logger())
	defer local.close()
	if err != nil {
		return err
	}

	g, err := lay(ctx, o, "serve")
	if err != nil {
		return err
	}
	defer g.close()
	defer g.startRelay()()
	speech, server := newSpeech(c, g.db, g.secrets.Sealer, g.log, local), newMediaServer(c, g.secrets)
	failed := make(chan error, 2) // of what should run until the end
	if embed {
		options, err := embeddedOptions(c, g.secrets.LiveKit)
		if err != nil {
			return err
		}
		embedded, err := media.StartEmbedded(ctx, options)
		if err != nil {
			return err
		}
		go func() {
			if err := embedded.Wait(); err != nil {
				failed <- fmt.Errorf("media server: %w", err)
			}
		}()
		defer func() {
			limited, cancel := context.WithTimeout(context.Background(), shutdownWait)
			defer cancel()
			err = errors.Join(err, embedded.Stop(limited))
		}()
	}
	phones := outsidePhones(c, c.PrivateNetworks())
	if embed && with("sip") {
		options, err := gatewayOptions(c, g.secrets.LiveKit)
		if err != nil {
			return err
		}
		hush(g.log)
		options.Reception = reception{g, server}
		gateway, err := sip.StartGateway(ctx, options)
		if err != nil {
			return err
		}
		phones = gateway
		defer func() {
			limited, cancel := context.WithTimeout(context.Background(), shutdownWait)
			defer cancel()
			err = errors.Join(err, gateway.Stop(limited))
		}()
	}
	authority, err := newAuthority(g)
	if err != nil {
		return err
	}
	first, err := firstStart(ctx, g, authority)
	if err != nil {
		return err
	}

	draining := func() error { return ctx.Err() }
	streams := live.New(g.db, g.bus, live.Options{StreamsPerTenant: c.StreamsPerTenant, Log: g.log})
	handler, err := newAPI(g, o.Version, server, speech, authority, streams, draining)
	if err != nil {
		return err
	}
	if err := g.succeed(ctx); err != nil {
		return err
	}
	// Whoever is ready can be told to stop: nothing fails from here on because ctx ends.
	httpServer := api.HTTPServer(handler, g.log)
	go func() {
		if err := httpServer.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("HTTP server: %w", err)
		}
	}()

	var claiming, running sync.WaitGroup
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	running.Go(func() { g.calls.Reap(background, server, g.log) })
	running.Go(func() { g.retain(background) })
	if with("delivery") {
		deliverer := webhook.NewDeliverer(g.db, g.bus, g.secrets.Sealer, call.Extras{Calls: g.calls}, call.ErrorLog{},
			webhook.Options{Name: processName(), AllowPrivate: c.PrivateNetworks(), Log: g.log})
		running.Go(func() { deliverer.Run(background) })
	}
	claimCtx, stopClaiming := context.WithCancel(ctx)
	defer stopClaiming()
	if with("worker") {
		tools := tool.NewRunner(c.PrivateNetworks())
		defer tools.Close()
		worker := newWorker(g, server, phones, speech, tools)
		claiming.Go(func() { worker.Run(claimCtx, stop) })
	}
	welcome(o.Out, c, first)
	giveBack()

	select {
	case <-ctx.Done():
		g.log.Info("draining")
		streams.End() // their clients find another node, or come again here
		claiming.Go(func() { linger(stop, c.DrainDelay) })
	case err = <-failed:
		stopClaiming()
	}
	claiming.Wait()
	streams.Close()
	limited, cancel := context.WithTimeout(context.Background(), shutdownWait)
	defer cancel()
	if httpServer.Shutdown(limited) != nil {
		httpServer.Close()
	}
	stopBackground()
	running.Wait()
	return err
}

// checkPorts tells whether the ports of what is to run in this process are
// free.
func checkPorts(c config.Server, media, phones bool) error {
	if media {
		options, err := embeddedOptions(c, "")
		if err == nil {
			err = options.Check()
		}
		if err != nil {
			return err
		}
	}
	if phones {
		options, err := gatewayOptions(c, "")
		if err == nil {
			err = options.Check()
		}
		return err
	}
	return nil
}

// linger gives those who look at /health/ready the time to send requests
// elsewhere.
func linger(stop context.Context, d time.Duration) {
	select {
	case <-stop.Done():
	case <-time.After(d):
	}
}

// newAPI makes the HTTP side.
func newAPI(g *ground, version string, server *mediaServer, speech speech, authority *auth.Service, streams *live.Hub, ready func() error) (http.Handler, error) {
	return api.New(api.Deps{
		DB: g.db, Auth: authority, Log: g.log, Version: version, Docs: web.Docs(), Ready: ready, Redis: g.redisHealth(), TrustedProxies: g.config.Proxies(), CORSOrigins: g.config.CORSOrigins, Secure: g.config.Secure(), Tracer: g.tracer(), Signalling: server.signalling(g.calls, g.log),
		Calls: g.calls, Recordings: g.recordings, Live: streams, Media: server, Lacks: speech.lacks,
		Agents: agentRegistry(), Workflows: workflowRegistry(), Tools: tool.Registry{Agents: agent.Directory{}},
		ProviderKeys: providerKeys(g.secrets.Sealer), SIP: g.phones,
		Webhooks: webhook.NewSettings(g.db, g.bus, g.secrets.Sealer, g.config.PrivateNetworks()), Deliveries: g.queue,
		Analytics: analytics.New(g.db), Metrics: g.metrics,
	})
}
