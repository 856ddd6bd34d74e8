package e2e

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/livekit/livekit-server/pkg/config"
	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/livekit-server/pkg/telemetry/prometheus"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/database/databasetest"
	"parley/internal/media"
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

// softphoneTrunk creates a trunk at an address that accepts this machine's calls, and returns its id. The tenant dials through it.
func softphoneTrunk(t *testing.T, s *binary.Server, address string) (id string) {
	t.Helper()
	var trunk struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Softphone", "address": address, "allowed_addresses": []string{"127.0.0.1"}}, &trunk)
	return trunk.ID
}

// callIn has a phone call a number at a gateway, and returns the id of the call.
func callIn(t *testing.T, s *binary.Server, phone *softphone, number, sipPort string) (id string) {
	t.Helper()
	before, err := s.API.Calls.List(t.Context(), client.CallQuery{})
	if err != nil {
		t.Fatal(err)
	}
	phone.dial(t, number, sipPort)
	await(t, "the call is there", func() bool {
		listed, err := s.API.Calls.List(t.Context(), client.CallQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if len(listed.Items) > len(before.Items) {
			id = listed.Items[0].ID
		}
		return id != ""
	})
	return id
}

// With an outside LiveKit, phone calls come in and go out through Parley's gateway as with the embedded one.
func TestPhonesWithOutsideLiveKit(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	env := trunk(network.address, "LIVEKIT_URL", outside(t), "LIVEKIT_API_KEY", outsideKey, "LIVEKIT_API_SECRET", outsideSecret)
	maps.Copy(env, ports)
	s := serve(t, filepath.Join(t.TempDir(), "data"), env)
	awaitEnd(t, s, ring(t, s, busyNumber), client.Failed, "busy")
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "workflow_slug": "demo", "trunk_id": softphoneTrunk(t, s, network.address)}, nil)
	phone := newSoftphone(t)
	phone.dial(t, "+4930000000", ports["PARLEY_SIP_PORT"])
	phone.awaitOutput(t, "404")
	id := callIn(t, s, phone, "+4930111111", ports["PARLEY_SIP_PORT"])
	awaitStatus(t, s, id, client.Active)
	entries(t, s, id, 1) // the greeting
	phone.hangUp(t)
	c := awaitEnd(t, s, id, client.Completed, "caller_hangup")
	if c.CallType != "sip" || c.Direction != "inbound" || c.PhoneNumber == nil || *c.PhoneNumber != softphoneNumber || c.StartedAt == nil {
		t.Errorf("the call is %+v", c)
	}
	phone.awaitEnd(t)
	if heard := phone.received(t); heard < time.Second {
		t.Errorf("the phone received %v of speech", heard)
	}
	ringing := ring(t, s, ringsNumber)
	network.awaitRequest(t, "INVITE", ringsNumber)
	if _, err := s.API.Calls.End(t.Context(), ringing); err != nil {
		t.Fatal(err)
	}
	network.awaitRequest(t, "CANCEL", ringsNumber)
	if strings.Contains(s.Log.String(), softphoneNumber[1:]) {
		t.Errorf("the log holds the caller's number:\n%s", s.Log.String())
	}
}

// A caller who hangs up before an agent is there leaves no call behind that waits.
func TestInboundHangUpWithoutAgent(t *testing.T) {
	t.Parallel()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"LIVEKIT_URL": outside(t), "LIVEKIT_API_KEY": outsideKey, "LIVEKIT_API_SECRET": outsideSecret}
	maps.Copy(env, ports)
	s := serve(t, filepath.Join(t.TempDir(), "data"), env, "--without=worker")
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "workflow_slug": "demo", "trunk_id": softphoneTrunk(t, s, "127.0.0.1")}, nil)
	phone := newSoftphone(t)
	id := callIn(t, s, phone, "+4930111111", ports["PARLEY_SIP_PORT"])
	phone.hangUp(t)
	awaitEnd(t, s, id, client.Failed, "caller_hangup")
}

// Two servers with a gateway each and a worker without one, at an outside LiveKit: calls come in at either gateway. The worker has
// numbers dialled by one of them. A gateway that drains rejects further calls, and ends when its last phone has hung up.
func TestGatewaysOfSeveralServers(t *testing.T) {
	t.Parallel()
	network := newCarrier(t)
	env := trunk(network.address, "DATABASE_URL", databasetest.PostgresURL(t), "JWT_SECRET", strings.Repeat("j", 32), "ENCRYPTION_KEY", strings.Repeat("k", 32), "PARLEY_DEMO", "true",
		"LIVEKIT_URL", outside(t), "LIVEKIT_API_KEY", outsideKey, "LIVEKIT_API_SECRET", outsideSecret)
	var gateways []*binary.Server
	var sipPorts []string
	for range 2 {
		ports, err := binary.FreePorts()
		if err != nil {
			t.Fatal(err)
		}
		settings := maps.Clone(env)
		maps.Copy(settings, ports)
		gateways, sipPorts = append(gateways, serve(t, filepath.Join(t.TempDir(), "data"), settings, "--without=worker")), append(sipPorts, ports["PARLEY_SIP_PORT"])
	}
	s := gateways[0]
	w := worker(t, env)
	awaitEnd(t, s, ring(t, s, busyNumber), client.Failed, "busy")
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "workflow_slug": "demo", "trunk_id": softphoneTrunk(t, s, network.address)}, nil)
	var phones []*softphone
	var calls []string
	for _, port := range sipPorts {
		phone := newSoftphone(t)
		id := callIn(t, s, phone, "+4930111111", port)
		awaitStatus(t, s, id, client.Active)
		entries(t, s, id, 1) // the greeting
		phones, calls = append(phones, phone), append(calls, id)
	}

	ended := make(chan error, 1)
	go func() { ended <- gateways[1].Stop() }()
	await(t, "the second server drains", func() bool { return strings.Contains(gateways[1].Log.String(), "draining") })
	late := newSoftphone(t)
	late.dial(t, "+4930111111", sipPorts[1])
	late.awaitOutput(t, "session closed: 503")
	for _, id := range calls {
		awaitStatus(t, s, id, client.Active)
	}
	select {
	case err := <-ended:
		t.Errorf("the gateway ended while a phone was on the line: %v", err)
	default:
	}
	phones[1].hangUp(t)
	awaitEnd(t, s, calls[1], client.Completed, "caller_hangup")
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := s.API.Calls.End(t.Context(), calls[0]); err != nil {
		t.Fatal(err)
	}
	phones[0].awaitEnd(t)
	awaitEnd(t, s, ring(t, s, busyNumber), client.Failed, "busy") // by the gateway that is left
	ringing := ring(t, s, ringsNumber)
	network.awaitRequest(t, "INVITE", ringsNumber)
	if _, err := s.API.Calls.End(t.Context(), ringing); err != nil {
		t.Fatal(err)
	}
	network.awaitRequest(t, "CANCEL", ringsNumber)
	if strings.Contains(w.Log.String()+s.Log.String(), softphoneNumber[1:]) {
		t.Errorf("a log holds the caller's number")
	}
}
