package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"parley/internal/analytics"
	"parley/internal/api"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/config"
	"parley/internal/live"
	"parley/internal/netguard"
	"parley/internal/sip"
	"parley/internal/tool"
	"parley/internal/webhook"
	"parley/web"
)

// shutdownWait bounds open requests during shutdown.
const shutdownWait = 5 * time.Second

// Serve runs the API and, unless disabled, the media server, the SIP gateway, a worker and webhook delivery.
// When ctx ends it drains: no new calls start, running ones continue until they end or stop ends, and requests are
// answered until then. The configuration is checked before anything is written or started; errors name the setting.
func Serve(ctx, stop context.Context, o Options) (err error) {
	defer limitGarbage()()
	c := o.Config
	if err := c.Check(); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return &config.Error{Variable: "PARLEY_ADDR", Problem: fmt.Sprintf("cannot listen, choose another address: %v", err)}
	}
	defer listener.Close()
	netguard.Own(listener.Addr())
	operator, err := listenOperator("PARLEY_METRICS_ADDR", c.MetricsAddr)
	if err != nil {
		return err
	}
	defer operator.Close()
	plan, err := planEmbedding(o)
	if err != nil {
		return err
	}
	vad, err := loadVADModel(c.VADModel)
	if err != nil {
		return err
	}
	local, err := localSpeech(ctx, c, c.Logger())
	defer local.close()
	if err != nil {
		return err
	}

	g, err := openInfrastructure(ctx, o, "serve")
	if err != nil {
		return err
	}
	defer g.close()
	unlock, err := lockDataFolder(c.Store)
	if err != nil {
		return err
	}
	defer unlock()
	defer g.startClock(ctx)()
	defer g.startRelay()()
	failed := make(chan error, 3) // of components that should run until the end
	server := newMediaServer(c, g.secrets)
	embedded, err := plan.start(ctx, g, server, listener.Addr(), failed)
	defer func() { err = errors.Join(err, embedded.stop()) }()
	if err != nil {
		return err
	}
	watched := server
	if c.LiveKitURL == "" && !o.with("media") {
		watched = nil
	}
	defer g.startHealth(watched, embedded.phones)()
	authority, err := newAuthority(g)
	if err != nil {
		return err
	}
	first, err := firstStart(ctx, g, authority)
	if err != nil {
		return err
	}

	g.stopping = ctx.Err
	speech := newSpeech(c, c.PrivateNetworks(), g.db, g.secrets.Sealer, g.log, local)
	speech.cache = g.speechCache
	caching, stopCaching := startSpeechCaching(g, speech)
	defer stopCaching()
	streams := live.New(g.db, g.bus, live.Options{StreamsPerTenant: c.StreamsPerTenant, Limit: g.streamLimit, PageURL: g.eventExtras().PageURL, Log: g.log})
	tools := tool.NewRunner(c.PrivateNetworks())
	defer tools.Close()
	handler, err := newAPI(g, o.Version, server, speech, o.agentSaved(caching), tools, authority, streams, ctx.Err)
	if err != nil {
		return err
	}
	if err := g.releasePredecessor(ctx); err != nil {
		return err
	}
	o.logStart(g.log, "serve")
	// After this point nothing fails because ctx ends.
	shutdown := serveHTTP(api.Listener(listener, connectionLimits(c), server.relayed(), g.log), handler, g.log, failed)
	shutdownOperator := operator.serve(handler.Operator(), connectionLimits(c), g.log, failed)
	stopBackground := startBackground(ctx, g, server, o.with("delivery"))
	var claiming sync.WaitGroup
	if o.with("worker") {
		defer g.startLiveness(g.worker)()
	} else {
		defer g.startLiveness("")()
	}
	claimCtx, stopClaiming := context.WithCancel(ctx)
	defer stopClaiming()
	if o.with("worker") {
		worker := newWorker(g, server, embedded.phones, speech, caching, tools, vad)
		claiming.Go(func() { worker.Run(claimCtx, stop) })
		defer runUntilReturn(newAnalyst(g, speech).Run)()
	}
	welcome(o.out(), c, first)
	if c.LogFormat == "json" && first.email != "" {
		g.log.Info("demo tenant created; set the password of its user", "command", "parley user set --email "+first.email+" --password -", "api_key_file", c.Path(DemoKeyFile))
	}
	releaseStartMemory()

	select {
	case <-ctx.Done():
		g.log.Info("draining")
		streams.End() // their clients reconnect, possibly to another node
		claiming.Go(func() { delayShutdown(stop, c.DrainDelay) })
		claiming.Go(func() { embedded.drain(stop) })
	case err = <-failed:
		stopClaiming()
	}
	claiming.Wait()
	streams.Close()
	shutdown()
	shutdownOperator()
	stopBackground()
	return err
}

