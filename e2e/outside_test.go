package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/livekit/livekit-server/pkg/config"
	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/livekit-server/pkg/telemetry/prometheus"
	protocol "github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/livekit"
	"parley/internal/media"
	"parley/internal/redis/redistest"
)

// outsideKey is the API key of the outside LiveKit.
const outsideKey = "outside"

var outsideSecret = strings.Repeat("o", 32)

// outside starts a separate LiveKit with an operator's defaults: it creates rooms for any participant. It returns its URL.
func outside(t *testing.T) string {
	t.Helper()
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	udp, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	conf, err := config.NewConfig(fmt.Sprintf("{port: %d, bind_addresses: [127.0.0.1], keys: {%s: %s}, rtc: {node_ip: 127.0.0.1, udp_port: %d, use_external_ip: false, "+
		"enable_loopback_candidate: true, stun_servers: [\"127.0.0.1:1\"], interfaces: {includes: [lo]}, ips: {includes: [127.0.0.1/32]}}}", port, outsideKey, outsideSecret, udp), true, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	conf.RTC.TCPPort = 0
	node, err := routing.NewLocalNode(conf)
	if err != nil {
		t.Fatal(err)
	}
	if err := prometheus.Init(string(node.NodeID()), node.NodeType()); err != nil {
		t.Fatal(err)
	}
	s, err := service.InitializeServer(conf, node)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Start() }()
	await(t, "LiveKit runs", s.IsRunning)
	t.Cleanup(func() {
		s.Stop(true)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return fmt.Sprintf("ws://127.0.0.1:%d", port)
}

// With an outside LiveKit, which makes a room for whoever joins, the room of a call that is over is closed again as soon as
// somebody has joined it.
func TestOutsideLiveKit(t *testing.T) {
	t.Parallel()
	url := outside(t)
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"LIVEKIT_URL": url, "LIVEKIT_API_KEY": outsideKey, "LIVEKIT_API_SECRET": outsideSecret})
	rooms := media.NewRooms(url, outsideKey, outsideSecret)
	d, caller := silentWith(t, s, "demo")
	if d.URL != url {
		t.Errorf("callers are sent to %s", d.URL)
	}
	entries(t, s, d.CallID, 1)
	if _, err := s.API.Calls.End(t.Context(), d.CallID); err != nil {
		t.Fatal(err)
	}
	out := func(p *media.Participant) {
		t.Helper()
		await(t, "who is in the room of a call that is over is put out", func() bool {
			select {
			case e, open := <-p.Events():
				return !open || e.Kind == media.RoomClosed
			default:
				return false
			}
		})
	}
	out(caller)
	for range 2 {
		p, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token})
		if errors.Is(err, media.ErrNoRoom) {
			continue // put out on the way in
		}
		if err != nil {
			t.Fatal(err)
		}
		out(p)
	}
	await(t, "the room of "+d.CallID+" is gone", func() bool {
		there, err := rooms.List(t.Context(), d.RoomName)
		if err != nil {
			t.Fatal(err)
		}
		return len(there) == 0
	})
}

// behindLiveKit is a server whose phone calls come in through the SIP service of an outside LiveKit.
type behindLiveKit struct {
	*binary.Server
	liveKit string // URL
	sipPort string
	trunk   string // id of one that accepts this machine's calls
}

func serveBehindLiveKit(t *testing.T, roles ...string) behindLiveKit {
	t.Helper()
	l := livekit.New(t, redistest.Start(t).URL)
	l.StartServer(t)
	_, port := l.StartSIP(t)
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"LIVEKIT_URL": l.URL, "LIVEKIT_API_KEY": livekit.Key, "LIVEKIT_API_SECRET": livekit.Secret}, roles...)
	var trunk struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Softphone", "address": "127.0.0.1", "allowed_addresses": []string{"127.0.0.1"}}, &trunk)
	return behindLiveKit{s, l.URL, strconv.Itoa(port), trunk.ID}
}

// number creates a phone number, and returns its id.
func (b behindLiveKit) number(t *testing.T, number, field, name string) (id string) {
	t.Helper()
	var made struct{ ID string }
	ask(t, b.Server, http.MethodPost, "/api/v1/phone-numbers", object{"number": number, field: name, "trunk_id": b.trunk}, &made)
	return made.ID
}

