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

// Timeouts for detecting a lost media connection, as in LiveKit's own clients.
const (
	iceDisconnected = 10 * time.Second
	iceFailed       = 5 * time.Second
	iceKeepalive    = 2 * time.Second
	dtlsRetransmit  = 100 * time.Millisecond
)

// interfaceScope is the network interfaces on which a media server is reached.
type interfaceScope int

const (
	allInterfaces interfaceScope = iota
	withLoopback                 // including loopback, on a machine without network the only interface
	loopbackOnly                 // loopback only: each further address costs a socket and connectivity checks
	withTCP                      // all, and TCP as well: not from the start, because the first path that works is used
)

// peerAPIs create peer connections for voice: Opus, its audio level, and loss reports; and for VP8, because the
// server requests sections for other participants' video.
var peerAPIs = map[interfaceScope]func() (*webrtc.API, error){
	allInterfaces: sync.OnceValues(func() (*webrtc.API, error) { return newAPI(allInterfaces) }),
	withLoopback:  sync.OnceValues(func() (*webrtc.API, error) { return newAPI(withLoopback) }),
	loopbackOnly:  sync.OnceValues(func() (*webrtc.API, error) { return newAPI(loopbackOnly) }),
	withTCP:       sync.OnceValues(func() (*webrtc.API, error) { return newAPI(withTCP) }),
}

func newAPI(r interfaceScope) (*webrtc.API, error) {
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
	settings.SetIncludeLoopbackCandidate(r != allInterfaces)
	if r == withTCP {
		settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6, webrtc.NetworkTypeTCP4, webrtc.NetworkTypeTCP6})
	}
	if r == loopbackOnly {
		settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
		settings.SetIPFilter(net.IP.IsLoopback)
		settings.SetPrflxAcceptanceMinWait(0) // no better candidate is to be expected
	}
	settings.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled) // the server has addresses, not names
	settings.SetICETimeouts(iceDisconnected, iceFailed, iceKeepalive)
	settings.SetDTLSRetransmissionInterval(dtlsRetransmit)
	settings.SetSRTPProtectionProfiles(dtls.SRTP_AEAD_AES_128_GCM, dtls.SRTP_AES128_CM_HMAC_SHA1_80)
	return webrtc.NewAPI(webrtc.WithMediaEngine(engine), webrtc.WithInterceptorRegistry(interceptors), webrtc.WithSettingEngine(settings)), nil
}

// onLoopback reports whether the host of a URL, or of an ICE server, is on loopback.
func onLoopback(text string) bool {
	parsed, err := url.Parse(text)
	if err != nil {
		return false
	}
	host := parsed.Hostname()
	if parsed.Opaque != "" { // stun:host:port
		host, _, _ = net.SplitHostPort(parsed.Opaque) // "" is not an address
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// stunServers returns the STUN servers among the ICE servers that LiveKit names; none for a server on this machine.
// TURN is not used.
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

// readReports reads RTCP reports so that the interceptors process them.
func readReports(reports interface {
	Read([]byte) (int, interceptor.Attributes, error)
}) {
	buf := make([]byte, 1500)
	for {
		if _, _, err := reports.Read(buf); err != nil {
			return
		}
	}
}

// levelExtension returns the id of the audio level extension; 0 if it was not negotiated.
func levelExtension(sender *webrtc.RTPSender) uint8 {
	for _, extension := range sender.GetParameters().HeaderExtensions {
		if extension.URI == sdp.AudioLevelURI {
			return uint8(extension.ID)
		}
	}
	return 0
}
