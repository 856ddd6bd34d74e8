package chaos

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/template"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/emulated"
)

// legGrace is how long the phone of a person may be connected, or ring, after their call has ended.
const legGrace = 2 * time.Second

// personKind is what the phone of a person does: testdata/persons.xml.tmpl.
type personKind struct {
	Kind                  string // the digits of the number
	Delay                 int    // ms
	Silent, Busy, HangsUp bool
}

// personDelays are the times of phones by their digit, in ms.
var personDelays = []int{100, 700, 1900, 2100, 4500, 120_000}

// personKinds are the phones. The last delay is longer than any phone rings here: the network does not stay silent for that long.
func personKinds() (kinds []personKind) {
	for behaviour := 1; behaviour <= 4; behaviour++ {
		for digit, delay := range personDelays {
			k := personKind{Kind: fmt.Sprintf("%d%d", behaviour, digit), Delay: delay, HangsUp: behaviour == 2, Busy: behaviour == 3, Silent: behaviour == 4}
			if k.Silent && digit == len(personDelays)-1 {
				k.Delay = 6000
			}
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// personNetwork is the telephone network of the persons, played by sipp, which keeps all messages.
type personNetwork struct {
	address  string
	messages string // file
}

func newPersonNetwork(t *testing.T) *personNetwork {
	t.Helper()
	dir := t.TempDir()
	scenario := filepath.Join(dir, "persons.xml")
	f, err := os.Create(scenario)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := template.Must(template.ParseFiles("testdata/persons.xml.tmpl")).Execute(f, personKinds()); err != nil {
		t.Fatal(err)
	}
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	n := &personNetwork{net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), filepath.Join(dir, "messages.log")}
	p, err := binary.Launch("sipp", map[string]string{"TZ": "UTC"}, "-sf", scenario, "-i", "127.0.0.1", "-p", strconv.Itoa(port), "-nostdin", "-trace_msg", "-message_file", n.messages,
		"-watchdog_minor_maxtriggers", "1000000", "-watchdog_major_maxtriggers", "1000000")
	if err != nil {
		t.Fatalf("sipp of package sip-tester: %v", err)
	}
	t.Cleanup(p.Kill)
	return n
}

// phoneLeg is a call to a person's phone, as the phone has seen it.
type phoneLeg struct {
	number string
	dials  int       // INVITE requests, without those that are sent again
	last   time.Time // of its messages
	over   bool      // it was declined, cancelled or hung up
}

var (
	messageStart = regexp.MustCompile(`(?m)^-{5,} (\d{4}-\d\d-\d\d)\s+(\d\d:\d\d:\d\d\.\d+)\n`)
	messageID    = regexp.MustCompile(`(?mi)^Call-ID: *(\S+)`)
	messageLine  = regexp.MustCompile(`(?m)^(INVITE sip:(\+\d+)@|BYE |CANCEL |SIP/2\.0 (\d{3}) )`)
	messageCSeq  = regexp.MustCompile(`(?mi)^CSeq: *\d+ ([A-Z]+)`)
)

// legs returns what became of each number.
func (n *personNetwork) legs(t *testing.T) map[string]*phoneLeg {
	t.Helper()
	text, err := os.ReadFile(n.messages)
	if err != nil {
		t.Fatal(err)
	}
	legs, numbers := map[string]*phoneLeg{}, map[string]string{}
	starts := messageStart.FindAllSubmatchIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		when, err := time.Parse("2006-01-02 15:04:05.999999", string(text[at[2]:at[3]])+" "+string(text[at[4]:at[5]]))
		if err != nil {
			t.Fatal(err)
		}
		body := text[at[1]:end]
		id, line, cseq := messageID.FindSubmatch(body), messageLine.FindSubmatch(body), messageCSeq.FindSubmatch(body)
		if id == nil || line == nil || cseq == nil {
			continue // an ACK
		}
		if number := string(line[2]); number != "" && numbers[string(id[1])] == "" {
			numbers[string(id[1])] = number
			leg := legs[number]
			if leg == nil {
				leg = &phoneLeg{number: number}
				legs[number] = leg
			}
			leg.dials++
		}
		leg := legs[numbers[string(id[1])]]
		if leg == nil {
			continue
		}
		status, _ := strconv.Atoi(string(line[3]))
		switch {
		case leg.over: // what is said about its end does not count
		case string(line[1]) == "BYE ", string(line[1]) == "CANCEL ", status >= 300 && string(cseq[1]) == "INVITE":
			leg.over, leg.last = true, when
		default:
			leg.last = when
		}
	}
	return legs
}

// transferTrial is a call in which a caller is handed over.
type transferTrial struct {
	api     *client.Client
	to      []string
	mode    string
	leaves  time.Duration // when the caller hangs up after the transfer was requested; 0 for not before its end
	ended   time.Duration // when the API ends the call; 0 for never
	call    *client.Call
	outcome string
}

// Many callers are handed over to persons who do not answer, decline, hang up at any moment or are never heard; callers hang up and calls are
// ended at any moment, too. Each caller is connected, with the agent again or has left, each person is dialled once, and no phone rings or is
// connected longer than 2 s after the call.
func TestManyTransfers(t *testing.T) {
	t.Parallel()
	network := newPersonNetwork(t)
	vendors, err := emulated.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := vendors.Stop(); err != nil {
			t.Error(err)
		}
	})
	settings := maps.Clone(vendors.Settings)
	maps.Copy(settings, map[string]string{
		"PARLEY_SIP_TRUNK_ADDRESS": network.address, "PARLEY_ALLOW_PRIVATE_NETWORKS": "true", "PARLEY_LOG_LEVEL": "warn", "PARLEY_WORKER_CAPACITY": "100",
		"PARLEY_SIP_OUTBOUND_AT_ONCE": "0", "PARLEY_SIP_OUTBOUND_PER_MINUTE": "0", "PARLEY_SIP_OUTBOUND_PER_DAY": "0",
	})
	s, err := binary.Start(program, filepath.Join(t.TempDir(), "data"), settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if log := s.Log.String(); t.Failed() || strings.Contains(log, "panic") {
			t.Errorf("log of the server:\n%s", log[max(0, len(log)-8000):])
		}
	})
	if _, err := s.API.Agents.Create(t.Context(), emulated.Agent("desk")); err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	trials := make([]*transferTrial, size(20, 200))
	slots := make(chan struct{}, size(5, 10))
	var calls sync.WaitGroup
	for i := range trials {
		trials[i] = newTransferTrial(s.API, i, random)
		slots <- struct{}{}
		calls.Go(func() {
			defer func() { <-slots }()
			if err := trials[i].run(t); err != nil {
				t.Errorf("%s to %v, the caller hangs up after %v, the API ends it after %v: %v", trials[i].mode, trials[i].to, trials[i].leaves, trials[i].ended, err)
			}
		})
	}
	calls.Wait()
	if t.Failed() {
		return
	}
	time.Sleep(2 * legGrace) // what would come too late
	legs := network.legs(t)
	outcomes := map[string]int{}
	dialled := 0
	var longest time.Duration
	for _, trial := range trials {
		outcomes[trial.outcome]++
		for _, number := range trial.to {
			leg := legs[number]
			if leg == nil {
				continue
			}
			dialled++
			after := leg.last.Sub(*trial.call.EndedAt)
			silent := strings.HasPrefix(number, "+49304") // CANCEL is forbidden before a provisional response (RFC 3261, 9.1)
			if !silent {
				longest = max(longest, after)
			}
			if leg.dials != 1 || !leg.over || after > legGrace && !silent {
				t.Errorf("%s of call %s (%s): dialled %d times, over %v, its last message %v after the call", number, trial.call.ID, trial.outcome, leg.dials, leg.over, after)
			}
		}
	}
	t.Logf("%d transfers, %d phones; outcomes %v; the last message to a phone came %v after its call at most", len(trials), dialled, outcomes, longest.Round(time.Millisecond))
}

