package sip

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"parley/internal/netguard"
)

// Addresses in a session description that may not be reached are replaced by the one that the message came from, however
// they are written.
func TestSessionDescriptionsAreGuarded(t *testing.T) {
	source := netip.MustParseAddr("198.51.100.7")
	guarded := func(body string) string {
		return string(guardSession([]byte(body), source, func(a netip.Addr) bool { return netguard.Permits(a, false) }))
	}
	const from, to = "v=0\r\no=- 1 2 IN IP4 8.8.8.8\r\ns=-\r\n", "\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n"
	for given, want := range map[string]string{
		"c=IN IP4 8.8.8.8":                       "c=IN IP4 8.8.8.8",
		"c=IN IP4 198.51.100.7":                  "c=IN IP4 198.51.100.7",
		"c=IN IP4 0.0.0.0":                       "c=IN IP4 0.0.0.0",
		"c=IN IP4 10.0.0.1":                      "c=IN IP4 198.51.100.7",
		"c=IN IP4 169.254.169.254":               "c=IN IP4 198.51.100.7",
		"c=IN IP4 127.0.0.1/127":                 "c=IN IP4 198.51.100.7",
		"c=IN IP4 224.0.0.1":                     "c=IN IP4 198.51.100.7",
		"c=IN IP6 ::ffff:10.0.0.1":               "c=IN IP4 198.51.100.7",
		"c=IN IP4 internal.example.com":          "c=IN IP4 198.51.100.7",
		"c=IN":                                   "c=IN IP4 198.51.100.7",
		"c=IN IP4 8.8.8.8 10.0.0.1":              "c=IN IP4 198.51.100.7",
		"c=IN IP4 8.8.8.8\rc=IN IP4 10.0.0.1":    "c=IN IP4 8.8.8.8\r\nc=IN IP4 198.51.100.7",
		"c=IN IP4 8.8.8.8\n\nc=IN\tIP4 10.0.0.1": "c=IN IP4 8.8.8.8\r\nc=IN IP4 198.51.100.7",
	} {
		if got := guarded(from + given + to); got != from+want+to {
			t.Errorf("%q becomes %q", given, got)
		}
	}
	if got := guarded("o=- 1 2 IN IP4 10.0.0.1\r\n"); got != "o=- 1 2 IN IP4 198.51.100.7\r\n" {
		t.Errorf("the origin becomes %q", got)
	}
}

// An audio socket accepts packets of one source, and of a limited number of streams.
func TestAudioOfOneSource(t *testing.T) {
	phone, other := netip.MustParseAddrPort("192.0.2.1:4000"), netip.MustParseAddrPort("203.0.113.9:4000")
	moved := netip.AddrPortFrom(phone.Addr(), 4444) // behind a NAT
	packet := func(stream int) []byte {
		p := make([]byte, rtpHeader)
		p[0] = 0x80
		binary.BigEndian.PutUint32(p[8:], uint32(stream))
		return p
	}
	socket := func(remote netip.AddrPort, behindNAT bool) *audioSocket {
		s := newAudioSocket(nil, func(netip.Addr) bool { return behindNAT })
		if remote.IsValid() {
			s.Negotiated(remote)
		}
		return s
	}
	for _, tc := range []struct {
		what    string
		socket  *audioSocket
		senders []netip.AddrPort
		want    string // t for each that is accepted
	}{
		{"before anything is negotiated", socket(netip.AddrPort{}, true), []netip.AddrPort{phone, other}, "--"},
		{"what is negotiated", socket(phone, false), []netip.AddrPort{other, phone, moved, other, phone}, "-t--t"},
		{"another port, then fixed", socket(phone, false), []netip.AddrPort{moved, netip.AddrPortFrom(phone.Addr(), 5555), moved, other}, "t-t-"},
		{"what is negotiated comes before another port", socket(phone, false), []netip.AddrPort{moved, phone, moved}, "tt-"},
		{"behind a NAT, then fixed", socket(netip.MustParseAddrPort("10.0.0.1:4000"), true), []netip.AddrPort{other, phone, other}, "t-t"},
	} {
		got := ""
		for _, from := range tc.senders {
			if tc.socket.accepts(packet(1), from) {
				got += "t"
			} else {
				got += "-"
			}
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s", tc.what, got, tc.want)
		}
	}
	s, taken := socket(phone, false), 0
	for stream := range 100_000 {
		if s.accepts(packet(stream), phone) {
			taken++
		}
	}
	if taken != maxStreams || len(s.streams) != maxStreams || !s.accepts(packet(0), phone) || s.accepts([]byte("short"), phone) || s.accepts(make([]byte, 20), phone) {
		t.Errorf("%d streams are taken, %d kept", taken, len(s.streams))
	}
	s.Negotiated(other) // the phone is moved, by another session description
	if s.accepts(packet(0), phone) || !s.accepts(packet(0), other) {
		t.Error("after a new description the old source is taken, or the new one is not")
	}
}

