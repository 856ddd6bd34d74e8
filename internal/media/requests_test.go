package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"

	"parley/internal/fault"
)

// fragment returns a client's frame, masked.
func fragment(first byte, payload []byte) []byte {
	frame := clientFrame(first, payload)
	start := len(frame) - len(payload)
	key := frame[start-maskLength : start]
	copy(key, "mask")
	unmask(frame[start:], key)
	return frame
}

func encode(t *testing.T, m proto.Message) []byte {
	t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func offer(sdp string) *livekit.SignalRequest {
	return &livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: &livekit.SessionDescription{Type: "offer", Sdp: sdp}}}
}

var ping = &livekit.SignalRequest{Message: &livekit.SignalRequest_PingReq{PingReq: &livekit.Ping{Timestamp: 1}}}

// signalling is a client's signalling, and the server's end of it.
func signalling(filter ResponseFilter) (*signalConn, net.Conn) {
	near, far := net.Pipe()
	return newSignalConn(near, filter, newRequestLimits()), far
}

// closed returns the close frame that a client receives last.
func closed(t *testing.T, c *signalConn) (code uint16, reason string) {
	t.Helper()
	in := bufio.NewReader(c)
	for {
		header, length, err := readFrameHeader(in)
		if err != nil {
			t.Fatalf("no close frame: %v", err)
		}
		payload := make([]byte, length)
		if _, err := io.ReadFull(in, payload); err != nil {
			t.Fatal(err)
		}
		if header[0] == finalFrame|opClose {
			if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
				t.Errorf("after the close frame: %d bytes, %v", len(rest), err)
			}
			return binary.BigEndian.Uint16(payload), string(payload[2:])
		}
	}
}

