package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/livekit/livekit-server/pkg/config"
	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/livekit-server/pkg/telemetry/prometheus"

	"parley/e2e/binary"
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
// somebody has joined it; and a phone number is refused, for nobody would answer it.
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

	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/phone-numbers", strings.NewReader(`{"number": "+4930123456", "workflow_slug": "demo"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", s.Key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusConflict || !strings.Contains(string(text), "LIVEKIT_URL") {
		t.Errorf("a phone number with an outside LiveKit: %s %s, %v", answer.Status, text, err)
	}
}
