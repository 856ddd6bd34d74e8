package e2e

import (
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	lksdk "github.com/livekit/server-sdk-go/v2"

	"parley/client"
	"parley/e2e/binary"
)

// A dispatch's settings apply to its call only: trunk, caller id and how long the phone rings.
func TestSettingsOfAPhoneCall(t *testing.T) {
	t.Parallel()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, filepath.Join(t.TempDir(), "data"), ports)
	port, err := strconv.Atoi(ports["PARLEY_SIP_PORT"])
	if err != nil {
		t.Fatal(err)
	}
	carrier := func() (carrierSocket, string) {
		socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { socket.Close() })
		return carrierSocket{socket, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}}, socket.LocalAddr().String()
	}
	_, standard := carrier()
	second, at := carrier()
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "standard", "address": standard, "is_default": true, "caller_id": "+4930111111"}, nil)
	var trunk struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "second", "address": at, "caller_id": "+4930222222"}, &trunk)

	started, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo", CallType: "sip", PhoneNumber: "+4930123456",
		CallSettings: client.CallSettings{TrunkID: trunk.ID, CallerID: "+4930333333", RingTimeoutSeconds: 5}})
	if err != nil {
		t.Fatal(err)
	}
	invite := second.await(t, "INVITE sip:+4930123456@"+at)
	if from := header(invite, "From"); !strings.Contains(from, "+4930333333") {
		t.Errorf("the caller id is in %s", from)
	}
	second.send(t, "SIP/2.0 180 Ringing", header(invite, "Via"), header(invite, "From"), header(invite, "To")+";tag=2", header(invite, "Call-ID"), header(invite, "CSeq"), "Content-Length: 0", "", "")
	began := time.Now()
	cancel := second.await(t, "CANCEL")
	if rang := time.Since(began); rang > 30*time.Second { // the server's is 45 s
		t.Errorf("the phone rang for %v", rang)
	}
	second.send(t, "SIP/2.0 200 OK", header(cancel, "Via"), header(cancel, "From"), header(cancel, "To")+";tag=2", header(cancel, "Call-ID"), header(cancel, "CSeq"), "Content-Length: 0", "", "")
	second.send(t, "SIP/2.0 487 Request Terminated", header(invite, "Via"), header(invite, "From"), header(invite, "To")+";tag=2", header(invite, "Call-ID"), header(invite, "CSeq"), "Content-Length: 0", "", "")
	awaitEnd(t, s, started.CallID, client.Failed, "ring_timeout")
}

// Greeting, duration, silence and recording of one call.
func TestSettingsOfAWebCall(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	begin := func(settings client.CallSettings) *client.Dispatch {
		d, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo", UserContext: map[string]any{"name": "Ann"}, CallSettings: settings})
		if err != nil {
			t.Fatal(err)
		}
		joinSilently(t, d.URL, d.Token)
		return d
	}
	recorded := true
	short := begin(client.CallSettings{Greeting: "Hello {{user.name}}, on {{today}}.", MaxDurationSeconds: 10, Recording: &recorded})
	quiet := begin(client.CallSettings{GreetingMode: "wait", SilenceTimeoutSeconds: 5})
	awaitEnd(t, s, quiet.CallID, client.Timeout, "silence")
	if said, err := s.API.Calls.Transcript(t.Context(), quiet.CallID); err != nil || len(said) != 0 {
		t.Errorf("an agent that waits said %+v, %v", said, err)
	}
	awaitEnd(t, s, short.CallID, client.Timeout, "max_duration")
	if said := entries(t, s, short.CallID, 1); !strings.HasPrefix(said[0].Content, "Hello Ann, on 20") {
		t.Errorf("the greeting is %q", said[0].Content)
	}
	fetch(t, s.URL+"/api/v1/calls/"+short.CallID+"/recording", s.Key, "", http.StatusOK)
	fetch(t, s.URL+"/api/v1/calls/"+quiet.CallID+"/recording", s.Key, "", http.StatusNotFound)
}

// The conversation with a caller who only writes does not wait for a microphone.
func TestCallerWithoutMicrophone(t *testing.T) {
	t.Parallel()
	s := shared(t)
	none, unknown := false, (*bool)(nil)
	waited := func(microphone *bool) time.Duration {
		d, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo", CallSettings: client.CallSettings{Microphone: microphone}})
		if err != nil {
			t.Fatal(err)
		}
		room, err := lksdk.ConnectToRoomWithToken(d.URL, d.Token, lksdk.NewRoomCallback())
		if err != nil {
			t.Fatal(err)
		}
		defer room.Disconnect()
		joined := time.Now()
		awaitStatus(t, s, d.CallID, client.Active)
		c, err := s.API.Calls.Get(t.Context(), d.CallID)
		if err != nil {
			t.Fatal(err)
		}
		return c.StartedAt.Sub(joined)
	}
	longer, shorter := waited(unknown), waited(&none)
	if longer < 2*time.Second || shorter > longer-time.Second {
		t.Errorf("the conversation began %v after a caller without a microphone had joined, and %v after one who might have one", shorter, longer)
	}
}
