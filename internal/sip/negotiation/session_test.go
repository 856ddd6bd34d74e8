package negotiation

import (
	"errors"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	here   = netip.MustParseAddrPort("192.0.2.1:40000")
	source = netip.MustParseAddr("198.51.100.7")
)

// describe makes a description of a peer at its source.
func describe(media ...string) []byte {
	return []byte("v=0\r\no=- 1 1 IN IP4 198.51.100.7\r\ns=-\r\nc=IN IP4 198.51.100.7\r\nt=0 0\r\n" + strings.Join(media, "\r\n") + "\r\n")
}

const audio = "m=audio 6000 RTP/AVP 0 8 101\r\na=rtpmap:101 telephone-event/8000"

func answered(t *testing.T, s *Session, offer []byte) (string, Stream) {
	t.Helper()
	answer, stream, err := s.Answer(offer, source)
	if err != nil {
		t.Fatalf("%v\n%s", err, offer)
	}
	return string(answer), stream
}

// version is that of a description's origin.
func version(description string) string {
	return regexp.MustCompile(`o=- \d+ (\d+) `).FindStringSubmatch(description)[1]
}

func TestAnswerDescribesTheSameStream(t *testing.T) {
	answer, stream := answered(t, New(Options{Local: here}), describe(audio))
	want := Stream{Codec: PCMU, EventPayloadType: 101, ReceiveEventPayloadType: 101, EventClockRate: 8000, PacketTime: 20 * time.Millisecond,
		Remote: netip.MustParseAddrPort("198.51.100.7:6000"), Control: netip.MustParseAddrPort("198.51.100.7:6001"), Sends: true, Receives: true}
	if stream != want {
		t.Errorf("the stream is %+v", stream)
	}
	for _, line := range []string{"c=IN IP4 192.0.2.1", "m=audio 40000 RTP/AVP 0 101", "a=rtpmap:0 PCMU/8000", "a=fmtp:101 0-16", "a=sendrecv", "a=ptime:20"} {
		if !strings.Contains(answer, line+"\r\n") {
			t.Errorf("%s is not in\n%s", line, answer)
		}
	}
}

func TestHoldAndResume(t *testing.T) {
	s := New(Options{Local: here})
	first, _ := answered(t, s, describe(audio))
	for _, step := range []struct {
		offer           []byte
		direction       string
		sends, receives bool
		version         string
	}{
		{describe(audio, "a=sendonly"), "recvonly", false, true, "2"},
		{describe(audio, "a=sendonly"), "recvonly", false, true, "2"},
		{describe(audio), "sendrecv", true, true, "3"},
		{describe(audio, "a=inactive"), "inactive", false, false, "4"},
		{describe(audio, "a=recvonly"), "sendonly", true, false, "5"},
		{[]byte(strings.Replace(string(describe(audio)), "c=IN IP4 198.51.100.7", "c=IN IP4 0.0.0.0", 1)), "inactive", false, false, "6"},
		{[]byte(strings.Replace(string(describe(audio)), "t=0 0", "t=0 0\r\na=sendonly", 1)), "recvonly", false, true, "7"},
		{[]byte(strings.Replace(string(describe(audio, "a=sendrecv")), "t=0 0", "t=0 0\r\na=inactive", 1)), "sendrecv", true, true, "8"},
	} {
		answer, stream := answered(t, s, step.offer)
		if stream.Sends != step.sends || stream.Receives != step.receives || !strings.Contains(answer, "a="+step.direction+"\r\n") || version(answer) != step.version {
			t.Errorf("to\n%s\nthe answer is\n%s", step.offer, answer)
		}
		if !strings.Contains(answer, "m=audio 40000") || answer[:10] != first[:10] {
			t.Errorf("port or session changed:\n%s", answer)
		}
	}
}

