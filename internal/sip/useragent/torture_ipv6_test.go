package useragent

import (
	"fmt"
	"strings"
	"testing"
)

// The session descriptions of RFC 5118's messages.
const (
	sessionIPv6 = "v=0\r\no=assistant 971731711378798081 0 IN IP6 2001:db8::20\r\ns=Live video feed for today's meeting\r\nc=IN IP6 2001:db8::20\r\n" +
		"t=3338481189 3370017201\r\nm=audio 6000 RTP/AVP 2\r\na=rtpmap:2 G726-32/8000\r\nm=video 6024 RTP/AVP 107\r\na=rtpmap:107 H263-1998/90000\r\n"
	sessionBoth = "v=0\r\no=bob 280744730 28977631 IN IP4 host.example.com\r\ns=\r\nt=0 0\r\n" +
		"m=audio 22334 RTP/AVP 0\r\nc=IN IP4 192.0.2.1\r\nm=video 6024 RTP/AVP 107\r\nc=IN IP6 2001:db8::1\r\na=rtpmap:107 H263-1998/90000\r\n"
)

// The messages of RFC 5118 are answered: those of a valid syntax with the status of their method, in which section 4.10 includes a
// third colon.
func TestTortureMessagesIPv6(t *testing.T) {
	const source, mapped = "Via: SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111\r\n", "::ffff:192.0.2.2"
	for section, test := range map[string]struct {
		method, uri, headers, body string
		want                       []int
	}{
		"4.1":                  {"REGISTER", "sip:[2001:db8::10]", source + "Contact: \"Caller\" <sip:caller@[2001:db8::1]>\r\nExpires: 3600\r\n", "", []int{405}},
		"4.2":                  {"REGISTER", "sip:2001:db8::10", source + "Contact: \"Caller\" <sip:caller@[2001:db8::1]>\r\nExpires: 3600\r\n", "", []int{400}},
		"4.3":                  {"REGISTER", "sip:[2001:db8::10:5070]", source + "Contact: \"Caller\" <sip:caller@[2001:db8::1]>\r\n", "", []int{405}},
		"4.4":                  {"REGISTER", "sip:[2001:db8::10]:5070", source + "Contact: \"Caller\" <sip:caller@[2001:db8::1]>\r\n", "", []int{405}},
		"4.5 delimiters":       {"BYE", "sip:[2001:db8::10]", "Via: SIP/2.0/UDP [2001:db8::9:1];received=[2001:db8::9:255];branch=z9hG4bKas3-111\r\n", "", []int{481}},
		"4.5 no delimiters":    {"OPTIONS", "sip:[2001:db8::10]", "Via: SIP/2.0/UDP [2001:db8::9:1];received=2001:db8::9:255;branch=z9hG4bKas3\r\n", "", []int{200}},
		"4.6":                  {"INVITE", "sip:user@[2001:db8::10]", source + "Contact: \"Caller\" <sip:caller@[2001:db8::9:1]>\r\n", sessionIPv6, []int{reached}},
		"4.7":                  {"BYE", "sip:user@host.example.net", "Via: SIP/2.0/UDP [2001:db8::9:1]:6050;branch=z9hG4bKas3-111\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKjhja8781hjuaij65144\r\nVia: SIP/2.0/TCP [2001:db8::9:255];branch=z9hG4bK451jj;received=192.0.2.200\r\n", "", []int{481}},
		"4.8":                  {"INVITE", "sip:user@[2001:db8::10]", source + "Contact: \"Caller\" <sip:caller@[2001:db8::9:1]>\r\n", sessionBoth, []int{reached}},
		"4.9":                  {"INVITE", "sip:user@example.com", "Via: SIP/2.0/UDP [::ffff:192.0.2.10]:19823;branch=z9hG4bKbh19\r\nVia: SIP/2.0/UDP [" + mapped + "];branch=z9hG4bKas3-111\r\nContact: \"T. desk phone\" <sip:ted@[" + mapped + "]>\r\n", strings.ReplaceAll(sessionIPv6, "2001:db8::20", mapped), []int{reached}},
		"4.10 three colons":    {"OPTIONS", "sip:user@[2001:db8:::192.0.2.1]", source, "", []int{200}},
		"4.10 two colons":      {"OPTIONS", "sip:user@[2001:db8::192.0.2.1]", source, "", []int{200}},
		"brackets not closed":  {"OPTIONS", "sip:user@[2001:db8::10", source, "", []int{400}},
		"brackets of a number": {"OPTIONS", "sip:user@[2001]", source, "", []int{200, 400}},
	} {
		t.Run(section, func(t *testing.T) {
			content := ""
			if test.body != "" {
				content = "Content-Type: application/sdp\r\n"
			}
			message := fmt.Sprintf("%s %s SIP/2.0\r\nTo: <sip:user@[2001:db8::10]>\r\nFrom: <sip:user@example.com>;tag=81x2\r\n%sCall-ID: SSG9559905523997077@hlau_4100\r\nCSeq: 8912 %s\r\nMax-Forwards: 70\r\n%sContent-Length: %d\r\n\r\n%s",
				test.method, test.uri, test.headers, test.method, content, len(test.body), test.body)
			checkAnswer(t, []byte(message), test.want)
		})
	}
}
