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

// closedTrunk is a tenant's trunk at whose address nobody listens.
var closedTrunk = object{"name": "Carrier", "address": "127.0.0.1:9"}

// A call to a phone number fails for a true reason when it cannot be placed: no trunk to dial through, or, with one of the
// tenant or of the platform, no gateway in this server.
func TestPhoneCallsThatCannotBePlaced(t *testing.T) {
	t.Parallel()
	without := serve(t, filepath.Join(t.TempDir(), "data"), nil, "--without=sip")
	with := serve(t, filepath.Join(t.TempDir(), "data"), trunk("127.0.0.1:9", "PARLEY_SIP_TRUNK_PASSWORD", "planted-trunk-password"), "--without=sip")
	dialled := func(s *binary.Server, reason string) {
		t.Helper()
		d, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo", CallType: "sip", PhoneNumber: busyNumber})
		if err != nil {
			t.Fatal(err)
		}
		if warned := strings.Contains(fmt.Sprint(d.Warnings), "SIP trunk"); warned != (reason == "no_trunk") {
			t.Errorf("%s: warnings %q", reason, d.Warnings)
		}
		if c := awaitEnd(t, s, d.CallID, client.Failed, reason); c.Direction != "outbound" || c.StartedAt != nil {
			t.Errorf("ended as %+v", c)
		}
	}
	dialled(without, "no_trunk")
	dialled(with, "unreachable")
	if log := with.Log.String(); strings.Contains(log, "planted-trunk-password") {
		t.Errorf("the log holds the trunk's password:\n%s", log)
	}
	ask(t, without, http.MethodPost, "/api/v1/sip-trunks", closedTrunk, nil)
	dialled(without, "unreachable")
}

// A call ends with the reason of the telephone network's response. It is in webhook, timeline and error log; no number is
// dialled twice, and the log has none.
func TestNumbersThatAreNotReached(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	s := serve(t, filepath.Join(t.TempDir(), "data"), trunk(network.address, "PARLEY_RING_TIMEOUT", "10s"))
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
		c := awaitEnd(t, s, id, client.Failed, o.reason)
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
		logged := false
		for _, m := range moments {
			logged = logged || m.Type == "error" && m.Service == "workflow" && m.Level == "error" && m.Message != "" && !strings.Contains(m.Message, o.number)
		}
		if !logged {
			t.Errorf("%s: the error log does not say why: %+v", o.reason, moments)
		}
		data := r.delivered(t, id, client.CallFailed)
		if data.SIPStatus == nil && o.status != 0 || data.SIPStatus != nil && *data.SIPStatus != o.status {
			t.Errorf("%s: the webhook has SIP status %v, want %d", o.reason, data.SIPStatus, o.status)
		}
	}
	network.awaitRequest(t, "CANCEL", ringsNumber)
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

// Ringing ends with its call, however that ends. After a crash the number is not dialled again.
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
		awaitStatus(t, first, id, client.Connecting)
		await(t, "the number rings", func() bool { return invited() > before })
		return id
	}
	asked := rings()
	if _, err := first.API.Calls.End(t.Context(), asked); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, first, asked, client.Failed, "ended_by_api")
	network.awaitRequest(t, "CANCEL", ringsNumber)

	lost := rings()
	first.Kill()
	second, err := start(dir, trunk(network.address))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Kill)
	awaitEnd(t, second, lost, client.Failed, "worker_lost")
	if n := invited(); n != 2 {
		t.Errorf("%d numbers were dialled for two calls", n)
	}

	first = second
	stopped := rings()
	terminate(t, second)
	awaitDraining(t, second)
	if c, err := second.API.Calls.Get(t.Context(), stopped); err != nil || c.Status != client.Connecting {
		t.Errorf("while the server drains: %+v, %v", c, err)
	}
	terminate(t, second)
	if code, err := second.Wait(t.Context()); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s", code, err, second.Log.String())
	}
	await(t, "both calls are cancelled", func() bool {
		cancelled := 0
		for _, line := range network.lines(t) {
			if strings.HasPrefix(line, "CANCEL") {
				cancelled++
			}
		}
		return cancelled == 2
	})
	third := serve(t, dir, nil)
	awaitEnd(t, third, stopped, client.Failed, "server_shutdown")
}