// Messages arrive whole, and the control frames within them before.
func TestRequestsAreForwardedWhole(t *testing.T) {
	t.Parallel()
	c, server := signalling(nil)
	defer c.Close()
	message := encode(t, offer(strings.Repeat("x", 100_000)))
	go func() {
		for _, frame := range [][]byte{
			fragment(finalFrame|opPing, []byte("1")), fragment(opBinary, message[:10]), fragment(opContinuation, nil), fragment(finalFrame|opPing, []byte("2")),
			fragment(finalFrame|opContinuation, message[10:]), fragment(finalFrame|opText, []byte(`{"ping":"5","unknown":1}`)), fragment(finalFrame|opClose, nil),
		} {
			for _, b := range [][]byte{frame[:1], frame[1:]} {
				if _, err := c.Write(b); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	want := bytes.Join([][]byte{
		fragment(finalFrame|opPing, []byte("1")), fragment(finalFrame|opPing, []byte("2")), clientFrame(finalBinary, message),
		clientFrame(finalFrame|opText, []byte(`{"ping":"5","unknown":1}`)), fragment(finalFrame|opClose, nil),
	}, nil)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(server, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v; the server received other frames", err)
	}
}

// What a client sends before it closes its connection, as when it leaves, still reaches the server.
func TestLastRequestIsForwarded(t *testing.T) {
	t.Parallel()
	leave := fragment(finalBinary, encode(t, &livekit.SignalRequest{Message: &livekit.SignalRequest_Leave{Leave: &livekit.LeaveRequest{}}}))
	for range 100 {
		near, far := net.Pipe()
		c := newSignalConn(&delayedCloseConn{near}, nil, newRequestLimits())
		if _, err := c.Write(leave); err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		if _, err := io.ReadFull(far, make([]byte, len(leave))); err != nil {
			t.Fatal(err)
		}
	}
}

// What a client must not send ends its connection with a code and a reason, and does not reach the server.
func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	many := make([]string, maxNamed+1)
	whole := func(m *livekit.SignalRequest) []byte { return fragment(finalBinary, encode(t, m)) }
	for name, c := range map[string]struct {
		sent   []byte
		code   uint16
		reason string
	}{
		"a frame too long":             {[]byte{finalBinary, maskedLength | length64, 0, 0, 0, 0, 0x20, 0, 0, 0, 'm', 'a', 's', 'k'}, closeTooBig, "262144 bytes"},
		"a length of 64 bits":          {[]byte{finalBinary, maskedLength | length64, 255, 255, 255, 255, 255, 255, 255, 255, 'm', 'a', 's', 'k'}, closeTooBig, "262144 bytes"},
		"a message too long":           {append(fragment(opBinary, make([]byte, requestLimit)), fragment(opContinuation, []byte{0})...), closeTooBig, "262144 bytes"},
		"compressed":                   {fragment(finalBinary|0x40, nil), closeProtocol, "reserved"},
		"not masked":                   {binaryFrame(encode(t, ping)), closeProtocol, "masked"},
		"an opcode that is undefined":  {fragment(finalFrame|0x3, nil), closeProtocol, "opcode 3"},
		"a long ping":                  {fragment(finalFrame|opPing, make([]byte, maxControl+1)), closeProtocol, "125"},
		"a fragmented ping":            {fragment(opPing, nil), closeProtocol, "fragmented"},
		"nothing to continue":          {fragment(opContinuation, nil), closeProtocol, "continue"},
		"a message within another":     {append(fragment(opBinary, nil), fragment(opBinary, nil)...), closeProtocol, "complete"},
		"no request":                   {fragment(finalBinary, []byte{255}), closeInvalid, "request"},
		"no JSON":                      {fragment(finalFrame|opText, []byte("{")), closeInvalid, "request"},
		"many sections":                {whole(offer(strings.Repeat("\nm=audio", maxMediaSections+1))), closePolicy, "64 media sections"},
		"many subscriptions":           {whole(&livekit.SignalRequest{Message: &livekit.SignalRequest_Subscription{Subscription: &livekit.UpdateSubscription{TrackSids: many}}}), closePolicy, "128 tracks"},
		"many subscriptions of others": {whole(&livekit.SignalRequest{Message: &livekit.SignalRequest_Subscription{Subscription: &livekit.UpdateSubscription{ParticipantTracks: []*livekit.ParticipantTracks{{TrackSids: many}}}}}), closePolicy, "128 tracks"},
		"many settings":                {whole(&livekit.SignalRequest{Message: &livekit.SignalRequest_TrackSetting{TrackSetting: &livekit.UpdateTrackSettings{TrackSids: many}}}), closePolicy, "128 tracks"},
		"many permissions":             {whole(&livekit.SignalRequest{Message: &livekit.SignalRequest_SubscriptionPermission{SubscriptionPermission: &livekit.SubscriptionPermission{TrackPermissions: []*livekit.TrackPermission{{TrackSids: many}}}}}), closePolicy, "128 tracks"},
		"many tracks resumed":          {whole(&livekit.SignalRequest{Message: &livekit.SignalRequest_SyncState{SyncState: &livekit.SyncState{TrackSidsDisabled: many}}}), closePolicy, "128 tracks"},
		"a long name of a track":       {whole(&livekit.SignalRequest{Message: &livekit.SignalRequest_AddTrack{AddTrack: &livekit.AddTrackRequest{Name: strings.Repeat("x", maxTrack)}}}), closePolicy, "4096 bytes"},
		"a simulated failure":          {whole(&livekit.SignalRequest{Message: &livekit.SignalRequest_Simulate{Simulate: &livekit.SimulateScenario{}}}), closePolicy, "simulated"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, server := signalling(nil)
			defer conn.Close()
			var sending sync.WaitGroup
			sending.Go(func() {
				if _, err := conn.Write(c.sent); err != nil {
					t.Error(err)
				}
				if _, err := conn.Write(make([]byte, 1<<20)); err != nil { // read and discarded
					t.Error(err)
				}
			})
			if code, reason := closed(t, conn); code != c.code || !strings.Contains(reason, c.reason) || len(reason) > maxControl-2 {
				t.Errorf("closed with %d %q, want %d %q", code, reason, c.code, c.reason)
			}
			sending.Wait()
			if got, err := io.ReadAll(server); err != nil || len(got) > 0 {
				t.Errorf("the server received %d bytes, %v", len(got), err)
			}
		})
	}
}

// Requests to publish tracks are few, over all connections of a room.
func TestTracksAreLimited(t *testing.T) {
	t.Parallel()
	conn, server := signalling(nil)
	defer conn.Close()
	go func() { _, _ = io.Copy(io.Discard, server) }()
	track := encode(t, &livekit.SignalRequest{Message: &livekit.SignalRequest_AddTrack{AddTrack: &livekit.AddTrackRequest{Cid: "c"}}})
	var sending sync.WaitGroup
	sending.Go(func() {
		for range maxTracks + 1 {
			if _, err := conn.Write(fragment(finalBinary, track)); err != nil {
				t.Error(err)
			}
		}
	})
	if code, reason := closed(t, conn); code != closePolicy || !strings.Contains(reason, "32 tracks") {
		t.Errorf("closed with %d %q", code, reason)
	}
	sending.Wait()
}

// A message that does not become complete ends the connection, however many bytes of it arrive.
func TestStalledRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, server := signalling(nil)
		go func() { _, _ = io.Copy(io.Discard, server) }()
		began := time.Now()
		var sending sync.WaitGroup
		sending.Go(func() {
			frame := fragment(finalBinary, make([]byte, 1000))
			for len(frame) > 0 {
				if _, err := conn.Write(frame[:1]); err != nil {
					return
				}
				frame = frame[1:]
				time.Sleep(time.Second)
			}
		})
		code, reason := closed(t, conn)
		if took := time.Since(began); code != closePolicy || !strings.Contains(reason, "15s") || took < requestTimeout || took > 2*requestTimeout {
			t.Errorf("closed with %d %q after %v", code, reason, took)
		}
		_ = conn.Close()
		sending.Wait()
	})
}

