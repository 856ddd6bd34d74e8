package mediaport

import (
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/internal/audio"
	"parley/internal/sip/negotiation"
)

// softphone is baresip, which sends back what it receives.
type softphone struct {
	*binary.Process
	net.PacketConn // of the other party's signalling
	address        *net.UDPAddr
}

func newSoftphone(t *testing.T, account string) *softphone {
	t.Helper()
	port, err := binary.FreePortRow(2) // baresip uses the next one for TLS
	if err != nil {
		t.Fatal(err)
	}
	s := &softphone{address: net.UDPAddrFromAddrPort(loopbackPort(port))}
	if s.PacketConn, err = net.ListenPacket("udp4", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.PacketConn.Close() })
	dir := t.TempDir()
	for name, text := range map[string]string{
		"config": fmt.Sprintf(`sip_listen 127.0.0.1:%d
net_interface 127.0.0.1
module_path /usr/lib/baresip/modules
module g711.so
module g722.so
module opus.so
module srtp.so
module aubridge.so
audio_source aubridge,loop
audio_player aubridge,loop
module_app account.so
module_app menu.so
`, port),
		"accounts": "<sip:100@127.0.0.1;transport=udp>;regint=0;answermode=auto;audio_codecs=PCMU,PCMA,G722/16000/1,opus/48000/2;" + account + "\n",
		"contacts": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if s.Process, err = binary.Launch("baresip", nil, "-f", dir); err != nil {
		t.Fatalf("baresip of package baresip-core: %v", err)
	}
	t.Cleanup(func() {
		s.Kill()
		if t.Failed() {
			t.Logf("the softphone:\n%s%s", s.Out.String(), s.Log.String())
		}
	})
	return s
}

// invite sends an INVITE until it is answered, and returns the session description of the answer.
func (s *softphone) invite(t *testing.T, description string) string {
	t.Helper()
	local := s.LocalAddr().String()
	request := func(method string, branch, to, body string) {
		text := fmt.Sprintf("%s sip:100@%s SIP/2.0\r\nVia: SIP/2.0/UDP %s;branch=z9hG4bK%s\r\nMax-Forwards: 70\r\nFrom: <sip:test@%s>;tag=1\r\nTo: <sip:100@%s>%s\r\n"+
			"Call-ID: 1@test\r\nCSeq: 1 %s\r\nContact: <sip:test@%s>\r\nContent-Type: application/sdp\r\nContent-Length: %d\r\n\r\n%s",
			method, s.address, local, branch, local, s.address, to, method, local, len(body), body)
		if _, err := s.WriteTo([]byte(text), s.address); err != nil {
			t.Fatal(err)
		}
	}
	buffer := make([]byte, 1<<16)
	for deadline := time.Now().Add(testLimit); time.Now().Before(deadline); {
		request("INVITE", "invite", "", description)
		for {
			if err := s.SetReadDeadline(time.Now().Add(2 * time.Second)); err != nil {
				t.Fatal(err)
			}
			n, _, err := s.ReadFrom(buffer)
			if err != nil {
				break // again
			}
			head, body, _ := strings.Cut(string(buffer[:n]), "\r\n\r\n")
			switch {
			case strings.HasPrefix(head, "SIP/2.0 200"):
				request("ACK", "ack", regexp.MustCompile(`(?m)^To:.*(;tag=[^;\s]+)`).FindStringSubmatch(head)[1], "")
				return body
			case strings.HasPrefix(head, "SIP/2.0 1"):
			case strings.HasPrefix(head, "SIP/2.0"):
				t.Fatalf("the softphone answers %s", head)
			}
		}
	}
	t.Fatal("the softphone does not answer")
	return ""
}

// Tones come back from a softphone with each codec, and with encryption; its reports give the round trip.
func TestSoftphone(t *testing.T) {
	for _, suite := range []string{"", "AES_CM_128_HMAC_SHA1_80"} {
		account, profile := "", "RTP/AVP"
		if suite != "" {
			account, profile = "mediaenc=srtp-mand", "RTP/SAVP"
		}
		for _, codec := range codecs {
			phone := newSoftphone(t, account)
			p := openParty(t)
			s := streamOf(codec)
			description := fmt.Sprintf("v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio %d %s %d\r\na=rtpmap:%d %s\r\n",
				p.LocalPort(), profile, s.PayloadType, s.PayloadType, map[negotiation.Codec]string{
					negotiation.PCMU: "PCMU/8000", negotiation.PCMA: "PCMA/8000", negotiation.G722: "G722/8000", negotiation.Opus: "opus/48000/2",
				}[codec])
			if suite != "" {
				s.LocalKey = newKey(t, suite)
				description += fmt.Sprintf("a=crypto:1 %s inline:%s\r\n", suite, base64.StdEncoding.EncodeToString(s.LocalKey.Secret))
			}
			answer := phone.invite(t, description)
			port, err := strconv.Atoi(strings.Fields(answer[strings.Index(answer, "m=audio"):])[1])
			if err != nil {
				t.Fatal(err)
			}
			s.Remote, s.Control = loopbackPort(port), loopbackPort(port+1)
			if suite != "" {
				inline := regexp.MustCompile(`inline:([^\s|]+)`).FindStringSubmatch(answer)
				if inline == nil {
					t.Fatalf("no key in %s", answer)
				}
				secret, err := base64.StdEncoding.DecodeString(inline[1])
				if err != nil {
					t.Fatal(err)
				}
				s.RemoteKey = &negotiation.Key{Tag: 1, Suite: suite, Secret: secret}
			}
			if err := p.Configure(s); err != nil {
				t.Fatal(err)
			}
			stop := make(chan struct{})
			talked := make(chan struct{})
			go func() {
				defer close(talked)
				for tone := audio.Tone(600, 24000, time.Second); ; {
					select {
					case <-stop:
						return
					default:
						p.talk(t, tone)
					}
				}
			}()
			await(t, "the tone over "+string(codec), p.hasTone(600))
			if codec == negotiation.PCMU {
				await(t, "a report with the round trip", func() bool { return p.Quality().RoundTrip > 0 })
			}
			close(stop)
			<-talked
			if q := p.Quality(); q.Rejected > 2 { // it begins before it encrypts
				t.Errorf("%s: %d packets rejected", codec, q.Rejected)
			}
			p.Close()
			phone.Kill()
		}
	}
}
