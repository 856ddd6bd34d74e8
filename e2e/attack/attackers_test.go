package attack

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// attacked is a server, with what its attackers have of it: tenants with API keys of the default rate, numbers, and join tokens.
type attacked struct {
	*binary.Server
	media, sip string // address for media over TCP; port
	keys       map[string]string
	trunk      string   // of the tenant "doors"
	digests    string   // number of a trunk with a digest
	slow       []string // numbers of tenants with slow vendors
}

// newAttacked makes what the attackers of a server need.
func newAttacked(t *testing.T, s *binary.Server, media, sip string) *attacked {
	t.Helper()
	a := &attacked{Server: s, media: media, sip: sip, keys: map[string]string{}, digests: "+4930555001"}
	for _, tenant := range []string{"products", "unread", "requests", "plans", "disk", "doors"} {
		command(t, s, "", "tenant", "create", tenant)
		a.keys[tenant] = newKey(t, s, tenant, "--scopes", "*", "--rate-limit", "600")
	}
	command(t, s, ownersPassword, "user", "create", "--tenant", "doors", "--email", ownersEmail, "--password", "-")
	newVersions(t, s, a.keys["unread"], 5)
	writeLargePrompts(t, s, a.keys["plans"])
	newDesk(t, s, a.keys["disk"])
	command(t, s, "", "tenant", "set", "disk", "--limit", "stored_bytes=2000000")
	newDesk(t, s, a.keys["products"])
	newDesk(t, s, a.keys["doors"])
	newNumber(t, s, a.keys["doors"], a.digests, object{"username": "acme", "password": "pa55word"})
	a.trunk = post(t, s, a.keys["doors"], "/api/v1/sip-trunks", object{"name": "victim", "address": "127.0.0.1:9"})
	newCarrierTenant(t, s, "carried")
	for i, kind := range []string{"stt", "llm", "tts"} {
		a.slow = append(a.slow, fmt.Sprintf("+493055510%d", i))
		newSlowDesk(t, s, kind, a.slow[i])
	}
	newModelDesk(t, s, s.Key)
	return a
}

// begin begins all attacks, each again and again, and returns what ends them. Attackers, callers and vendors share the machine with the
// server, so their rates are what a machine of two cores sends beside them: attackers pause between rounds, media is flooded by one
// caller at a time, and no attacker has more connections than an address may have, for callers come from the same one.
func (a *attacked) begin(t *testing.T) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for name, attack := range a.rounds() {
		all.Go(func() {
			t.Run(name, func(t *testing.T) {
				n := 0
				for ; ctx.Err() == nil; n++ {
					t.Run(strconv.Itoa(n), func(t *testing.T) { attack.round(t, n) })
					select {
					case <-ctx.Done():
					case <-time.After(attack.pause):
					}
				}
				t.Logf("%d rounds", n)
			})
		})
	}
	for name, attack := range a.steady() {
		all.Go(func() { t.Run(name, func(t *testing.T) { attack(ctx, t) }) })
	}
	return func() {
		cancel()
		all.Wait()
	}
}

// steady are attacks that go on until their context ends.
func (a *attacked) steady() map[string]func(context.Context, *testing.T) {
	requests := func(key string) func(context.Context, *testing.T) {
		return func(ctx context.Context, t *testing.T) {
			var answered atomic.Int64
			attackAPI(ctx, a.Server, key, "/api/v1/calls?limit=1", 10, 100*time.Millisecond, &answered)
			t.Logf("%d requests answered", answered.Load())
		}
	}
	guesses := func(account string) func(context.Context, *testing.T) {
		return func(ctx context.Context, t *testing.T) {
			answers, wait := guessFromManyNetworks(ctx, a.URL, account, 15)
			wait()
			t.Logf("%d guesses were checked, %d refused", answers.wrong.Load(), answers.limited.Load()+answers.busy.Load())
		}
	}
	return map[string]func(context.Context, *testing.T){
		"products":             func(ctx context.Context, _ *testing.T) { sendProducts(ctx, a.Server, a.keys["products"], 3) },
		"requests of a tenant": requests(a.keys["requests"]), "requests with an invented key": requests(inventedKey(a.keys["requests"])),
		"guesses": guesses(ownersEmail), "guesses for nobody": guesses("nobody@example.org"),
		"texts": func(ctx context.Context, t *testing.T) {
			d, p := joinDesk(t, a.Server, "desk")
			await(t, "the call is active", func() bool {
				c, err := a.API.Calls.Get(t.Context(), d.CallID)
				return err == nil && c.Status == client.Active
			})
			t.Logf("%d texts sent", floodTexts(ctx, p, 20, 8000))
		},
	}
}

