package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// A call to a phone number fails for a true reason when it cannot be placed: no trunk to dial through, or, with one of the
// tenant or of the platform, no gateway in this server.
func TestPhoneCallsThatCannotBePlaced(t *testing.T) {
	t.Parallel()
	without := serve(t, filepath.Join(t.TempDir(), "data"), nil, "--without=sip")
	with := serve(t, filepath.Join(t.TempDir(), "data"), trunk("127.0.0.1:9", "PARLEY_SIP_TRUNK_PASSWORD", "planted-trunk-password"), "--without=sip")
	dialled := func(s *binary.Server, reason string) string {
		t.Helper()
		d, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo", CallType: "sip", PhoneNumber: busyNumber})
		if err != nil {
			t.Fatal(err)
		}
		if warned := strings.Contains(fmt.Sprint(d.Warnings), "SIP trunk"); warned != (reason == "no_trunk") {
			t.Errorf("%s: warnings %q", reason, d.Warnings)
		}
		if c := awaitEnd(t, s, d.CallID, deadline, client.Failed, reason); c.Direction != "outbound" || c.StartedAt != nil {
			t.Errorf("ended as %+v", c)
		}
		return d.CallID
	}
	dialled(without, "no_trunk")
	dialled(with, "unreachable")
	if log := with.Log.String(); strings.Contains(log, "planted-trunk-password") {
		t.Errorf("the log holds the trunk's password:\n%s", log)
	}
	carrier := object{"name": "Carrier", "address": "127.0.0.1:9"}
	ask(t, without, http.MethodPost, "/api/v1/sip-trunks", carrier, nil)
	dialled(without, "unreachable")

	// A worker beside the server asks the media server to dial, which has nothing to dial with: the gateway is the server's.
	s, env := apart(t)
	env["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	worker(t, env)
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", carrier, nil)
	id := dialled(s, "unreachable")
	if items := errorsOf(t, s, id); len(items) != 1 || !strings.Contains(items[0].Message, "no SIP service") {
		t.Errorf("error log: %+v", items)
	}
}

// What the telephone network says of a number is how the call ends. Webhook, timeline and error log tell it; no number is
// dialled twice, and the log names none.
func TestNumbersThatAreNotReached(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	s := serve(t, filepath.Join(t.TempDir(), "data"), trunk(network.address, "PARLEY_RING_TIMEOUT", "3s"))
	r := receive(t)
	hook, err := s.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: r.URL})
	if err != nil {
		t.Fatal(err)
	}
	r.use(hook.Secret)
	met := []string{"CANCEL·000"}
	calls := map[string]string{} // by number
	outcomes := []struct {
		number, reason string
		status         int // 0 for none
	}{
		{busyNumber, "busy", 486}, {declinedNumber, "declined", 603}, {unknownNumber, "invalid_number", 404},
		{awayNumber, "ring_timeout", 480}, {ringsNumber, "ring_timeout", 0}, {overloadNumber, "unreachable", 503},
	}
	for _, o := range outcomes {
		calls[o.number] = ring(t, s, o.number)
		met = append(met, "INVITE·"+o.number[len(o.number)-3:])
	}
	for _, o := range outcomes {
		id := calls[o.number]
		c := awaitEnd(t, s, id, deadline, client.Failed, o.reason)
		if c.StartedAt != nil || c.DurationSeconds != 0 {
			t.Errorf("%s: %+v", o.reason, c)
		}
		var moments []struct {
			Type, Status, Service, Level, Message string
			StatusReason                          string `json:"status_reason"`
			SIPStatus                             int    `json:"sip_status"`
		}
		ask(t, s, http.MethodGet, "/api/v1/calls/"+id+"/timeline", nil, &moments)
		last := moments[len(moments)-1]
		if last.Status != client.Failed || last.StatusReason != o.reason || last.SIPStatus != o.status {
			t.Errorf("%s: the timeline ends with %+v, want SIP status %d", o.reason, last, o.status)
		}
		told := false
		for _, m := range moments {
			told = told || m.Type == "error" && m.Service == "workflow" && m.Level == "error" && m.Message != "" && !strings.Contains(m.Message, o.number)
		}
		if !told {
			t.Errorf("%s: the error log does not say why: %+v", o.reason, moments)
		}
		data, _ := r.told(t, id, client.CallFailed)
		if data.SIPStatus == nil && o.status != 0 || data.SIPStatus != nil && *data.SIPStatus != o.status {
			t.Errorf("%s: the webhook tells SIP status %v, want %d", o.reason, data.SIPStatus, o.status)
		}
	}
	network.meets(t, "CANCEL", ringsNumber)
	got := network.lines(t)
	slices.Sort(met)
	slices.Sort(got)
	if !slices.Equal(got, met) {
		t.Errorf("the network met %q, want %q", got, met)
	}
	if strings.Contains(s.Log.String(), "49300000") {
		t.Errorf("the log names phone numbers:\n%s", s.Log.String())
	}
}

