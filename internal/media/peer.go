package media

import (
	"errors"
	"net"
	"net/url"
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
)

// How soon a way for media that has broken is noticed, as LiveKit's own clients have it.
const (
	iceDisconnected = 10 * time.Second
	iceFailed       = 5 * time.Second
	iceKeepalive    = 2 * time.Second
	dtlsRetransmit  = 100 * time.Millisecond
)

// reach is over which of this machine's interfaces a media server is looked for.
type reach int

const (
	everywhere reach = iota
	nearby           // the loopback interface too: on a machine without network it is the only one
	inside           // the loopback interface alone: each further address costs a socket and its checks
)

// peerAPIs make peer connections for voice alone: Opus, its loudness, and reports of what was lost; and for VP8, since the
// server asks for place for what others in the room show.
var peerAPIs = map[reach]func() (*webrtc.API, error){
	everywhere: sync.OnceValues(func() (*webrtc.API, error) { return newAPI(everywhere) }),
	nearby:     sync.OnceValues(func() (*webrtc.API, error) { return newAPI(nearby) }),
	inside:     sync.OnceValues(func() (*webrtc.API, error) { return newAPI(inside) }),
}

func newAPI(r reach) (*webrtc.API, error) {
	engine := new(webrtc.MediaEngine)
	opus := webrtc.RTPCodecParameters{
		RTPCodecCapability: webrtc.RTPCodecCapability{
			MimeType: webrtc.MimeTypeOpus, ClockRate: opusClock, Channels: 2, SDPFmtpLine: "minptime=10;useinbandfec=1",
		},
		PayloadType: 111,
	}
	vp8 := webrtc.RTPCodecParameters{RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeVP8, ClockRate: 90000}, PayloadType: 96}
	if err := errors.Join(engine.RegisterCodec(opus, webrtc.RTPCodecTypeAudio), engine.RegisterCodec(vp8, webrtc.RTPCodecTypeVideo)); err != nil {
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
	settings.SetIncludeLoopbackCandidate(r != everywhere)
	if r == inside {
		settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
		settings.SetIPFilter(net.IP.IsLoopback)
		settings.SetPrflxAcceptanceMinWait(0) // there is no better way to wait for
	}
	settings.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled) // the server has addresses, not names
	settings.SetICETimeouts(iceDisconnected, iceFailed, iceKeepalive)
	settings.SetDTLSRetransmissionInterval(dtlsRetransmit)
	settings.SetSRTPProtectionProfiles(dtls.SRTP_AEAD_AES_128_GCM, dtls.SRTP_AES128_CM_HMAC_SHA1_80)
	return webrtc.NewAPI(webrtc.WithMediaEngine(engine), webrtc.WithInterceptorRegistry(interceptors), webrtc.WithSettingEngine(settings)), nil
}

// onLoopback tells whether a URL, or an ICE server's, is one of this machine alone.
func onLoopback(text string) bool {
	parsed, err := url.Parse(text)
	if err != nil {
		return false
	}
	host := parsed.Hostname()
	if parsed.Opaque != "" { // stun:host:port
		host, _, _ = net.SplitHostPort(parsed.Opaque) // "" is no address
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// stunServers are those among the servers that LiveKit names by which a participant learns its address beyond a NAT; none
// to a server on this machine. Relays are not used.
func stunServers(at string, named []*livekit.ICEServer) (found []webrtc.ICEServer) {
	if onLoopback(at) {
		return nil
	}
	for _, server := range named {
		for _, u := range server.GetUrls() {
			if strings.HasPrefix(u, "stun:") && !onLoopback(u) {
				found = append(found, webrtc.ICEServer{URLs: []string{u}})
			}
		}
	}
	return found
}

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