// serveHTTP answers requests until the returned function has been called. failed receives an error that ends it
// before.
func serveHTTP(listener net.Listener, handler http.Handler, log *slog.Logger, failed chan<- error) (shutdown func()) {
	server := api.HTTPServer(handler, log)
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("HTTP server: %w", err)
		}
	}()
	return func() {
		limited, cancel := context.WithTimeout(context.Background(), shutdownWait)
		defer cancel()
		if server.Shutdown(limited) != nil {
			server.Close()
		}
	}
}

// connectionLimits reserves a quarter of the process's file descriptors for other uses than clients.
func connectionLimits(c config.Server) api.ConnectionLimits {
	limits := api.ConnectionLimits{Total: c.MaxConnections, PerAddress: c.MaxConnectionsPerAddress, Proxies: c.Proxies()}
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) == nil && files.Cur < 1<<30 {
		if most := int(files.Cur / 4 * 3); limits.Total == 0 || limits.Total > most {
			limits.Total = most
		}
	}
	return limits
}

// startBackground runs the reaper, retention and, if enabled, webhook delivery, until stop is called; they continue while the server
// drains.
func startBackground(ctx context.Context, g *infrastructure, server *mediaServer, deliver bool) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { g.calls.Reap(ctx, server, g.log) })
	running.Go(func() { g.purgeExpired(ctx) })
	running.Go(func() { g.sweepSpeechCache(ctx) })
	if deliver {
		deliverer := webhook.NewDeliverer(g.db, g.bus, g.secrets.Sealer, g.eventExtras(), call.ErrorLog{},
			webhook.Options{Name: processName(), AllowPrivate: g.config.PrivateNetworks(), Log: g.log,
				Ended: func(tenantID string, status webhook.Status) { g.metrics.DeliveryEnded(tenantID, string(status)) }})
		running.Go(func() { deliverer.Run(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// runUntilReturn runs something in the background until the returned function is called, which waits for its end.
func runUntilReturn(run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// delayShutdown gives load balancers that poll /health/ready the time to stop sending requests.
func delayShutdown(stop context.Context, d time.Duration) {
	select {
	case <-stop.Done():
	case <-time.After(d):
	}
}

// newAPI returns the HTTP handler.
func newAPI(g *infrastructure, version string, server *mediaServer, speech speech, agentSaved func(tenantID, agent string), tools *tool.Runner, authority *auth.Service, streams *live.Hub, ready func() error) (*api.Server, error) {
	prober, err := sip.NewProber(sip.ProberOptions{AllowPrivate: g.config.PrivateNetworks(), LoopbackOnly: g.config.Loopback()})
	if err != nil {
		return nil, err
	}
	return api.New(api.Deps{
		DB: g.db, Auth: authority, Log: g.log, Version: version, PublicURL: g.config.Reachable(), Docs: web.Docs(), Dashboard: web.Dashboard(), Widget: web.Widget(), TransferPage: web.TransferPage(), Ready: ready, Health: g.health, Redis: g.redisHealth(), TrustedProxies: g.config.Proxies(), Connections: connectionLimits(g.config), CORSOrigins: g.config.CORSOrigins, Secure: g.config.Secure(), Tracer: g.tracer(), Signalling: server.signalling(g.calls, g.log),
		Calls: g.calls, Recordings: g.recordings, Live: streams, Media: server, MediaPorts: mediaPorts(g.config), Lacks: speech.lacks,
		AgentSaved: agentSaved, Agents: agentRegistry(toolServers{tools, g.toolTenant}), Workflows: workflowRegistry(), Tools: toolRegistry(g.secrets.Sealer), Prompts: promptRegistry(), Analyses: analysisRegistry(), Sounds: soundRegistry(), Trials: tools, ToolTenant: g.toolTenant, Sealer: g.secrets.Sealer, Secrets: secretRegistry(g.secrets.Sealer),
		ProviderKeys: providerKeys(g.secrets.Sealer, g.config.PrivateNetworks()), KeyChecks: keyChecks(g.config.PrivateNetworks()), SIP: g.phones, Probes: prober,
		Webhooks: webhook.NewSettings(g.db, g.bus, g.secrets.Sealer, g.config.PrivateNetworks()), Deliveries: g.queue,
		Analytics: analytics.New(g.db), Prices: g.prices, Limits: g.limits, Metrics: g.metrics, MetricsToken: g.config.MetricsToken, SignOn: signOn(g),
	})
}

// mediaPorts returns those of the embedded media server, zero for an outside one.
func mediaPorts(c config.Server) api.MediaPorts {
	if c.LiveKitURL != "" {
		return api.MediaPorts{}
	}
	return api.MediaPorts{UDP: c.RTCUDPPort, TCP: c.RTCTCPPort}
}
