package attack

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"

	"parley/e2e/binary"
)

// floodSignalling joins with a token and sends a message of n bytes, in one frame or in fragments of 64 KiB, as far as the
// server reads it. It returns the code with which the connection is closed.
func floodSignalling(t *testing.T, s *binary.Server, token string, n int, fragments bool) uint16 {
	t.Helper()
	w, answer := openSocket(t, s, token)
	if answer.StatusCode != http.StatusSwitchingProtocols {
		t.Errorf("the join is answered %s", answer.Status)
		return 0
	}
	const part = 64 << 10
	var sending sync.WaitGroup
	sending.Go(func() {
		zeros, first := make([]byte, part), byte(0x02)
		if !fragments {
			if _, err := w.Write(frameStart(0x82, uint64(n))); err != nil {
				return
			}
		}
		for sent := 0; sent < n; sent += part {
			if fragments {
				if _, err := w.Write(frameStart(first, part)); err != nil {
					return
				}
				first = 0
			}
			if _, err := w.Write(zeros); err != nil {
				return
			}
		}
	})
	code := w.closeCode(t)
	_ = w.Close()
	sending.Wait()
	return code
}

// A message without end uses no memory, in one frame or in many, and its sender learns why it is disconnected.
func TestSignallingWithoutEnd(t *testing.T) {
	s := start(t, nil)
	for _, fragments := range []bool{false, true} {
		token := dispatch(t, s).Token
		most := watchMemory(t, s, func() {
			if code := floodSignalling(t, s, token, 400<<20, fragments); code != 1009 {
				t.Errorf("in fragments %t: closed with %d, want 1009", fragments, code)
			}
		})
		t.Logf("in fragments %t: %d MB", fragments, most>>20)
		if most > 40<<20 {
			t.Errorf("in fragments %t: %d MB more", fragments, most>>20)
		}
	}
}

// Frames that RFC 6455 forbids end the connection, and compression is not negotiated: a few kilobytes could become gigabytes.
func TestForbiddenFrames(t *testing.T) {
	s := start(t, nil)
	token := dispatch(t, s).Token
	for name, c := range map[string]struct {
		sent []byte
		code uint16
	}{
		"compressed":        {frame(0xc2, []byte("x")), 1002},
		"not masked":        {[]byte{0x82, 0}, 1002},
		"long ping":         {frame(0x89, make([]byte, 126)), 1002},
		"fragmented ping":   {frame(0x09, nil), 1002},
		"undefined opcode":  {frame(0x83, nil), 1002},
		"continued nothing": {frame(0x80, nil), 1002},
		"no request":        {frame(0x82, []byte{0xff}), 1007},
		"a length of 2^63":  {frameStart(0x82, 1<<63), 1009},
	} {
		w, answer := openSocket(t, s, token, "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover")
		if answer.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("%s: the join is answered %s", name, answer.Status)
		}
		if extensions := answer.Header.Get("Sec-WebSocket-Extensions"); extensions != "" {
			t.Errorf("%s: negotiated %q", name, extensions)
		}
		_, _ = w.Write(c.sent)
		if code := w.closeCode(t); code != c.code {
			t.Errorf("%s: closed with %d, want %d", name, code, c.code)
		}
		_ = w.Close()
	}
}

// flood sends a frame over and over again until the returned function is called.
func (w *socket) flood(frame []byte) (stop func()) {
	var sending sync.WaitGroup
	many := []byte(strings.Repeat(string(frame), 1+(32<<10)/len(frame)))
	sending.Go(func() {
		for {
			if _, err := w.Write(many); err != nil {
				return
			}
		}
	})
	return func() {
		_ = w.Close()
		sending.Wait()
	}
}

// encoded is a request of LiveKit's signalling in a frame.
func encoded(t *testing.T, r *livekit.SignalRequest) []byte {
	t.Helper()
	data, err := proto.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return frame(0x82, data)
}

