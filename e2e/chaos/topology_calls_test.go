package chaos

import (
	"bytes"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// serveFront starts a proxy before the servers of a balancer, and returns its URL. Like Caddy in deploy/compose/production it
// sends requests to servers that are ready, and repeats those that did not reach one.
func serveFront(t *testing.T, b *balancer) string {
	t.Helper()
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     toReady{b},
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetXForwarded() },
		ErrorLog:      log.New(io.Discard, "", 0), // what fails is counted
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.URL
}

// toReady sends requests to servers that are ready.
type toReady struct{ *balancer }

func (b toReady) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	var body []byte
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body.Close()
	}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		for _, n := range b.nodes {
			s := n.server.Load()
			if s == nil || !n.ready.Load() {
				continue
			}
			target, err := url.Parse(s.URL)
			if err != nil {
				return nil, err
			}
			out := r.Clone(r.Context())
			out.URL.Scheme, out.URL.Host = target.Scheme, target.Host
			out.Body = io.NopCloser(bytes.NewReader(body))
			answer, err = http.DefaultTransport.RoundTrip(out)
			if dial := new(net.OpError); errors.As(err, &dial) && dial.Op == "dial" {
				continue
			}
			return answer, err
		}
	}
	return nil, errors.New("no server is ready")
}

// request lists calls through the proxy every 50 ms, each time once, until stop is called, which logs and returns how many of
// the requests failed.
func (x *topology) request() (stop func() (failed int)) {
	once := client.New(x.front, x.Key, client.WithAttempts(1))
	over, failures := make(chan struct{}), make(chan int)
	var requests int
	go func() {
		var failed int
		for {
			select {
			case <-over:
				failures <- failed
				return
			case <-time.After(50 * time.Millisecond):
			}
			requests++
			if _, err := once.Calls.List(x.t.Context(), client.CallQuery{}); err != nil {
				failed++
			}
		}
	}()
	return func() int {
		x.t.Helper()
		close(over)
		failed := <-failures
		x.t.Logf("%d of %d requests failed", failed, requests)
		return failed
	}
}

// converse begins n web calls through the proxy.
func (x *topology) converse(n int) []*onTheLine {
	x.t.Helper()
	return converse(x.t, x.api, n, 5)
}

// ring begins n phone calls, and returns when they are answered.
func (x *topology) ring(n int) (phones []*onTheLine) {
	x.t.Helper()
	for range n {
		d, err := x.api.Calls.Start(x.t.Context(), client.StartCall{WorkflowSlug: "demo", CallType: "sip", PhoneNumber: "+4930123456"})
		if err != nil {
			x.t.Fatal(err)
		}
		x.dialled[d.CallID] = true
		reach(x.t, func() *client.Client { return x.api }, d.CallID, client.Active)
		phones = append(phones, &onTheLine{id: d.CallID})
	}
	return phones
}

// callIn has a telephone, played by sipp, call the number, and returns the call when it is answered. The telephone sends back what it
// receives.
func (x *topology) callIn() *onTheLine {
	x.t.Helper()
	inbound := func() (ids []string) {
		page, err := x.api.Calls.List(x.t.Context(), client.CallQuery{PageSize: 100})
		if err != nil {
			x.t.Fatal(err)
		}
		for _, c := range page.Items {
			if c.CallType == "sip" && !x.dialled[c.ID] {
				ids = append(ids, c.ID)
			}
		}
		return ids
	}
	known := inbound()
	id, again := "", time.Time{}
	await(x.t, 100*time.Millisecond, "a phone call has come in", func() bool {
		for _, id = range inbound() {
			if !slices.Contains(known, id) {
				return true
			}
		}
		if time.Now().After(again) { // a gateway that is starting answers nothing
			x.dialIn()
			again = time.Now().Add(5 * time.Second)
		}
		return false
	})
	reach(x.t, func() *client.Client { return x.api }, id, client.Active)
	return &onTheLine{id: id}
}

// dialIn starts a telephone that calls the number and does not hang up.
func (x *topology) dialIn() {
	x.t.Helper()
	audio, err := binary.FreePort()
	if err != nil {
		x.t.Fatal(err)
	}
	p, err := binary.Launch("sipp", nil, "-sn", "uac", "127.0.0.1:"+x.sipPort, "-s", inboundNumber, "-i", "127.0.0.1", "-mi", "127.0.0.1", "-mp", strconv.Itoa(audio),
		"-m", "1", "-d", "3600000", "-rtp_echo", "-nostdin")
	if err != nil {
		x.t.Fatalf("sipp of package sip-tester: %v", err)
	}
	x.t.Cleanup(p.Kill)
}

// openNumber assigns the number to the demo tenant, and creates it there.
func (x *topology) openNumber() {
	x.t.Helper()
	env := maps.Clone(x.env)
	env["PARLEY_DATA_DIR"] = x.t.TempDir()
	p, err := binary.Launch(program, env, "number", "assign", "--tenant", "demo", inboundNumber)
	if err != nil {
		x.t.Fatal(err)
	}
	if code, err := p.Wait(x.t.Context()); err != nil || code != 0 {
		x.t.Fatalf("parley number assign: %d, %v\n%s%s", code, err, p.Out.String(), p.Log.String())
	}
	request, err := http.NewRequestWithContext(x.t.Context(), http.MethodPost, x.front+"/api/v1/phone-numbers", strings.NewReader(`{"number": "`+inboundNumber+`", "workflow_slug": "demo"}`))
	if err != nil {
		x.t.Fatal(err)
	}
	request.Header.Set("X-API-Key", x.Key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		x.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(answer.Body)
		x.t.Fatalf("create a phone number: %s %s", answer.Status, text)
	}
}

