package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"parley/internal/call"
	"parley/internal/dialogue"
	"parley/internal/fault"
	"parley/internal/plan"
	"parley/internal/provider"
	"parley/internal/speechcache"
	"parley/internal/tenant"
	"parley/internal/voice"
	"parley/internal/voice/providers"
)

const (
	// cachingQueue is how many agents may wait for their fixed texts to be synthesised; further ones are left to their next call.
	cachingQueue = 100
	// cachingTimeout bounds the synthesis of an agent's fixed texts.
	cachingTimeout = 30 * time.Second
	// cachingAttempts is how often an agent's texts are tried, cachingPause apart; what is cached is not synthesised again.
	cachingAttempts = 3
	cachingPause    = 15 * time.Second
	// cachingInterval is how long an agent is not looked at again, whether or not its texts could be synthesised.
	cachingInterval = 10 * time.Minute
	// maxRecent is how many agents are remembered for that.
	maxRecent = 10_000
	// sweepInterval is how often the entries of deleted tenants are looked for.
	sweepInterval = time.Hour
)

// openSpeechCache opens the cache of speech, unless it is switched off.
func (g *infrastructure) openSpeechCache() {
	if g.config.SpeechCacheBytes == 0 {
		return
	}
	g.speechCache = speechcache.Open(speechcache.Options{Dir: g.config.Path("speech"), Limit: g.config.SpeechCacheBytes, Sealer: g.secrets.Sealer, Log: g.log,
		Looked: g.metrics.SpeechCacheLookedUp, Evicted: g.metrics.SpeechCacheEvicted})
	g.metrics.SpeechCacheSize(g.speechCache.Size)
}

// sweepSpeechCache deletes the cached speech of deleted tenants each hour, until ctx ends.
func (g *infrastructure) sweepSpeechCache(ctx context.Context) {
	if g.speechCache == nil {
		return
	}
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		err := g.speechCache.Sweep(func(tenantID string) (bool, error) {
			_, err := tenant.Get(ctx, g.db, tenantID)
			if fault.Is(err, fault.NotFound) {
				return false, nil
			}
			return true, err
		})
		if err != nil && ctx.Err() == nil {
			g.log.WarnContext(ctx, "cached speech was not swept", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// cachingTenant is the providers of a tenant, with a cache of their voices' speech.
type cachingTenant struct {
	*provider.Tenant
	id    string
	cache *speechcache.Cache
}

// SpeechCache returns the cache of a voice; nil if it cannot be used.
func (t cachingTenant) SpeechCache(name string, o dialogue.VoiceOptions) providers.SpeechCache {
	account, err := t.VoiceAccount(name)
	if err != nil {
		return nil
	}
	sum := sha256.Sum256([]byte(account.Key + "\x00" + account.BaseURL))
	return t.cache.Of(speechcache.Voice{TenantID: t.id, Provider: name, Account: hex.EncodeToString(sum[:]), Options: o})
}

// speechCaching synthesises the fixed texts of agents in the background, one agent at a time.
type speechCaching struct {
	g      *infrastructure
	speech speech
	queue  chan cachingRequest
	recent *simplelru.LRU[string, time.Time] // when an agent was looked at, by all that its texts depend on
}

// cachingRequest is an agent whose fixed texts are to be cached. A nil plan is read from the database.
type cachingRequest struct {
	tenantID, agent, language string
	plan                      *plan.Plan
	failed                    int // attempts
}

// startSpeechCaching runs until the returned function is called. Without a cache it does nothing.
func startSpeechCaching(g *infrastructure, s speech) (c *speechCaching, stop func()) {
	recent, err := simplelru.NewLRU[string, time.Time](maxRecent, nil)
	if err != nil {
		panic(err) // only for an invalid size
	}
	c = &speechCaching{g: g, speech: s, queue: make(chan cachingRequest, cachingQueue), recent: recent}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { c.run(ctx) })
	return c, func() {
		cancel()
		running.Wait()
	}
}

// agentSaved returns what to do when an agent is saved: nothing where there is no worker that would use the cache.
func (o Options) agentSaved(c *speechCaching) func(tenantID, agent string) {
	if !o.with("worker") {
		return func(string, string) {}
	}
	return c.agentSaved
}

// agentSaved has the texts of an agent cached that was saved.
func (c *speechCaching) agentSaved(tenantID, agent string) {
	c.add(cachingRequest{tenantID: tenantID, agent: agent})
}

// callBegan has the texts of an agent cached that has a call, in the caller's language: they are here for the next one.
func (c *speechCaching) callBegan(tenantID string, p plan.Plan, agent, language string) {
	c.add(cachingRequest{tenantID: tenantID, agent: agent, language: language, plan: &p})
}

// add does not wait.
func (c *speechCaching) add(r cachingRequest) {
	if c.g.speechCache == nil {
		return
	}
	select {
	case c.queue <- r:
	default:
	}
}

func (c *speechCaching) run(ctx context.Context) {
	for {
		select {
		case r := <-c.queue:
			limited, cancel := context.WithTimeout(ctx, cachingTimeout)
			if err := c.cache(limited, r); err != nil && ctx.Err() == nil {
				r.failed++
				c.g.log.InfoContext(ctx, "the speech of an agent's fixed texts is not cached", "tenant", r.tenantID, "agent", r.agent, "attempt", r.failed, "error", dialogue.Summary(err))
				if r.failed < cachingAttempts {
					time.AfterFunc(cachingPause, func() { c.add(r) })
				}
			}
			cancel()
		case <-ctx.Done():
			return
		}
	}
}

// cache caches the texts of one agent.
func (c *speechCaching) cache(ctx context.Context, r cachingRequest) error {
	if r.plan == nil {
		read, _, err := call.ReadPlan(ctx, c.g.db.Tenant(r.tenantID), "", r.agent)
		if coded := new(fault.Error); errors.As(err, &coded) { // it was deleted or deactivated
			return nil
		}
		if err != nil {
			return err
		}
		r.plan = &read
	}
	config, exists := r.plan.Agents[r.agent]
	if !exists || config.TTS.Provider == "" {
		return nil
	}
	key := r.key()
	if at, known := c.recent.Get(key); known && r.failed == 0 && time.Since(at) < cachingInterval {
		return nil
	}
	c.recent.Add(key, time.Now())
	return voice.CacheSpeech(ctx, *r.plan, r.agent, r.language, c.speech.of(ctx, r.tenantID))
}

// key identifies what the texts and their speech depend on.
func (r cachingRequest) key() string {
	config := r.plan.Agents[r.agent]
	encoded, err := json.Marshal([]any{r.tenantID, r.language, config, r.plan.Prompts, r.plan.Tools})
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	sum := sha256.Sum256(encoded)
	return string(sum[:])
}