// A phone call is spoken like any other: who picks up is greeted, understood and answered, and the agent hangs up; or who
// picked up does. An agent presses keys on the phone, for whoever waits for tones.
func TestPhoneCall(t *testing.T) {
	t.Parallel()
	defer acquireLine()()
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {hours}}, answers: func(_ string, p dialogue.Prompt) emulator.Reply {
		if last := p.Messages[len(p.Messages)-1]; last.Role == dialogue.RoleTool {
			return emulator.Reply{Text: "I have pressed the keys."}
		}
		return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "press", Arguments: json.RawMessage(`{}`)}}}
	}})
	phone := newSoftphone(t)
	settings := v.settings(keyOf)
	maps.Copy(settings, trunk(phone.address))
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	t.Run("conversation", func(t *testing.T) { testPhoneConversation(t, s, phone) })
	t.Run("keys", func(t *testing.T) { testKeysPressed(t, s, phone) })
	t.Run("hangs up", func(t *testing.T) {
		id := ring(t, s, softphoneNumber)
		awaitStatus(t, s, id, client.Active)
		if err := phone.Stop(); err != nil { // which hangs up
			t.Error(err)
		}
		awaitEnd(t, s, id, client.Completed, "caller_hangup")
	})
}

func testPhoneConversation(t *testing.T, s *binary.Server, phone *softphone) {
	id := ring(t, s, softphoneNumber)
	awaitStatus(t, s, id, client.Active)
	entries(t, s, id, 1) // the greeting
	said := func(role, text string) bool {
		transcript, err := s.API.Calls.Transcript(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(transcript, func(e client.TranscriptEntry) bool {
			return e.Role == role && strings.Contains(strings.ToLower(e.Content), text)
		})
	}
	phone.say(t, hours, func() bool { return said("user", hours) && said("assistant", "eleven in the morning") })
	phone.say(t, "thank you very much goodbye", func() bool {
		c, err := s.API.Calls.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return c.Terminal()
	})
	c := awaitEnd(t, s, id, client.Completed, "agent_ended")
	if c.Direction != "outbound" || c.CallType != "sip" || c.StartedAt == nil || c.DurationSeconds < 5 {
		t.Errorf("ended as %+v", c)
	}
	phone.awaitEnd(t)
	if heard := phone.received(t); heard < 4*time.Second {
		t.Errorf("the phone received %v of speech", heard)
	}
}

func testKeysPressed(t *testing.T, s *binary.Server, phone *softphone) {
	ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "press", "config": object{"actions": []object{{"type": "send_dtmf", "digits": "12#"}}}}, nil)
	newAgent(t, s, "desk", choices["deepgram"], choices["openai"], choices["cartesia"])
	ask(t, s, http.MethodPut, "/api/v1/agents/desk", object{"config": object{"tools": []string{"press"}}}, nil)
	var dispatched struct {
		CallID string `json:"call_id"`
	}
	ask(t, s, http.MethodPost, "/api/v1/webhooks/ingest", object{"agent_slug": "desk", "phone_number": softphoneNumber}, &dispatched)
	awaitStatus(t, s, dispatched.CallID, client.Active)
	entries(t, s, dispatched.CallID, 1)
	phone.say(t, hours, func() bool {
		out := phone.Out.String() + phone.Log.String()
		return strings.Contains(out, "'1'") && strings.Contains(out, "'2'") && strings.Contains(out, "'#'")
	})
	if _, err := s.API.Calls.End(t.Context(), dispatched.CallID); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, s, dispatched.CallID, client.Completed, "ended_by_api")
	phone.awaitEnd(t)
	if items := errorsOf(t, s, dispatched.CallID); len(items) > 0 {
		t.Errorf("error log: %+v", items)
	}
}
