package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"runtime"
	"sync"

	"parley/internal/api"
	"parley/internal/hearing"
	"parley/internal/postcall"
	"parley/internal/sip"
	"parley/internal/sound"
	"parley/internal/tool"
	"parley/internal/worker"
)

// callsPerCore is the default capacity of a worker per processor core.
const callsPerCore = 40

// Work runs a worker without an API. It returns when ctx has ended and the worker has drained, or stop has ended.
func Work(ctx, stop context.Context, o Options) error {
	defer limitGarbage()()
	if err := o.Config.Check(); err != nil {
		return err
	}
	operator, err := listenWorker(o.Config)
	if err != nil {
		return err
	}
	defer operator.Close()
	vad, err := loadVADModel(o.Config.VADModel)
	if err != nil {
		return err
	}
	local, err := localSpeech(ctx, o.Config, o.Config.Logger())
	defer local.close()
	if err != nil {
		return err
	}
	g, err := openInfrastructure(ctx, o, "worker")
	if err != nil {
		return err
	}
	defer g.close()
	o.logStart(g.log, "worker")
	defer g.startClock(ctx)()
	defer g.startRelay()()
	defer g.startLiveness(g.worker)()
	server := newMediaServer(o.Config, g.secrets)
	// A worker alone has no listener that shows that it is a developer's.
	allowPrivate := o.Config.AllowPrivateNetworks == "true"
	dialer := g.remotePhones()
	defer g.startHealth(server, dialer)()
	handler := api.WorkerHandler(api.Deps{DB: g.db, Health: g.health, Redis: g.redisHealth(), Ready: ctx.Err, Version: o.Version, Metrics: g.metrics})
	defer operator.serve(handler, connectionLimits(o.Config), g.log, make(chan error, 1))()
	fmt.Fprintf(o.out(), "Parley worker claims calls; media server %s\n", server.url)
	var reaping sync.WaitGroup
	reaping.Go(func() { g.calls.Reap(ctx, server, g.log) })
	reaping.Go(func() { g.purgeExpired(ctx) })
	tools := tool.NewRunner(allowPrivate)
	defer tools.Close()
	reaping.Go(func() { g.sweepSpeechCache(ctx) })
	speech := newSpeech(o.Config, allowPrivate, g.db, g.secrets.Sealer, g.log, local)
	speech.cache = g.speechCache
	caching, stopCaching := startSpeechCaching(g, speech)
	defer stopCaching()
	reaping.Go(func() { newAnalyst(g, speech).Run(ctx) })
	newWorker(g, server, dialer, speech, caching, tools, vad).Run(ctx, stop)
	reaping.Wait()
	return nil
}

func newWorker(g *infrastructure, server *mediaServer, phones worker.Phones, speech speech, caching *speechCaching, tools *tool.Runner, vad hearing.Model) *worker.Worker {
	capacity := g.config.WorkerCapacity
	if capacity == 0 {
		capacity = callsPerCore * runtime.NumCPU()
	}
	w := worker.New(worker.Options{
		Name: g.worker, Capacity: capacity, CPU: new(worker.CPU),
		Calls: g.calls, Bus: g.bus, Rooms: server.rooms, Joiner: server.joiner(g.log), Tokens: server.tokens, MediaURL: server.url,
		OutboundRoute: func(ctx context.Context, tenantID, trunkID string, livemode bool) (sip.OutboundRoute, error) {
			return g.phones.OutboundRoute(ctx, g.db, tenantID, trunkID, livemode)
		},
		CheckDial: g.calls.CheckDial, RecordTransfer: g.calls.RecordTransfer, AuthorizePerson: g.calls.AuthorizePerson,
		Phones: phones, RingTimeout: g.config.RingTimeout,
		Providers: speech.of, CallBegan: caching.callBegan, Tools: tools, ToolTenant: g.toolTenant, VADModel: vad, SilenceTimeout: g.config.SilenceTimeout, Recordings: g.recordings, Sounds: sound.NewLibrary(g.db), Log: g.log, Tracer: g.tracer(),
	})
	g.metrics.WorkerCalls(w.Calls)
	return w
}

// newAnalyst returns what runs the analyses of ended calls.
func newAnalyst(g *infrastructure, speech speech) *postcall.Runner {
	return postcall.New(g.db, g.bus, postcall.Options{Name: processName(), Calls: g.calls, Log: g.log,
		Models: func(ctx context.Context, tenantID string) postcall.Models { return speech.For(ctx, tenantID) }})
}

// processName returns this process's unique name in leases. It contains host name and process id, see succeed.
func processName() string { return fmt.Sprintf("%s-%d-%s", hostname(), os.Getpid(), rand.Text()[:8]) }

func hostname() string {
	host, _ := os.Hostname() // informational
	return host
}