// newTransferTrial returns a transfer to one or two numbers of their own, with what happens in it.
func newTransferTrial(api *client.Client, i int, random *rand.Rand) *transferTrial {
	trial := &transferTrial{api: api, mode: []string{"bridge", "announce", "consult"}[random.IntN(3)]}
	for n := range 1 + random.IntN(2) {
		kinds := personKinds()
		trial.to = append(trial.to, fmt.Sprintf("+4930%s%05d%d", kinds[random.IntN(len(kinds))].Kind, i, n))
	}
	switch random.IntN(3) {
	case 0:
		trial.leaves = time.Duration(random.IntN(10_000)) * time.Millisecond
	case 1:
		trial.ended = time.Duration(random.IntN(10_000)) * time.Millisecond
	}
	return trial
}

// run places the call and follows it to its end.
func (x *transferTrial) run(t *testing.T) error {
	ctx := t.Context()
	d, err := x.api.Calls.TestAgent(ctx, client.TestAgent{AgentName: "desk"})
	if err != nil {
		return err
	}
	caller, err := enter(ctx, d)
	if err != nil {
		return err
	}
	defer caller.Leave()
	if reach(t, func() *client.Client { return x.api }, d.CallID, client.Active) == nil {
		return errors.New("the call is not active")
	}
	body := client.CallTransfer{Mode: x.mode, To: x.to, RingSeconds: new(int)}
	*body.RingSeconds = 5
	if x.mode == "consult" {
		body.AcceptSeconds = body.RingSeconds
	}
	if _, err := x.api.Controls.Transfer(ctx, d.CallID, body); err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	if x.leaves > 0 {
		time.AfterFunc(x.leaves, caller.Leave)
	}
	if x.ended > 0 {
		time.AfterFunc(x.ended, func() { _, _ = x.api.Calls.End(ctx, d.CallID) })
	}
	if err := x.follow(t, d.CallID, caller.Leave); err != nil {
		return fmt.Errorf("call %s: %w", d.CallID, err)
	}
	return nil
}