// Ringing ends with its call, whoever ends that. After a crash the number is not dialled again.
func TestRingingEnds(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	dir := filepath.Join(t.TempDir(), "data")
	first, err := start(dir, trunk(network.address))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(first.Kill)
	invited := func() (n int) {
		for _, line := range network.lines(t) {
			if strings.HasPrefix(line, "INVITE") {
				n++
			}
		}
		return n
	}
	rings := func() string {
		t.Helper()
		before := invited()
		id := ring(t, first, ringsNumber)
		if err := awaitStatus(t.Context(), first, id, client.Connecting); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(deadline); invited() == before; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("it does not ring: %q", network.lines(t))
			}
		}
		return id
	}
	asked := rings()
	if _, err := first.API.Calls.End(t.Context(), asked); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, first, asked, deadline, client.Failed, "ended_by_api")
	network.meets(t, "CANCEL", ringsNumber)

	lost := rings()
	first.Kill()
	second, err := start(dir, trunk(network.address))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Kill)
	awaitEnd(t, second, lost, deadline, client.Failed, "worker_lost")
	if n := invited(); n != 2 {
		t.Errorf("%d numbers were dialled for two calls", n)
	}

	first = second
	stopped := rings()
	terminate(t, second)
	time.Sleep(time.Second)
	if c, err := second.API.Calls.Get(t.Context(), stopped); err != nil || c.Status != client.Connecting {
		t.Errorf("while the server drains: %+v, %v", c, err)
	}
	terminate(t, second)
	if code, err := second.Wait(t.Context()); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s", code, err, second.Log.String())
	}
	cancelled := 0
	for end := time.Now().Add(deadline); cancelled < 2; time.Sleep(20 * time.Millisecond) {
		cancelled = 0
		for _, line := range network.lines(t) {
			if strings.HasPrefix(line, "CANCEL") {
				cancelled++
			}
		}
		if time.Now().After(end) {
			t.Fatalf("the telephone rings on: %q", network.lines(t))
		}
	}
	third := serve(t, dir, nil)
	awaitEnd(t, third, stopped, time.Second, client.Failed, "server_shutdown")
}

// A phone call is spoken like any other: who picks up is greeted, understood and answered, and the agent hangs up; or who
// picked up does.
func TestPhoneCall(t *testing.T) {
	t.Parallel()
	lines <- struct{}{}
	defer func() { <-lines }()
	const question, farewell = "what are your opening hours", "thank you very much goodbye"
	// Offline recognition over a telephone line may miss a line; whoever is not answered says it again.
	phone := newHandset(t, spoken{6 * time.Second, question}, spoken{10 * time.Second, question}, spoken{10 * time.Second, farewell},
		spoken{7 * time.Second, farewell}, spoken{7 * time.Second, farewell})
	s := serve(t, filepath.Join(t.TempDir(), "data"), trunk(phone.address))
	id := ring(t, s, handsetNumber)
	if err := awaitStatus(t.Context(), s, id, client.Active); err != nil {
		t.Fatal(err)
	}
	c := awaitEnd(t, s, id, callTimeout, client.Completed, "agent_ended")
	if c.Direction != "outbound" || c.CallType != "sip" || c.StartedAt == nil || c.DurationSeconds < 10 {
		t.Errorf("ended as %+v", c)
	}
	said, err := s.API.Calls.Transcript(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	understood, answered := false, false
	for _, e := range said {
		text := strings.ToLower(strings.Trim(e.Content, ".?! "))
		understood = understood || e.Role == "user" && text == question
		answered = answered || e.Role == "assistant" && strings.Contains(text, "eleven in the morning")
	}
	if !understood || !answered {
		t.Errorf("transcript %+v", said)
	}
	phone.hangsUp(t)
	if heard := phone.hears(t); heard < 4*time.Second {
		t.Errorf("the phone heard %v of speech", heard)
	}

	left := ring(t, s, handsetNumber)
	if err := awaitStatus(t.Context(), s, left, client.Active); err != nil {
		t.Fatal(err)
	}
	if err := phone.Stop(); err != nil { // which hangs up
		t.Error(err)
	}
	awaitEnd(t, s, left, deadline, client.Completed, "caller_hangup")
}

// An agent presses keys on the phone, for whoever waits for tones.
func TestKeysPressedOnThePhone(t *testing.T) {
	t.Parallel()
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {hours}}, answers: func(_ string, p dialogue.Prompt) emulator.Reply {
		if last := p.Messages[len(p.Messages)-1]; last.Role == dialogue.RoleTool {
			return emulator.Reply{Text: "I have pressed the keys."}
		}
		return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "press", Arguments: json.RawMessage(`{}`)}}}
	}})
	phone := newHandset(t, spoken{5 * time.Second, hours})
	settings := v.settings(keyOf)
	maps.Copy(settings, trunk(phone.address))
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "press", "config": object{"actions": []object{{"type": "send_dtmf", "digits": "12#"}}}}, nil)
	newAgent(t, s, "desk", choices["deepgram"], choices["openai"], choices["cartesia"])
	ask(t, s, http.MethodPut, "/api/v1/agents/desk", object{"config": object{"tools": []string{"press"}}}, nil)
	var dispatched struct {
		CallID string `json:"call_id"`
	}
	ask(t, s, http.MethodPost, "/api/v1/webhooks/ingest", object{"agent_slug": "desk", "phone_number": handsetNumber}, &dispatched)
	for _, key := range []string{"1", "2", "#"} {
		phone.shows(t, "'"+key+"'")
	}
	if _, err := s.API.Calls.End(t.Context(), dispatched.CallID); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, s, dispatched.CallID, deadline, client.Completed, "ended_by_api")
	phone.hangsUp(t)
	if items := errorsOf(t, s, dispatched.CallID); len(items) > 0 {
		t.Errorf("error log: %+v", items)
	}
}