// round is an attack that ends by itself, and the pause until it is made again.
type round struct {
	pause time.Duration
	round func(t *testing.T, n int)
}

// rounds are attacks that are made again and again. What a round has opened is closed when it ends.
func (a *attacked) rounds() map[string]round {
	all := a.phoneRounds()
	pick := func(n int, of ...string) string { return of[n%len(of)] }
	all["unread answers"] = round{time.Second, func(t *testing.T, _ int) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if err := leaveUnread(ctx, a.Server, a.keys["unread"], "/api/v1/prompts/large/versions?limit=5", 40); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
	}}
	all["large plans"] = round{20 * time.Second, func(t *testing.T, _ int) { dispatchLarge(t, a.Server, a.keys["plans"], 10) }}
	all["disk"] = round{20 * time.Second, func(t *testing.T, _ int) { fillStorage(t, a.Server, a.keys["disk"]) }}
	all["session requests"] = round{2 * time.Second, func(t *testing.T, _ int) { exhaustSessionRequests(t, a.Server, "203.0.113.9") }}
	all["tools"] = round{2 * time.Second, func(t *testing.T, n int) {
		tryTool(t, a.Server, a.keys["doors"], fmt.Sprint("read_", n), a.URL+"/metrics", nil)
	}}
	all["signalling without end"] = round{3 * time.Second, func(t *testing.T, n int) {
		if code := floodSignalling(t, a.Server, dispatch(t, a.Server).Token, 400<<20, n%2 == 0); code != 1009 {
			t.Errorf("closed with %d, want 1009", code)
		}
	}}
	all["floods of requests"] = round{3 * time.Second, func(t *testing.T, n int) {
		floods := signallingFloods(t)
		names := slices.Sorted(maps.Keys(floods))
		floodRequests(t, a.Server, 3, floods[pick(n/2, names...)], n%2 == 0, 3*time.Second)
	}}
	all["joins"] = round{20 * time.Second, func(t *testing.T, _ int) {
		for token := dispatch(t, a.Server).Token; ; {
			w, answer := openSocket(t, a.Server, token)
			if _ = w.Close(); answer.StatusCode == http.StatusTooManyRequests {
				return
			}
		}
	}}
	all["media of a caller"] = round{3 * time.Second, func(t *testing.T, n int) { floodAsCaller(t, a.Server, pick(n, callerFloods...), 3*time.Second) }}
	all["media of no call"] = round{5 * time.Second, func(t *testing.T, n int) { floodMedia(t, pick(n, a.media, httpAddress(a.Server)), 600) }}
	all["slow headers"] = round{time.Second, func(t *testing.T, n int) {
		dripHTTP(t, pick(n, httpAddress(a.Server), a.media, "127.0.0.1:"+a.RTCPort), "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", 200)
	}}
	all["stalled bodies"] = round{time.Second, func(t *testing.T, n int) {
		stall(t, a.Server, pick(n, "/rtc/validate", "/api/v1/auth/login", "/api/v1/calls", "/nowhere"), 200)
		time.Sleep(5 * time.Second)
	}}
	return all
}

// phoneRounds are attacks on the SIP port and by phone calls.
func (a *attacked) phoneRounds() map[string]round {
	return map[string]round{
		"calls without ACK": {5 * time.Second, func(t *testing.T, _ int) {
			attackWithoutACK(t, "127.0.0.2", a.sip, carrierNumber, 6, 13*time.Second)
		}},
		"digests":      {10 * time.Second, func(t *testing.T, _ int) { attackDigests(t, a.sip, a.digests, 25, 10) }},
		"SIP messages": {5 * time.Second, func(t *testing.T, _ int) { attackSIPMessages(t, a.sip, 50, 1) }},
		"SIP connections": {5 * time.Second, func(t *testing.T, _ int) {
			attackSIPStreams(t, a.sip, 8, 64)
			time.Sleep(10 * time.Second)
		}},
		"trunk checks": {5 * time.Second, func(t *testing.T, _ int) { attackTrunkChecks(t, a.Server, a.keys["doors"], a.trunk, 20) }},
		"slow vendors": {10 * time.Second, func(t *testing.T, _ int) {
			attackSlowVendors(t, a.sip, a.slow, 1)
			time.Sleep(20 * time.Second)
		}},
	}
}