// dial has a phone call a number until LiveKit knows it, and returns the id of the call.
func (b behindLiveKit) dial(t *testing.T, phone *softphone, number string) (id string) {
	t.Helper()
	before, err := b.API.Calls.List(t.Context(), client.CallQuery{})
	if err != nil {
		t.Fatal(err)
	}
	again := time.Now()
	await(t, "the call is there", func() bool {
		listed, err := b.API.Calls.List(t.Context(), client.CallQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if len(listed.Items) > len(before.Items) {
			id = listed.Items[0].ID
			return true
		}
		if time.Now().After(again) {
			phone.dial(t, number, b.sipPort)
			again = time.Now().Add(2 * time.Second)
		}
		return false
	})
	return id
}

// A phone that calls a number through the SIP service of an outside LiveKit is answered and hangs up; another is transferred by the
// agent. A number is known there once it is created, and no more once it is deleted; a caller whom nobody can answer is refused.
func TestInboundThroughOutsideLiveKit(t *testing.T) {
	t.Parallel()
	s := serveBehindLiveKit(t)
	ask(t, s.Server, http.MethodPost, "/api/v1/tools", json.RawMessage(`{"name": "connect", "config": {"actions": [{"type": "transfer_call", "phone_number": "+4940555666"}]}}`), nil)
	ask(t, s.Server, http.MethodPost, "/api/v1/agents", json.RawMessage(`{"name": "desk", "config": {"stt": {"provider": "offline", "model": "pocketsphinx"}, "tts": {"provider": "offline", "voice_id": "slt"},
		"llm": {"provider": "offline", "model": "scripted"}, "tools": ["connect"], "prompt": {"greeting": "Hello.", "system": "- hours => [connect]"}}}`), nil)
	demo := s.number(t, "+4930111111", "workflow_slug", "demo")
	s.number(t, "+4930222222", "agent_name", "desk")

	phone := newSoftphone(t)
	id := s.dial(t, phone, "+4930111111")
	awaitStatus(t, s.Server, id, client.Active)
	entries(t, s.Server, id, 1) // the greeting
	phone.hangUp(t)
	c := awaitEnd(t, s.Server, id, client.Completed, "caller_hangup")
	if c.CallType != "sip" || c.Direction != "inbound" || c.PhoneNumber == nil || *c.PhoneNumber != softphoneNumber || c.StartedAt == nil {
		t.Errorf("the call is %+v", c)
	}
	phone.awaitEnd(t)
	if heard := phone.received(t); heard < time.Second {
		t.Errorf("the phone received %v of speech", heard)
	}

	caller := newSoftphone(t)
	id = s.dial(t, caller, "+4930222222")
	awaitStatus(t, s.Server, id, client.Active)
	entries(t, s.Server, id, 1)
	caller.say(t, "What are your opening hours?", func() bool {
		return strings.Contains(caller.Out.String()+caller.Log.String(), "to 'tel:+4940555666'")
	})
	// This phone dials no such address. LiveKit knows why unless the phone's refusal overtook its consent to try.
	await(t, "the refusal of the transfer is in the call's errors", func() bool {
		return slices.ContainsFunc(errorsOf(t, s.Server, id), func(e errorItem) bool { return strings.Contains(e.Message, "could not be transferred") })
	})
	if _, err := s.API.Calls.End(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	caller.awaitEnd(t)

	ask(t, s.Server, http.MethodPost, "/api/v1/agents/desk/deactivate", nil, nil)
	refused := newSoftphone(t)
	refused.dial(t, "+4930222222", s.sipPort)
	refused.awaitOutput(t, "session closed: 486")

	liveKit := lksdk.NewSIPClient(s.liveKit, livekit.Key, livekit.Secret)
	numbers := func() (n int) {
		trunks, err := liveKit.ListSIPInboundTrunk(t.Context(), &protocol.ListSIPInboundTrunkRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return len(trunks.Items)
	}
	if n := numbers(); n != 2 {
		t.Errorf("LiveKit has %d numbers, want 2", n)
	}
	ask(t, s.Server, http.MethodDelete, "/api/v1/phone-numbers/"+demo, nil, nil)
	await(t, "LiveKit does not know the deleted number", func() bool { return numbers() == 1 })
	if strings.Contains(s.Log.String(), softphoneNumber[1:]) {
		t.Errorf("the log holds the caller's number:\n%s", s.Log.String())
	}
}

// A caller who hangs up before an agent is there leaves no call behind that waits.
func TestInboundHangUpWithoutAgent(t *testing.T) {
	t.Parallel()
	s := serveBehindLiveKit(t, "--without=worker")
	s.number(t, "+4930111111", "workflow_slug", "demo")
	phone := newSoftphone(t)
	id := s.dial(t, phone, "+4930111111")
	phone.hangUp(t)
	awaitEnd(t, s.Server, id, client.Failed, "caller_hangup")
}
