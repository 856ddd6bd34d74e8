package attack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/livekit/protocol/livekit"
	wire "github.com/livekit/protocol/signalling"
	"github.com/pion/rtcp"
	pionrtp "github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
	"google.golang.org/protobuf/proto"
)

// intruder is a caller who has joined a call with its token, and sends the media server whatever WebRTC can carry.
type intruder struct {
	t      *testing.T
	ctx    context.Context
	socket *websocket.Conn
	peer   *webrtc.PeerConnection // to publish with
	data   *webrtc.DataChannel
	tracks []*rawTrack
}

// rawTrack sends RTP packets as they are.
type rawTrack struct {
	id   string
	kind webrtc.RTPCodecType

	mu     sync.Mutex
	writer webrtc.TrackLocalWriter
	ssrc   uint32
}

func (r *rawTrack) Bind(c webrtc.TrackLocalContext) (webrtc.RTPCodecParameters, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writer, r.ssrc = c.WriteStream(), uint32(c.SSRC())
	for _, codec := range c.CodecParameters() {
		if strings.HasPrefix(strings.ToLower(codec.MimeType), r.kind.String()) {
			return codec, nil
		}
	}
	return webrtc.RTPCodecParameters{}, errors.New("no codec")
}
func (r *rawTrack) Unbind(webrtc.TrackLocalContext) error { return nil }
func (r *rawTrack) ID() string                            { return r.id }
func (r *rawTrack) RID() string                           { return "" }
func (r *rawTrack) StreamID() string                      { return "stream" }
func (r *rawTrack) Kind() webrtc.RTPCodecType             { return r.kind }

// send sends a packet, of the track's own stream where ssrc is 0.
func (r *rawTrack) send(h pionrtp.Header, ssrc uint32, payload []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writer == nil {
		return
	}
	h.Version, h.SSRC = 2, ssrc
	if ssrc == 0 {
		h.SSRC = r.ssrc
	}
	_, _ = r.writer.WriteRTP(&h, payload)
}

// intrude joins with a token, and publishes tracks of a kind.
func intrude(t *testing.T, url, token string, kind webrtc.RTPCodecType, tracks int) *intruder {
	t.Helper()
	i := &intruder{t: t, ctx: t.Context()}
	var err error
	if i.socket, _, err = websocket.Dial(i.ctx, url+"/rtc?protocol=15&sdk=go&auto_subscribe=0&access_token="+token, nil); err != nil {
		t.Fatal(err)
	}
	i.socket.SetReadLimit(4 << 20)
	t.Cleanup(func() { _ = i.socket.CloseNow() })
	var settings webrtc.SettingEngine
	settings.SetIncludeLoopbackCandidate(true)
	if i.peer, err = webrtc.NewAPI(webrtc.WithSettingEngine(settings), webrtc.WithMediaEngine(codecs(t))).NewPeerConnection(webrtc.Configuration{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = i.peer.Close() })
	if i.data, err = i.peer.CreateDataChannel("_reliable", nil); err != nil {
		t.Fatal(err)
	}
	opened := make(chan struct{})
	i.data.OnOpen(func() { close(opened) })
	for n := range tracks {
		track := &rawTrack{id: fmt.Sprintf("track%d", n), kind: kind}
		if _, err := i.peer.AddTrack(track); err != nil {
			t.Fatal(err)
		}
		i.tracks = append(i.tracks, track)
		source, form := livekit.TrackSource_MICROPHONE, livekit.TrackType_AUDIO
		if kind == webrtc.RTPCodecTypeVideo {
			form = livekit.TrackType_VIDEO
		}
		i.request(&livekit.SignalRequest{Message: &livekit.SignalRequest_AddTrack{AddTrack: &livekit.AddTrackRequest{Cid: track.id, Type: form, Source: source}}})
	}
	i.peer.OnICECandidate(func(c *webrtc.ICECandidate) {
		if c != nil {
			i.request(&livekit.SignalRequest{Message: &livekit.SignalRequest_Trickle{Trickle: wire.ToProtoTrickle(c.ToJSON(), livekit.SignalTarget_PUBLISHER, false)}})
		}
	})
	go i.read()
	offer, err := i.peer.CreateOffer(nil)
	if err == nil {
		err = i.peer.SetLocalDescription(offer)
	}
	if err != nil {
		t.Fatal(err)
	}
	i.request(&livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: wire.ToProtoSessionDescription(offer, 0, nil)}})
	select {
	case <-opened:
	case <-time.After(limit):
		t.Fatal("no media connection")
	}
	return i
}

// codecs are Opus and VP8.
func codecs(t *testing.T) *webrtc.MediaEngine {
	t.Helper()
	engine := new(webrtc.MediaEngine)
	if err := engine.RegisterDefaultCodecs(); err != nil {
		t.Fatal(err)
	}
	return engine
}

func (i *intruder) request(r *livekit.SignalRequest) {
	data, err := proto.Marshal(r)
	if err != nil {
		i.t.Error(err)
		return
	}
	_ = i.socket.Write(i.ctx, websocket.MessageBinary, data)
}

// read handles what belongs to publishing.
func (i *intruder) read() {
	for {
		_, data, err := i.socket.Read(i.ctx)
		if err != nil {
			return
		}
		response := new(livekit.SignalResponse)
		if proto.Unmarshal(data, response) != nil {
			continue
		}
		switch m := response.GetMessage().(type) {
		case *livekit.SignalResponse_Answer:
			_ = i.peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: m.Answer.GetSdp()})
		case *livekit.SignalResponse_Trickle:
			if m.Trickle.GetTarget() == livekit.SignalTarget_PUBLISHER {
				if candidate, err := wire.FromProtoTrickle(m.Trickle); err == nil {
					_ = i.peer.AddICECandidate(candidate)
				}
			}
		}
	}
}

// repeat calls something a number of times a second, for d.
func repeat(perSecond int, d time.Duration, do func(n int)) {
	began := time.Now()
	for n := 0; time.Since(began) < d; n++ {
		if ahead := time.Duration(n)*time.Second/time.Duration(perSecond) - time.Since(began); ahead > 5*time.Millisecond {
			time.Sleep(ahead)
		}
		do(n)
	}
}

// floodData sends messages on the data channel, as fast as it accepts them up to a number a second.
func (i *intruder) floodData(message []byte, perSecond int, d time.Duration) {
	repeat(perSecond, d, func(int) {
		if i.data.BufferedAmount() < 1<<20 {
			_ = i.data.Send(message)
		}
	})
}

// floodRTP sends packets as made by make on all tracks in turn.
func (i *intruder) floodRTP(perSecond int, d time.Duration, make func(n int) (pionrtp.Header, uint32, []byte)) {
	repeat(perSecond, d, func(n int) {
		h, ssrc, payload := make(n)
		i.tracks[n%len(i.tracks)].send(h, ssrc, payload)
	})
}

// floodRTCP sends reports.
func (i *intruder) floodRTCP(perSecond int, d time.Duration, make func(n int) []rtcp.Packet) {
	repeat(perSecond, d, func(n int) { _ = i.peer.WriteRTCP(make(n)) })
}
