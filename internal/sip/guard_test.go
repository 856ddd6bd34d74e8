package sip

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

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