// Audio ports bind where signalling does.
func TestAudioPortsAreBoundLikeSignalling(t *testing.T) {
	for loopback, want := range map[bool]string{true: "127.0.0.1", false: "::"} {
		o := options()
		o.LoopbackOnly = loopback
		c, err := o.listenAudio(o.config(0).RTPPort)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.LocalAddr().(*net.UDPAddr).IP; got.String() != want && !(got.IsUnspecified() && !loopback) {
			t.Errorf("with LoopbackOnly %v audio is bound to %s", loopback, got)
		}
		_ = c.(*audioSocket).UDPConn.Close()
	}
}

// A challenge is good for its address, its call and a minute, and nothing is kept of it.
func TestNonces(t *testing.T) {
	now, here, call := time.Unix(1_800_000_000, 0), netip.MustParseAddr("192.0.2.1"), "call-1"
	n := newNonces()
	n.now = func() time.Time { return now }
	shown := func(nonce string) string {
		return fmt.Sprintf(`Digest username="u", realm="parley", nonce="%s", uri="sip:x", response="0"`, nonce)
	}
	nonce := n.newNonce(now, here, call)
	fresh := func(nonce string, from netip.Addr, call string, after time.Duration) bool {
		n.now = func() time.Time { return now.Add(after) }
		_, fresh := n.parse(shown(nonce), from, call)
		return fresh
	}
	for what, got := range map[string]bool{
		"another address": fresh(nonce, netip.MustParseAddr("192.0.2.2"), call, 0), "another call": fresh(nonce, here, "call-2", 0),
		"too late": fresh(nonce, here, call, nonceTTL+time.Second), "made up": fresh(strings.Repeat("A", len(nonce)), here, call, 0),
		"another server's": fresh(newNonces().newNonce(now, here, call), here, call, 0), "from the future": fresh(n.newNonce(now.Add(time.Hour), here, call), here, call, 0),
	} {
		if got {
			t.Errorf("a nonce is fresh: %s", what)
		}
	}
	if !fresh(nonce, here, call, 30*time.Second) {
		t.Error("a nonce of 30 s ago is not fresh")
	}
}

// A trunk's media_encryption decides which offers are accepted.
func TestMediaEncryption(t *testing.T) {
	t.Parallel()
	const plain, secured = "RTP/AVP", "RTP/SAVP"
	for _, tc := range []struct {
		wanted   MediaEncryption
		offered  string
		answered string // "" for a refusal
	}{
		{EncryptionOff, plain, plain}, {EncryptionOff, secured, ""}, {EncryptionAllow, plain, plain}, {EncryptionAllow, secured, secured},
		{EncryptionAllow, "UDP/TLS/RTP/SAVP", ""}, {EncryptionRequire, plain, ""}, {EncryptionRequire, secured, secured},
	} {
		t.Run(string(tc.wanted)+" "+tc.offered, func(t *testing.T) {
			t.Parallel()
			d := &desk{room: newRoom(t), line: InboundRoute{Addresses: here, Encryption: tc.wanted}, gone: make(chan struct{})}
			enter(t, d.room)
			o := options()
			o.Inbound = d
			g, p := start(t, o), newRawPhone(t)
			p.peer = &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: g.Port()}
			body := "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 " + tc.offered + " 0\r\na=rtpmap:0 PCMU/8000\r\n"
			if tc.offered == secured {
				body += "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj\r\n"
			}
			at := p.LocalAddr().String()
			p.send(t, fmt.Sprintf("INVITE sip:+4930111111@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP %s;branch=z9hG4bK1\r\nFrom: <sip:a@%s>;tag=1\r\nTo: <sip:+4930111111@127.0.0.1>\r\nCall-ID: %s\r\nCSeq: 1 INVITE\r\nContact: <sip:a@%s>\r\nMax-Forwards: 70\r\nContent-Type: application/sdp\r\nContent-Length: %d\r\n\r\n%s",
				at, at, t.Name(), at, len(body), body))
			for {
				answer := p.await(t, "SIP/2.0")
				status := answer[8:11]
				if status[0] == '1' {
					continue
				}
				if tc.answered == "" && status != "488" || tc.answered != "" && (status != "200" || !strings.Contains(answer, tc.answered+" 0") || strings.Contains(answer, "a=crypto:") != (tc.answered == secured)) {
					t.Errorf("answered with %s", answer)
				}
				return
			}
		})
	}
}