// What comes faster than the rates allow waits.
func TestRequestRates(t *testing.T) {
	for name, c := range map[string]struct {
		frame []byte
		n     int
		least time.Duration
	}{
		"pings":          {fragment(finalBinary, encode(t, ping)), maxFrames + 10*framesPerSecond, 10 * time.Second},
		"control frames": {fragment(finalFrame|opPing, nil), maxFrames + 10*framesPerSecond, 10 * time.Second},
		"bytes":          {fragment(finalBinary, encode(t, offer(strings.Repeat("x", 100_000)))), 20, (2_000_000 - maxBytes) / bytesPerSecond * time.Second},
		"other requests": {fragment(finalBinary, encode(t, offer("x"))), maxRequests + 20, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, server := signalling(nil)
				began := time.Now()
				go func() {
					for range c.n {
						if _, err := conn.Write(c.frame); err != nil {
							t.Error(err)
						}
					}
				}()
				if _, err := io.ReadFull(server, make([]byte, c.n*len(c.frame))); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took < c.least || took > 2*c.least {
					t.Errorf("%d frames took %v, want %v", c.n, took, c.least)
				}
				_ = conn.Close()
			})
		})
	}
}

// Messages of a server that are not filtered arrive as they are.
func TestUnfilteredResponses(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", filterLimit+1)
	sent := "\x81\x05hello" + "\x89\x00" + "\x82\x03\xff\xff\xff" + string(binaryFrame([]byte(large))) + string(binaryFrame([]byte(large[:1000]))) + "\x88\x02\x03\xe8"
	for name, filter := range map[string]ResponseFilter{"a filter": func(*livekit.SignalResponse) []*livekit.SignalResponse { return nil }, "none": nil} {
		c, server := signalling(filter)
		go func() {
			if _, err := io.WriteString(server, sent); err != nil {
				t.Error(err)
			}
			_ = server.Close()
		}()
		got, err := io.ReadAll(c)
		if err != nil || string(got) != sent {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(sent))
		}
		_ = c.Close()
	}
}

// A client that reads nothing is disconnected, and one that does not close after the server's end is, too.
func TestClientsThatDoNotTakePart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, _ := net.Pipe()
		began := time.Now()
		if _, err := (clientConn{near}).Write([]byte("unread")); err == nil || time.Since(began) != readTimeout {
			t.Errorf("a write that nobody reads: %v after %v", err, time.Since(began))
		}
		began = time.Now()
		if err := (clientConn{near}).CloseWrite(); err != nil {
			t.Error(err)
		}
		if _, err := near.Read(make([]byte, 1)); err == nil || time.Since(began) != lingerTimeout {
			t.Errorf("a client that stays: %v after %v", err, time.Since(began))
		}
	})
}

// The signalling is not compressed, whatever a client offers.
func TestSignallingIsNotCompressed(t *testing.T) {
	t.Parallel()
	offered := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		offered <- r.Header.Get("Sec-WebSocket-Extensions")
	}))
	defer server.Close()
	proxy, err := Proxy(server.URL, tokens, nil, nil, refuse)
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodGet, "/rtc", nil)
	request.Header.Set("Sec-WebSocket-Extensions", "permessage-deflate")
	proxy.ServeHTTP(httptest.NewRecorder(), request)
	if got := <-offered; got != "" {
		t.Errorf("the server is offered %q", got)
	}
}

// A room that is joined over and over again is refused for a while, and no other.
func TestJoinsAreLimited(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	var refused error
	proxy, err := Proxy(server.URL, tokens, nil, nil, func(_ http.ResponseWriter, _ *http.Request, err error) { refused = err })
	if err != nil {
		t.Fatal(err)
	}
	join := func(room, path string) error {
		refused = nil
		token, err := tokens.Caller(room, "caller", time.Now(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		proxy.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path+"?access_token="+token, nil))
		return refused
	}
	joined := 0
	for joined < 10*maxJoins && join("room", "/rtc") == nil { // a slow machine earns further ones meanwhile
		joined++
	}
	var limited *fault.Error
	if !errors.As(refused, &limited) || joined < maxJoins || limited.Code != fault.RateLimitExceeded || limited.RetryAfter <= 0 || limited.RetryAfter > 2*time.Second {
		t.Errorf("after %d joins: %v", joined, refused)
	}
	for _, other := range []string{"/rtc", "/rtc/validate"} {
		room := map[string]string{"/rtc": "another room", "/rtc/validate": "room"}[other]
		if err := join(room, other); err != nil {
			t.Error(fmt.Errorf("%s in %s: %w", other, room, err))
		}
	}
}
