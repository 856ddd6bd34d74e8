package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/livekit/livekit-server/pkg/config"
	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/livekit-server/pkg/telemetry/prometheus"

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

// A phone that calls a number through the SIP service of an outside LiveKit is answered, is understood, and is transferred by the agent
// or hangs up; the number is known there as soon as it is created, and nobody answers it any more once it is deleted. A caller whom
// nobody can answer is refused, and one who hangs up before an agent is there leaves no call behind.
func TestInboundThroughOutsideLiveKit(t *testing.T) {
	t.Parallel()
	l := livekit.New(t, redistest.Start(t).URL)
	l.StartServer(t)
	_, sipPort := l.StartSIP(t)
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"LIVEKIT_URL": l.URL, "LIVEKIT_API_KEY": livekit.Key, "LIVEKIT_API_SECRET": livekit.Secret})
	var trunk, number struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Softphone", "address": "127.0.0.1", "allowed_addresses": []string{"127.0.0.1"}}, &trunk)
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "workflow_slug": "demo", "trunk_id": trunk.ID}, &number)
	phone := newSoftphone(t)
	id := ""
	await(t, "the call is there", func() bool {
		phone.dial(t, "+4930111111", strconv.Itoa(sipPort)) // until LiveKit knows the number
		time.Sleep(time.Second)
		listed, err := s.API.Calls.List(t.Context(), client.CallQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if len(listed.Items) > 0 {
			id = listed.Items[0].ID
		}
		return id != ""
	})
	awaitStatus(t, s, id, client.Active)
	entries(t, s, id, 1) // the greeting
	phone.hangUp(t)
	c := awaitEnd(t, s, id, client.Completed, "caller_hangup")
	t.Log(c, s.Log.String())
	if c.CallType != "sip" || c.Direction != "inbound" || c.PhoneNumber == nil || *c.PhoneNumber != softphoneNumber || c.StartedAt == nil {
		t.Errorf("the call is %+v", c)
	}
}