func TestChosenFormats(t *testing.T) {
	for name, c := range map[string]struct {
		media   string
		codecs  []Codec
		codec   Codec
		payload uint8
		event   uint8
		rate    int
		noise   bool
		packets int64 // ms
	}{
		"the offerer's order":       {"m=audio 6000 RTP/AVP 8 0", nil, PCMA, 8, 0, 0, false, 20},
		"only what is configured":   {"m=audio 6000 RTP/AVP 9 8 0", []Codec{PCMU, PCMA}, PCMA, 8, 0, 0, false, 20},
		"G.722":                     {"m=audio 6000 RTP/AVP 9 0\r\na=rtpmap:9 G722/8000", nil, G722, 9, 0, 0, false, 20},
		"G.722 with its real rate":  {"m=audio 6000 RTP/AVP 9 0\r\na=rtpmap:9 G722/16000", nil, G722, 9, 0, 0, false, 20},
		"dynamic, in other letters": {"m=audio 6000 RTP/AVP 96 0\r\na=rtpmap:96 Pcma/8000", nil, PCMA, 96, 0, 0, false, 20},
		"opus with its events": {"m=audio 6000 RTP/AVP 120 101 110\r\na=rtpmap:120 OPUS/48000/2\r\na=rtpmap:101 telephone-event/8000\r\na=rtpmap:110 telephone-event/48000",
			nil, Opus, 120, 110, 48000, false, 20},
		"opus with narrow events": {"m=audio 6000 RTP/AVP 120 101\r\na=rtpmap:120 opus/48000/2\r\na=rtpmap:101 telephone-event/8000", nil, Opus, 120, 101, 8000, false, 20},
		"comfort noise":           {"m=audio 6000 RTP/AVP 0 13", nil, PCMU, 0, 0, 0, true, 20},
		"unknown ones before":     {"m=audio 6000 RTP/AVP 18 97 3 0\r\na=rtpmap:18 G729/8000\r\na=rtpmap:97 iLBC/8000", nil, PCMU, 0, 0, 0, false, 20},
		"30 ms":                   {"m=audio 6000 RTP/AVP 0\r\na=ptime:30", nil, PCMU, 0, 0, 0, false, 30},
		"30 ms of opus":           {"m=audio 6000 RTP/AVP 120\r\na=rtpmap:120 opus/48000/2\r\na=ptime:30", nil, Opus, 120, 0, 0, false, 20},
		"80 ms":                   {"m=audio 6000 RTP/AVP 0\r\na=ptime:80", nil, PCMU, 0, 0, 0, false, 60},
		"at most 10 ms":           {"m=audio 6000 RTP/AVP 0\r\na=maxptime:10", nil, PCMU, 0, 0, 0, false, 10},
		"no sensible time":        {"m=audio 6000 RTP/AVP 0\r\na=ptime:NaN", nil, PCMU, 0, 0, 0, false, 20},
	} {
		_, s := answered(t, New(Options{Local: here, Codecs: c.codecs}), describe(c.media))
		if s.Codec != c.codec || s.PayloadType != c.payload || s.EventPayloadType != c.event || s.EventClockRate != c.rate || s.ComfortNoise != c.noise ||
			s.PacketTime.Milliseconds() != c.packets {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestUnusedLinesHavePortZero(t *testing.T) {
	s := New(Options{Local: here})
	answer, _ := answered(t, s, describe("m=video 6002 RTP/AVP 96\r\na=rtpmap:96 H264/90000", audio, "m=audio 6004 RTP/AVP 8", "m=application 9 UDP/BFCP *"))
	var lines []string
	for line := range strings.SplitSeq(answer, "\r\n") {
		if strings.HasPrefix(line, "m=") {
			lines = append(lines, line)
		}
	}
	if !slices.Equal(lines, []string{"m=video 0 RTP/AVP 96", "m=audio 40000 RTP/AVP 0 101", "m=audio 0 RTP/AVP 8", "m=application 0 UDP/BFCP *"}) {
		t.Errorf("lines %q", lines)
	}
	offer, err := s.Offer()
	if err != nil || strings.Count(string(offer), "\r\nm=") != 4 || !strings.Contains(string(offer), "m=audio 40000 RTP/AVP 0 8 9 111 101 110 13\r\n") {
		t.Errorf("a later offer: %v\n%s", err, offer)
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		body            string
		encryption      Encryption
		status, warning int
	}{
		"only G.729":            {string(describe("m=audio 6000 RTP/AVP 18\r\na=rtpmap:18 G729/8000")), Off, 488, 305},
		"fax":                   {string(describe("m=image 6000 udptl t38")), Off, 488, 304},
		"audio without a port":  {string(describe("m=audio 0 RTP/AVP 0")), Off, 488, 304},
		"SRTP":                  {string(describe("m=audio 6000 RTP/SAVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:" + strings.Repeat("A", 40))), Off, 488, 302},
		"RTP":                   {string(describe(audio)), Require, 488, 302},
		"SRTP without a key":    {string(describe("m=audio 6000 RTP/SAVP 0")), Allow, 488, 302},
		"SRTP by DTLS":          {string(describe("m=audio 6000 UDP/TLS/RTP/SAVPF 0")), Allow, 488, 302},
		"SRTP with a short key": {string(describe("m=audio 6000 RTP/SAVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAAA")), Allow, 488, 302},
		"nothing":               {"", Off, 400, 0},
		"text":                  {"hello\r\n", Off, 400, 0},
		"a wrong port":          {string(describe("m=audio 70000 RTP/AVP 0")), Off, 400, 0},
		"many lines":            {string(describe(strings.Repeat("m=audio 6000 RTP/AVP 0\r\n", 33))), Off, 400, 0},
		"many formats":          {string(describe("m=audio 6000 RTP/AVP" + strings.Repeat(" 0", 65))), Off, 400, 0},
		"too large":             {string(describe(audio, strings.Repeat("a=x\r\n", 20000))), Off, 400, 0},
	} {
		s := New(Options{Local: here, Encryption: c.encryption})
		_, _, err := s.Answer([]byte(c.body), source)
		var r *Refusal
		if !errors.As(err, &r) || r.Status != c.status || r.Warning != c.warning {
			t.Errorf("%s: %v", name, err)
		}
		if s.Agreed() || s.Description() != nil {
			t.Errorf("%s: the session has changed", name)
		}
	}
}

func TestKeys(t *testing.T) {
	key := func(tag, suite string, length int) string {
		return "a=crypto:" + tag + " " + suite + " inline:" + strings.Repeat("A", length)
	}
	for name, c := range map[string]struct {
		encryption Encryption
		media      string
		profile    string
		suite      string // "" for plain RTP
		tag        int
	}{
		"the first known one": {Allow, "m=audio 6000 RTP/SAVP 0\r\n" + key("1", "F8_128_HMAC_SHA1_80", 40) + "\r\n" + key("2", "AES_CM_128_HMAC_SHA1_32", 40) + "|2^20|1:4", "RTP/SAVP", "AES_CM_128_HMAC_SHA1_32", 2},
		"256 bits":            {Require, "m=audio 6000 RTP/SAVPF 0\r\n" + key("7", "AES_CM_256_HMAC_SHA1_80", 62) + "==", "RTP/SAVPF", "AES_256_CM_HMAC_SHA1_80", 7},
		"GCM":                 {Require, "m=audio 6000 RTP/SAVP 0\r\n" + key("1", "AEAD_AES_128_GCM", 38), "RTP/SAVP", "AEAD_AES_128_GCM", 1},
		"opportunistic":       {Require, "m=audio 6000 RTP/AVP 0\r\n" + key("1", "AES_CM_128_HMAC_SHA1_80", 40), "RTP/AVP", "AES_CM_128_HMAC_SHA1_80", 1},
		"not used":            {Off, "m=audio 6000 RTP/AVP 0\r\n" + key("1", "AES_CM_128_HMAC_SHA1_80", 40), "RTP/AVP", "", 0},
		"other parameters":    {Allow, "m=audio 6000 RTP/AVP 0\r\n" + key("1", "AES_CM_128_HMAC_SHA1_80", 40) + " UNENCRYPTED_SRTP", "RTP/AVP", "", 0},
	} {
		answer, s := answered(t, New(Options{Local: here, Encryption: c.encryption}), describe(c.media))
		if !strings.Contains(answer, "m=audio 40000 "+c.profile+" 0") || (s.RemoteKey != nil) != (c.suite != "") || (s.LocalKey != nil) != (c.suite != "") {
			t.Errorf("%s: %+v\n%s", name, s, answer)
			continue
		}
		if c.suite != "" && (s.LocalKey.Suite != c.suite || s.RemoteKey.Suite != c.suite || s.LocalKey.Tag != c.tag || len(s.LocalKey.Secret) != len(s.RemoteKey.Secret) ||
			!strings.Contains(answer, "a="+s.LocalKey.line()+"\r\n")) {
			t.Errorf("%s: %+v %+v\n%s", name, s.LocalKey, s.RemoteKey, answer)
		}
		if name == "the first known one" && string(s.RemoteKey.Identifier) != "\x00\x00\x00\x01" {
			t.Errorf("the identifier is %x", s.RemoteKey.Identifier)
		}
	}
}

// TestBothSides lets one session answer another.
func TestBothSides(t *testing.T) {
	for _, e := range []struct {
		caller, callee Encryption
		encrypted      bool
	}{{Off, Off, false}, {Allow, Off, false}, {Allow, Allow, true}, {Require, Allow, true}, {Allow, Require, true}} {
		caller, callee := New(Options{Local: here, Encryption: e.caller}), New(Options{Local: netip.MustParseAddrPort("198.51.100.7:6000"), Encryption: e.callee})
		offer, err := caller.Offer()
		if err != nil {
			t.Fatal(err)
		}
		answer, there, err := callee.Answer(offer, here.Addr())
		if err != nil {
			t.Fatal(e, err)
		}
		mine, err := caller.Accept(answer, source)
		if err != nil {
			t.Fatal(e, err)
		}
		if mine.Codec != there.Codec || mine.Remote.Port() != 6000 || there.Remote != here || (mine.LocalKey != nil) != e.encrypted {
			t.Errorf("%+v\n%+v", mine, there)
		}
		if e.encrypted && (string(mine.LocalKey.Secret) != string(there.RemoteKey.Secret) || string(mine.RemoteKey.Secret) != string(there.LocalKey.Secret)) {
			t.Error("the keys differ")
		}
		caller.Hold(true)
		again, err := caller.Refresh()
		if err != nil || version(string(again)) != "2" {
			t.Fatal(err, string(again))
		}
		if _, there, err = callee.Answer(again, here.Addr()); err != nil || there.Sends || !there.Receives {
			t.Errorf("held: %+v, %v", there, err)
		}
	}
}

func TestAnswerNumbersTheCodecAnew(t *testing.T) {
	s := New(Options{Local: here, Codecs: []Codec{Opus, PCMU}})
	if _, err := s.Offer(); err != nil {
		t.Fatal(err)
	}
	stream, err := s.Accept(describe("m=audio 6000 RTP/AVP 97 98\r\na=rtpmap:97 opus/48000/2\r\na=rtpmap:98 telephone-event/48000"), source)
	if err != nil || stream.PayloadType != 97 || stream.ReceivePayloadType != 111 || stream.EventPayloadType != 98 || stream.ReceiveEventPayloadType != 110 {
		t.Errorf("%+v, %v", stream, err)
	}
}

func TestOffersAtTheWrongTime(t *testing.T) {
	s := New(Options{Local: here})
	if _, err := s.Accept(describe(audio), source); !errors.Is(err, ErrNoOffer) {
		t.Errorf("an answer without an offer: %v", err)
	}
	answered(t, s, describe(audio))
	before := s.Stream()
	if _, err := s.Offer(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(); !errors.Is(err, ErrPending) {
		t.Errorf("a second offer: %v", err)
	}
	if _, _, err := s.Answer(describe(audio), source); !errors.Is(err, ErrPending) {
		t.Errorf("glare: %v", err)
	}
	s.Reject()
	if answer, _ := answered(t, s, describe(audio)); version(answer) != "3" || s.Stream() != before {
		t.Errorf("after the rollback: %+v\n%s", s.Stream(), answer)
	}
}

func TestRefreshRepeatsTheDescription(t *testing.T) {
	s := New(Options{Local: here})
	answer, _ := answered(t, s, describe(audio, "a=sendonly"))
	if again, err := s.Refresh(); err != nil || string(again) != answer {
		t.Errorf("%v\n%s\n%s", err, again, answer)
	}
}

func TestAddressesAreGuarded(t *testing.T) {
	permits := func(a netip.Addr) bool { return !a.IsPrivate() && !a.IsLoopback() }
	for connection, want := range map[string]string{
		"IN IP4 203.0.113.9": "203.0.113.9:6000", "IN IP4 10.0.0.1": "198.51.100.7:6000", "IN IP4 127.0.0.1": "198.51.100.7:6000",
		"IN IP4 224.2.1.1/127": "198.51.100.7:6000", "IN IP4 media.example.com": "198.51.100.7:6000", "IN IP6 2001:db8::1": "[2001:db8::1]:6000",
		"IN IP6 ::ffff:10.0.0.1": "198.51.100.7:6000", "IN IP6 fe80::1%eth0": "198.51.100.7:6000",
	} {
		_, s := answered(t, New(Options{Local: here, Permits: permits}), describe(audio+"\r\nc="+connection+"\r\na=rtcp:7001 IN IP4 10.0.0.2"))
		if s.Remote.String() != want || s.Control.Addr().IsPrivate() || s.Control.Port() != 7001 {
			t.Errorf("%s: %s, %s", connection, s.Remote, s.Control)
		}
	}
}

func TestMultiplexedControl(t *testing.T) {
	answer, s := answered(t, New(Options{Local: here}), describe(audio+"\r\na=rtcp-mux"))
	if !s.Multiplexed || s.Control != s.Remote || !strings.Contains(answer, "a=rtcp-mux\r\n") {
		t.Errorf("%+v\n%s", s, answer)
	}
}

func TestOfferAvoidsNumbersInUse(t *testing.T) {
	s := New(Options{Local: here})
	answered(t, s, describe("m=audio 6000 RTP/AVP 101 111\r\na=rtpmap:101 opus/48000/2\r\na=rtpmap:111 telephone-event/48000"))
	offer, err := s.Offer()
	if err != nil || !strings.Contains(string(offer), "m=audio 40000 RTP/AVP 0 8 9 101 96 111 13\r\n") {
		t.Errorf("%v\n%s", err, offer)
	}
}