// floodRequests joins n calls, and sends each as many of a request as the server reads, for d; answers are read or not.
func floodRequests(t *testing.T, s *binary.Server, n int, request []byte, reads bool, d time.Duration) {
	t.Helper()
	var stops []func()
	for range n {
		w := enterCall(t, s)
		stops = append(stops, w.flood(request))
		if reads {
			go w.closeCode(t)
		}
	}
	time.Sleep(d)
	for _, stop := range stops {
		stop()
	}
}

// signallingFloods are requests and control frames, each of which costs something when it is sent without end.
func signallingFloods(t *testing.T) map[string][]byte {
	t.Helper()
	names := make([]string, 100)
	for i := range names {
		names[i] = "TR_" + strconv.Itoa(i)
	}
	candidate := `{"candidate":"candidate:1 1 udp 2130706431 192.0.2.1 9 typ host"}`
	return map[string][]byte{
		"ping frames": frame(0x89, []byte("x")),
		"fragments":   append(frame(0x02, nil), frame(0, nil)...),
		"pings":       encoded(t, &livekit.SignalRequest{Message: &livekit.SignalRequest_PingReq{PingReq: &livekit.Ping{Timestamp: 1}}}),
		"offers":      encoded(t, &livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: &livekit.SessionDescription{Type: "offer", Sdp: "v=0\r\n" + strings.Repeat("m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n", 60)}}}),
		"candidates":  encoded(t, &livekit.SignalRequest{Message: &livekit.SignalRequest_Trickle{Trickle: &livekit.TrickleRequest{CandidateInit: candidate}}}),
		"subscriptions": encoded(t, &livekit.SignalRequest{Message: &livekit.SignalRequest_Subscription{Subscription: &livekit.UpdateSubscription{
			Subscribe: true, TrackSids: names}}}),
		"settings": encoded(t, &livekit.SignalRequest{Message: &livekit.SignalRequest_TrackSetting{TrackSetting: &livekit.UpdateTrackSettings{TrackSids: names}}}),
		"attributes": encoded(t, &livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateMetadata{UpdateMetadata: &livekit.UpdateParticipantMetadata{
			Metadata: strings.Repeat("x", 100_000), Attributes: map[string]string{"a": strings.Repeat("x", 50_000)}}}}),
		"tracks": encoded(t, &livekit.SignalRequest{Message: &livekit.SignalRequest_AddTrack{AddTrack: &livekit.AddTrackRequest{
			Cid: "c", Name: strings.Repeat("x", 3_000), Source: livekit.TrackSource_MICROPHONE}}}),
		"simulations": encoded(t, &livekit.SignalRequest{Message: &livekit.SignalRequest_Simulate{Simulate: &livekit.SimulateScenario{
			Scenario: &livekit.SimulateScenario_SpeakerUpdate{SpeakerUpdate: 1_000_000}}}}),
	}
}

// Requests and control frames without end, from clients that read the answers and from those that do not, use little memory.
func TestFloodsOfRequests(t *testing.T) {
	s := start(t, nil, "--without=worker")
	for name, request := range signallingFloods(t) {
		for _, reads := range []bool{true, false} {
			before, busy, took := goroutines(t, s), processorTime(t, s), time.Duration(size(2, 10))*time.Second
			most := watchMemory(t, s, func() { floodRequests(t, s, size(3, 20), request, reads, took) })
			t.Logf("%s, answers read %t: %d MB, %v of a processor in %v", name, reads, most>>20, processorTime(t, s)-busy, took)
			if most > 60<<20 {
				t.Errorf("%s, answers read %t: %d MB more", name, reads, most>>20)
			}
			if more := goroutines(t, s) - before; more > 500 {
				t.Errorf("%s, answers read %t: %d goroutines more", name, reads, more)
			}
		}
	}
}

// A call that is joined over and over again is refused for a while.
func TestJoinsOverAndOver(t *testing.T) {
	s := start(t, nil, "--without=worker")
	token := dispatch(t, s).Token
	for n := range 200 {
		w, answer := openSocket(t, s, token)
		_ = w.Close()
		if answer.StatusCode == http.StatusTooManyRequests && answer.Header.Get("Retry-After") != "" {
			if n < 20 {
				t.Errorf("join %d is refused", n)
			}
			return
		}
	}
	t.Error("200 joins are accepted")
}