// timed runs what happens to a part, and logs how long it took, the wait for its consequences included.
func (x *topology) timed(what string, do func()) {
	x.t.Helper()
	start := time.Now()
	do()
	x.t.Logf("%s: %v", what, time.Since(start).Round(100*time.Millisecond))
}

// held checks that calls are active, and fails for each that is not.
func (x *topology) held(calls ...[]*onTheLine) {
	x.t.Helper()
	for _, c := range slices.Concat(calls...) {
		now, err := x.api.Calls.Get(x.t.Context(), c.id)
		switch {
		case err != nil:
			x.t.Errorf("get call: %v", err)
		case now.Status != client.Active:
			reason := ""
			if now.StatusReason != nil {
				reason = *now.StatusReason
			}
			x.t.Errorf("call %s is %s (%s)", c.id, now.Status, reason)
		case c.Participant != nil && c.Peer() == "":
			await(x.t, 100*time.Millisecond, "the caller of "+c.id+" has an agent", func() bool { return c.Peer() != "" })
		}
	}
}

// going returns the calls that have not ended.
func (x *topology) going(calls []*onTheLine) (going []*onTheLine) {
	x.t.Helper()
	for _, c := range calls {
		now, err := x.api.Calls.Get(x.t.Context(), c.id)
		if err != nil {
			x.t.Fatal(err)
		}
		if now.EndedAt == nil {
			going = append(going, c)
		}
	}
	return going
}

// moved waits until all calls that a LiveKit server had when it died have agent and caller on another server again, or have
// ended, and returns how many of two lists they were. It logs when the first and the last of them were complete.
func (x *topology) moved(web, phones []*onTheLine) (onWeb, onPhones int) {
	x.t.Helper()
	began := time.Now()
	var regained []time.Duration
	complete := map[string]bool{}
	count := func(calls []*onTheLine) (n int) {
		for _, c := range calls {
			if !complete[c.id] && x.rejoined(c) {
				complete[c.id] = true
				regained = append(regained, time.Since(began).Round(100*time.Millisecond))
			}
			if complete[c.id] {
				n++
			}
		}
		return n
	}
	// Agents and clients whose signalling went through another server notice after 15 to 20 s.
	await(x.t, 250*time.Millisecond, "calls have moved", func() bool {
		onWeb, onPhones = count(web), count(phones)
		return time.Since(began) > time.Minute
	})
	if len(regained) > 0 {
		x.t.Logf("agent and caller were together again after %v to %v", regained[0], regained[len(regained)-1])
	}
	return onWeb, onPhones
}

// rejoined reports whether agent and caller of a call have rejoined a room whose participants the server had lost.
func (x *topology) rejoined(c *onTheLine) bool {
	x.t.Helper()
	moments, err := x.api.Calls.Timeline(x.t.Context(), c.id)
	if err != nil {
		x.t.Fatal(err)
	}
	back := map[string]bool{}
	for _, m := range moments {
		back[m.Type] = back[m.Type] || m.Cause == "room_lost"
	}
	return back[client.MomentAgentRejoined] && back[client.MomentCallerRejoined]
}

// rolled asks a part to end, and starts another one in its place: calls on it go on meanwhile, which callers end afterwards.
func (x *topology) rolled(part string, old *binary.Process, start func(), calls []*onTheLine) {
	x.t.Helper()
	began := time.Now()
	stopped := make(chan error, 1)
	go func() { stopped <- old.Stop() }()
	start()
	if len(calls) > 0 {
		time.Sleep(5 * time.Second)
		x.held(calls)
		x.hangUp(calls)
	}
	if err := <-stopped; err != nil {
		x.t.Errorf("%s: %v", part, err)
	}
	x.t.Logf("restarted: %s with %d calls. %v", part, len(calls), time.Since(began).Round(100*time.Millisecond))
}

// hangUp ends calls, as callers do, and phone calls by the API.
func (x *topology) hangUp(calls []*onTheLine) {
	x.t.Helper()
	api := func() *client.Client { return x.api }
	for _, c := range calls {
		if c.Participant == nil {
			if _, err := x.api.Calls.End(x.t.Context(), c.id); err != nil {
				x.t.Error(err)
			}
			continue
		}
		c.Leave()
		ended(x.t, reach(x.t, api, c.id, client.Completed), client.Completed, "caller_hangup")
	}
}

// holders returns how many workers hold calls.
func (x *topology) holders(t *testing.T) int {
	t.Helper()
	var names []string
	x.rows(t, &names, "SELECT DISTINCT claimed_by FROM calls WHERE ended_at IS NULL AND claimed_by IS NOT NULL")
	return len(names)
}

// diagnose checks that parley doctor knows the LiveKit of the installation.
func (x *topology) diagnose() {
	x.t.Helper()
	env := maps.Clone(x.env)
	env["PARLEY_DATA_DIR"] = x.t.TempDir()
	p, err := binary.Launch(program, env, "doctor", "--json", "--without=media,worker")
	if err != nil {
		x.t.Fatal(err)
	}
	if _, err := p.Wait(x.t.Context()); err != nil {
		x.t.Fatal(err)
	}
	for _, want := range []string{"version 1.13", "LiveKit offers callers no TURN server", "LiveKit's clock agrees"} {
		if !strings.Contains(p.Out.String(), want) {
			x.t.Errorf("parley doctor does not say %q: %s", want, p.Out.String())
		}
	}
}
