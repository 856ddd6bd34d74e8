package media

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
	"github.com/livekit/protocol/logger/pionlogger"
	"github.com/pion/dtls/v3"
	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/sdp/v3"
	"github.com/pion/webrtc/v4"
	"google.golang.org/protobuf/proto"
)

// How soon a way for media that has broken is noticed, as LiveKit's own clients have it.
const (
	iceDisconnected = 10 * time.Second
	iceFailed       = 5 * time.Second
	iceKeepalive    = 2 * time.Second
	dtlsRetransmit  = 100 * time.Millisecond
)

// peerAPI makes peer connections for voice alone: Opus, its loudness, and reports of what was lost.
var peerAPI = sync.OnceValues(func() (*webrtc.API, error) {
	engine := new(webrtc.MediaEngine)
	opus := webrtc.RTPCodecParameters{
		RTPCodecCapability: webrtc.RTPCodecCapability{
			MimeType: webrtc.MimeTypeOpus, ClockRate: opusClock, Channels: 2, SDPFmtpLine: "minptime=10;useinbandfec=1",
		},
		PayloadType: 111,
	}
	if err := engine.RegisterCodec(opus, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, err
	}
	if err := engine.RegisterHeaderExtension(webrtc.RTPHeaderExtensionCapability{URI: sdp.AudioLevelURI}, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, err
	}
	interceptors := new(interceptor.Registry)
	if err := webrtc.ConfigureRTCPReports(interceptors); err != nil {
		return nil, err
	}
	settings := webrtc.SettingEngine{LoggerFactory: pionlogger.NewLoggerFactory(logger.GetDiscardLogger())}
	settings.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled) // the server has addresses, not names
	settings.SetICETimeouts(iceDisconnected, iceFailed, iceKeepalive)
	settings.SetDTLSRetransmissionInterval(dtlsRetransmit)
	settings.SetSRTPProtectionProfiles(dtls.SRTP_AEAD_AES_128_GCM, dtls.SRTP_AES128_CM_HMAC_SHA1_80)
	return webrtc.NewAPI(webrtc.WithMediaEngine(engine), webrtc.WithInterceptorRegistry(interceptors), webrtc.WithSettingEngine(settings)), nil
})

// drain reads the reports about a track, which nobody looks at but the interceptors on the way.
func drain(reports interface {
	Read([]byte) (int, interceptor.Attributes, error)
}) {
	buf := make([]byte, 1500)
	for {
		if _, _, err := reports.Read(buf); err != nil {
			return
		}
	}
}

// levelExtension is the number under which loudness is sent; 0 if it is not negotiated.
func levelExtension(sender *webrtc.RTPSender) uint8 {
	for _, extension := range sender.GetParameters().HeaderExtensions {
		if extension.URI == sdp.AudioLevelURI {
			return uint8(extension.ID)
		}
	}
	return 0
}

// dataChannels carry messages to others in the room. LiveKit wants both kinds before it takes them for ready.
type dataChannels struct {
	reliable *webrtc.DataChannel
	open     chan struct{}

	mu   sync.Mutex
	sent uint32
}

func newDataChannels(peer *webrtc.PeerConnection) (*dataChannels, error) {
	unordered, once := false, uint16(1)
	if _, err := peer.CreateDataChannel("_lossy", &webrtc.DataChannelInit{Ordered: &unordered, MaxRetransmits: &once}); err != nil {
		return nil, err
	}
	reliable, err := peer.CreateDataChannel("_reliable", nil)
	if err != nil {
		return nil, err
	}
	d := &dataChannels{reliable: reliable, open: make(chan struct{})}
	reliable.OnOpen(func() { close(d.open) })
	return d, nil
}

// dataPatience bounds the wait for the channels, which open shortly after the media are connected.
const dataPatience = 5 * time.Second

// send sends a message to everybody in the room.
func (d *dataChannels) send(packet *livekit.DataPacket) error {
	select {
	case <-d.open:
	case <-time.After(dataPatience):
		return fmt.Errorf("%w: its data channel does not open", errLost)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent++
	packet.Sequence = d.sent
	data, err := proto.Marshal(packet)
	if err != nil {
		return err
	}
	return d.reliable.Send(data)
}

// trackOwner reads, from the names that LiveKit gives a track and its stream, whose it is and which.
func trackOwner(track *webrtc.TrackRemote) (participant, id string) {
	participant, rest, _ := strings.Cut(track.StreamID(), "|")
	if strings.HasPrefix(rest, "TR_") {
		return participant, rest
	}
	return participant, track.ID()
}