// follow waits until the transfer has a result and the call is over.
func (x *transferTrial) follow(t *testing.T, id string, leave func()) error {
	const longest = time.Minute
	var left bool
	for deadline := time.Now().Add(longest); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		call, err := x.api.Calls.Get(t.Context(), id)
		if err != nil {
			return err
		}
		moments, err := x.api.Calls.Timeline(t.Context(), id)
		if err != nil {
			return err
		}
		result, at := x.result(moments)
		if call.EndedAt != nil {
			x.call, x.outcome = call, cmp.Or(result, "caller_left")
			return x.check()
		}
		if left || result == "" {
			continue
		}
		if result != "connected" {
			spoken, err := x.hasSpoken(t, id, at)
			if err != nil {
				return err
			}
			if !spoken {
				continue // the agent must go on: the loop ends
			}
		} else if time.Since(at) < 2*time.Second {
			continue // they speak with each other
		}
		left = true
		leave()
	}
	return fmt.Errorf("not over after %v", longest)
}

// result returns what became of the transfer, and since when; "" while it is not over.
func (x *transferTrial) result(moments []client.Moment) (outcome string, at time.Time) {
	for _, m := range slices.Backward(moments) {
		if m.Type != client.MomentTransfer {
			continue
		}
		switch {
		case m.Phase == "completed":
			return "connected", m.Timestamp
		case m.Phase == "failed" && (m.Attempt == m.Attempts || m.Reason == "caller_left"):
			return m.Reason, m.Timestamp
		}
		return "", time.Time{}
	}
	return "", time.Time{}
}

// hasSpoken reports whether the agent has spoken to the caller since a time.
func (x *transferTrial) hasSpoken(t *testing.T, id string, since time.Time) (bool, error) {
	said, err := x.api.Calls.Transcript(t.Context(), id)
	return slices.ContainsFunc(said, func(e client.TranscriptEntry) bool { return e.Role == "assistant" && !e.Timestamp.Before(since) }), err
}

// check checks how the call ended.
func (x *transferTrial) check() error {
	reason := ""
	if x.call.StatusReason != nil {
		reason = *x.call.StatusReason
	}
	allowed := []string{"caller_hangup"}
	if x.ended > 0 {
		allowed = append(allowed, "ended_by_api")
	}
	if x.outcome == "connected" {
		allowed = append(allowed, "transferred")
	}
	if x.call.Status != client.Completed || !slices.Contains(allowed, reason) {
		return fmt.Errorf("ended as %s (%s), want %q; the transfer is %s", x.call.Status, reason, allowed, x.outcome)
	}
	return nil
}
