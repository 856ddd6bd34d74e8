package phones

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Script is a scenario of sipp for phones that call a number, of at most 64 kB, which sipp reads no more of. The port of a phone's audio
// is the first field of its line in the injection file. The number of a request (CSeq) is the version of its session description, too.
type Script struct {
	steps     []string
	loops     int
	variables []string
}

// Direction is the attribute of a session description that says who sends audio.
type Direction string

// The directions that a phone offers: in a conversation, and while it has the call on hold.
const (
	SendRecv Direction = "sendrecv"
	SendOnly Direction = "sendonly"
)

// Call invites and acknowledges the answer. More headers may follow, such as Session-Expires.
func (s *Script) Call(headers ...string) *Script {
	s.step(compose("INVITE", "sip:[service]@[remote_ip]:[remote_port]", "", description(SendRecv), headers...))
	return s.step(`<recv response="100" optional="true"/>`, `<recv response="180" optional="true"/>`, `<recv response="183" optional="true"/>`,
		`<recv response="200" rrs="true" rtd="true"/>`).acknowledge()
}

// Reinvite offers another direction, and expects its opposite in the answer.
func (s *Script) Reinvite(d Direction) *Script {
	s.request("INVITE", description(d))
	s.uses("direction")
	opposite := map[Direction]Direction{SendRecv: SendRecv, SendOnly: "recvonly"}[d]
	return s.step(`<recv response="100" optional="true"/>`,
		fmt.Sprintf(`<recv response="200"><action><ereg regexp="a=%s" search_in="msg" check_it="true" assign_to="direction"/></action></recv>`, opposite)).acknowledge()
}

// Refresh renews the session by an UPDATE (RFC 4028).
func (s *Script) Refresh(interval time.Duration) *Script {
	s.request("UPDATE", "", "Supported: timer", fmt.Sprintf("Session-Expires: %.0f;refresher=uac", interval.Seconds()))
	return s.step(`<recv response="200"/>`)
}

// AwaitRefresh answers an UPDATE that renews the session, which must come within a time.
func (s *Script) AwaitRefresh(within, interval time.Duration) *Script {
	return s.step(fmt.Sprintf(`<recv request="UPDATE" timeout="%d"/>`, within.Milliseconds()),
		message("SIP/2.0 200 OK", "", "[last_Via:]", "[last_From:]", "[last_To:]", "[last_Call-ID:]", "[last_CSeq:]",
			"Contact: <sip:phone@[local_ip]:[local_port]>", "Require: timer", fmt.Sprintf("Session-Expires: %.0f;refresher=uac", interval.Seconds())))
}

// Pause waits.
func (s *Script) Pause(d time.Duration) *Script {
	return s.step(fmt.Sprintf(`<pause milliseconds="%d"/>`, d.Milliseconds()))
}

// Repeat does steps a number of times.
func (s *Script) Repeat(times int, steps func()) *Script {
	s.loops++
	label, count, more := fmt.Sprintf("loop%d", s.loops), fmt.Sprintf("count%d", s.loops), fmt.Sprintf("more%d", s.loops)
	s.uses(count, more)
	s.step(fmt.Sprintf(`<nop><action><assign assign_to="%s" value="0"/></action></nop>`, count), fmt.Sprintf(`<label id="%s"/>`, label))
	steps()
	return s.step(fmt.Sprintf(`<nop><action><add assign_to="%s" value="1"/><test assign_to="%s" variable="%[1]s" compare="less_than" value="%[3]d"/></action></nop>`, count, more, times),
		fmt.Sprintf(`<nop next="%s" test="%s"/>`, label, more))
}

// HangUp ends the call.
func (s *Script) HangUp() *Script {
	s.request("BYE", "")
	return s.step(`<recv response="200"/>`)
}

func (s *Script) String() string {
	text := "<?xml version=\"1.0\"?>\n<scenario name=\"phone\">\n" + strings.Join(s.steps, "\n") + "\n"
	if len(s.variables) > 0 {
		text += fmt.Sprintf("<Reference variables=\"%s\"/>\n", strings.Join(s.variables, ","))
	}
	return text + "</scenario>\n"
}

// uses declares variables, which sipp wants to be read somewhere.
func (s *Script) uses(variables ...string) {
	for _, v := range variables {
		if !slices.Contains(s.variables, v) {
			s.variables = append(s.variables, v)
		}
	}
}

func (s *Script) step(steps ...string) *Script {
	s.steps = append(s.steps, steps...)
	return s
}

func (s *Script) acknowledge() *Script {
	return s.step(strings.Replace(compose("ACK", "[next_url]", "[peer_tag_param]", ""), ` retrans="500"`, "", 1))
}

// request sends a request within the call.
func (s *Script) request(method, body string, headers ...string) {
	s.step(compose(method, "[next_url]", "[peer_tag_param]", body, headers...))
}

// compose writes a request. The branch that sipp makes is the same each time that a step is repeated, so the request's number follows it.
func compose(method, uri, tag, body string, headers ...string) string {
	lines := append([]string{
		"Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]-[cseq];rport",
		"From: <sip:+493012345678@[local_ip]:[local_port]>;tag=phone[call_number]",
		"To: <sip:[service]@[remote_ip]:[remote_port]>" + tag, "Call-ID: [call_id]", "CSeq: [cseq] " + method,
		"Contact: <sip:phone@[local_ip]:[local_port]>", "Max-Forwards: 70",
	}, headers...)
	return strings.Replace(message(method+" "+uri+" SIP/2.0", body, lines...), "<send>", `<send retrans="500">`, 1)
}

func message(start, body string, headers ...string) string {
	lines := append([]string{start}, headers...)
	if body == "" {
		lines = append(lines, "Content-Length: 0", "")
	} else {
		lines = append(lines, "Content-Type: application/sdp", "Content-Length: [len]", "", body)
	}
	return "<send><![CDATA[\n\n" + strings.Join(lines, "\n") + "\n\n]]></send>"
}

func description(d Direction) string {
	return fmt.Sprintf(`v=0
o=phone 1 [cseq] IN IP4 [local_ip]
s=-
c=IN IP4 [media_ip]
t=0 0
m=audio [field0] RTP/AVP 0 101
a=rtpmap:0 PCMU/8000
a=rtpmap:101 telephone-event/8000
a=ptime:20
a=%s`, d)
}
