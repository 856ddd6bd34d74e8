package negotiation

import (
	"strings"
	"testing"
)

// peers are offers in the form in which carriers, exchanges and phones send them.
var peers = []struct {
	name, description string
	codec             Codec // "" if it is refused
	event             uint8
	lines             int
}{
	{"Twilio", "v=0\r\no=root 1234567890 1234567890 IN IP4 203.0.113.10\r\ns=Twilio Media Gateway\r\nc=IN IP4 203.0.113.10\r\nt=0 0\r\nm=audio 12866 RTP/AVP 0 8 101\r\n" +
		"a=rtpmap:0 PCMU/8000\r\na=rtpmap:8 PCMA/8000\r\na=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-16\r\na=ptime:20\r\na=maxptime:20\r\na=sendrecv\r\n", PCMU, 101, 1},
	{"Telnyx", "v=0\r\no=FreeSWITCH 1690000000 1690000001 IN IP4 203.0.113.11\r\ns=FreeSWITCH\r\nc=IN IP4 203.0.113.11\r\nt=0 0\r\nm=audio 27000 RTP/AVP 9 0 8 101 13\r\n" +
		"a=rtpmap:9 G722/8000\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:8 PCMA/8000\r\na=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-15\r\na=rtpmap:13 CN/8000\r\na=ptime:20\r\n", G722, 101, 1},
	{"Asterisk", "v=0\r\no=- 392867480 392867480 IN IP4 203.0.113.12\r\ns=Asterisk\r\nc=IN IP4 203.0.113.12\r\nt=0 0\r\nm=audio 16444 RTP/AVP 8 0 3 101\r\na=rtpmap:8 PCMA/8000\r\n" +
		"a=rtpmap:0 PCMU/8000\r\na=rtpmap:3 GSM/8000\r\na=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-16\r\na=ptime:20\r\na=maxptime:150\r\na=sendrecv\r\n", PCMA, 101, 1},
	{"FreeSWITCH with fax", "v=0\r\no=FreeSWITCH 1 2 IN IP4 203.0.113.13\r\ns=FreeSWITCH\r\nc=IN IP4 203.0.113.13\r\nt=0 0\r\nm=audio 30000 RTP/AVP 0\r\na=silenceSupp:off - - - -\r\n" +
		"m=image 30002 udptl t38\r\na=T38FaxVersion:0\r\na=T38MaxBitRate:9600\r\n", PCMU, 0, 2},
	{"Cisco", "v=0\r\no=CiscoSystemsCCM-SIP 2000 1 IN IP4 203.0.113.14\r\ns=SIP Call\r\nc=IN IP4 203.0.113.14\r\nb=TIAS:64000\r\nb=AS:64\r\nt=0 0\r\nm=audio 20404 RTP/AVP 18 0 8 101\r\n" +
		"b=TIAS:64000\r\na=rtpmap:18 G729/8000\r\na=fmtp:18 annexb=no\r\na=ptime:20\r\na=rtpmap:0 PCMU/8000\r\na=ptime:20\r\na=rtpmap:8 PCMA/8000\r\na=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-15\r\n", PCMU, 101, 1},
	{"Teams", "v=0\r\no=- 193106 0 IN IP4 203.0.113.15\r\ns=session\r\nc=IN IP4 203.0.113.15\r\nb=CT:10000000\r\nt=0 0\r\nm=audio 51184 RTP/SAVP 104 9 103 111 18 0 8 97 101 13 118\r\n" +
		"c=IN IP4 203.0.113.15\r\na=rtcp:51185\r\na=label:Audio\r\na=mid:1\r\na=sendrecv\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:" + strings.Repeat("A", 40) + "|2^31\r\n" +
		"a=rtpmap:104 SILK/16000\r\na=rtpmap:9 G722/8000\r\na=rtpmap:103 SILK/8000\r\na=rtpmap:111 SIREN/16000\r\na=fmtp:111 bitrate=16000\r\na=rtpmap:18 G729/8000\r\na=rtpmap:0 PCMU/8000\r\n" +
		"a=rtpmap:8 PCMA/8000\r\na=rtpmap:97 RED/8000\r\na=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-16\r\na=rtpmap:13 CN/8000\r\na=rtpmap:118 CN/16000\r\na=ptime:20\r\n", G722, 101, 1},
	{"Zoom", "v=0\r\no=root 123 124 IN IP4 203.0.113.16\r\ns=Zoom\r\nc=IN IP4 203.0.113.16\r\nt=0 0\r\nm=audio 10000 RTP/SAVP 99 9 0 8 101\r\na=rtpmap:99 opus/48000/2\r\na=fmtp:99 useinbandfec=1\r\n" +
		"a=crypto:1 AEAD_AES_256_GCM inline:" + strings.Repeat("A", 59) + "=\r\na=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:" + strings.Repeat("B", 40) + "\r\na=rtpmap:101 telephone-event/8000\r\n", Opus, 101, 1},
	{"linphone", "v=0\r\no=alice 3712 1841 IN IP6 2001:db8::5\r\ns=Talk\r\nc=IN IP6 2001:db8::5\r\nt=0 0\r\na=rtcp-xr:rcvr-rtt=all:10000 stat-summary=loss,dup,jitt,TTL voip-metrics\r\n" +
		"m=audio 7078 RTP/AVPF 96 97 98 0 8 101 99\r\na=rtpmap:96 opus/48000/2\r\na=fmtp:96 useinbandfec=1\r\na=rtpmap:97 speex/16000\r\na=rtpmap:98 speex/8000\r\na=rtpmap:101 telephone-event/48000\r\n" +
		"a=rtpmap:99 telephone-event/8000\r\na=rtcp-fb:* trr-int 1000\r\nm=video 9078 RTP/AVPF 96\r\na=rtpmap:96 VP8/90000\r\n", Opus, 101, 2},
	{"RFC 4317 2.1", "v=0\r\no=alice 2890844526 2890844526 IN IP4 203.0.113.17\r\ns=\r\nc=IN IP4 203.0.113.17\r\nt=0 0\r\nm=audio 49170 RTP/AVP 0 8 97\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:8 PCMA/8000\r\n" +
		"a=rtpmap:97 iLBC/8000\r\nm=video 51372 RTP/AVP 31 32\r\na=rtpmap:31 H261/90000\r\na=rtpmap:32 MPV/90000\r\n", PCMU, 0, 2},
	{"RFC 4317 2.4: several streams", "v=0\r\no=alice 1 1 IN IP4 203.0.113.17\r\ns=\r\nc=IN IP4 203.0.113.17\r\nt=0 0\r\nm=audio 49170 RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\nm=audio 49172 RTP/AVP 98\r\n" +
		"a=rtpmap:98 telephone-event/8000\r\na=sendonly\r\n", PCMU, 0, 2},
	{"line feeds, lines out of order, no s=", "v=0\no=- 1 1 IN IP4 203.0.113.18\na=sendrecv\nc=IN IP4 203.0.113.18\nt=0 0\n\nm=audio 5004 RTP/AVP 8\na=x\nb=AS:80\nc=IN IP4 203.0.113.18\n", PCMA, 0, 1},
	{"only G.729", "v=0\r\no=- 1 1 IN IP4 203.0.113.19\r\ns=-\r\nc=IN IP4 203.0.113.19\r\nt=0 0\r\nm=audio 5004 RTP/AVP 18 101\r\na=rtpmap:18 G729/8000\r\na=rtpmap:101 telephone-event/8000\r\n", "", 0, 0},
	{"WebRTC", "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111 0\r\nc=IN IP4 0.0.0.0\r\na=fingerprint:sha-256 AA\r\na=setup:actpass\r\n", "", 0, 0},
}

func TestPeers(t *testing.T) {
	for _, p := range peers {
		t.Run(p.name, func(t *testing.T) {
			s := New(Options{Local: here, Encryption: Allow})
			answer, stream, err := s.Answer([]byte(p.description), source)
			if p.codec == "" {
				if err == nil {
					t.Fatalf("it was answered\n%s", answer)
				}
				return
			}
			if err != nil || stream.Codec != p.codec || stream.EventPayloadType != p.event || strings.Count(string(answer), "m=") != p.lines {
				t.Errorf("%v, %+v\n%s", err, stream, answer)
			}
		})
	}
}
