package sip

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/e2e/binary"
)

// phone is a telephone network of one call: sipp, which follows a script and reports whether the other side kept to it.
type sippPhone struct {
	address string // host:port
	script  string
	command *exec.Cmd
	dir     string       // in which commands of the script run
	errors  bytes.Buffer // what it says against the other side
	ended   chan error
}

// answering starts a phone that does what the steps say, for one call.
func answering(t *testing.T, transport Transport, steps ...string) *sippPhone {
	t.Helper()
	return answeringAt(t, "127.0.0.1", transport, steps...)
}

// answeringAt is answering at an address of this machine.
func answeringAt(t *testing.T, address string, transport Transport, steps ...string) *sippPhone {
	t.Helper()
	for attempt := 0; ; attempt++ {
		port := freePort(t)
		p := sipp(t, steps, "-t", map[Transport]string{UDP: "u1", TCP: "t1"}[transport], "-p", strconv.Itoa(port), "-i", address, "-mi", address)
		p.address = net.JoinHostPort(address, strconv.Itoa(port))
		if p.listens(transport) {
			return p
		}
		if attempt == 3 {
			t.Fatalf("sipp does not start:\n%s", p.errors.String())
		}
	}
}

// calling starts a phone that calls a number of a gateway, and does what the steps say.
func calling(t *testing.T, g *Gateway, number string, steps []string, options ...string) *sippPhone {
	t.Helper()
	return sipp(t, steps, append([]string{"-t", "u1", "-s", number, net.JoinHostPort("127.0.0.1", strconv.Itoa(g.Port()))}, options...)...)
}

func sipp(t *testing.T, steps []string, options ...string) *sippPhone {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "script.xml")
	p := &sippPhone{dir: dir, ended: make(chan error, 1), script: "<?xml version=\"1.0\"?>\n<scenario name=\"phone\">\n" + strings.Join(steps, "\n") + "\n</scenario>\n"}
	if err := os.WriteFile(script, []byte(p.script), 0o600); err != nil {
		t.Fatal(err)
	}
	p.command = exec.Command("sipp", append([]string{"-sf", script, "-i", "127.0.0.1", "-mi", "127.0.0.1", "-mp", strconv.Itoa(freePort(t)),
		"-rtp_echo", "-m", "1", "-nostdin", "-trace_err", "-timeout", "180s", "-timeout_error"}, options...)...)
	p.command.Dir, p.command.Stderr = dir, &p.errors
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.command.Start(); err != nil {
		t.Fatalf("sipp (Debian's sip-tester) plays the phone: %v", err)
	}
	go func() { p.ended <- p.command.Wait() }()
	t.Cleanup(func() { _ = p.command.Process.Kill() })
	return p
}

// listens waits until the phone has its port; false when it ended before.
func (p *sippPhone) listens(transport Transport) bool {
	for {
		select {
		case <-p.ended:
			return false
		case <-time.After(5 * time.Millisecond):
		}
		if transport == TCP {
			c, err := net.Dial("tcp", p.address)
			if err != nil {
				continue
			}
			_ = c.Close()
			return true
		}
		l, err := net.ListenPacket("udp", p.address)
		if err != nil {
			return true
		}
		_ = l.Close()
	}
}

// content fails unless the other side kept to the script.
func (p *sippPhone) content(t *testing.T) {
	t.Helper()
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("the phone is not content: %v\n%s\n%s", err, p.errors.String(), p.script)
		}
	case <-time.After(testLimit):
		t.Errorf("the phone still waits\n%s", p.script)
	}
}

func (p *sippPhone) route(transport Transport) OutboundRoute {
	return OutboundRoute{Address: p.address, Transport: transport}
}

// freePort is an even port that is free for UDP and TCP, as are the next three: sipp uses them for audio and video.
func freePort(t *testing.T) int {
	t.Helper()
	port, err := binary.FreePortRow(5)
	if err != nil {
		t.Fatal(err)
	}
	return port + port%2
}

// The steps of scripts.

func receives(method string) string { return fmt.Sprintf(`<recv request="%s" crlf="true"/>`, method) }

// repeated lets a request come again, any number of times, which was not answered soon enough for a busy machine.
func repeated(method string) string {
	return fmt.Sprintf(`<label id="repeated"/><recv request="%s" crlf="true" optional="true" next="repeated"/>`, method)
}

func pause(d time.Duration) string {
	return fmt.Sprintf(`<pause milliseconds="%d"/>`, d.Milliseconds())
}

// says answers the last request.
func says(status int, phrase string, headers ...string) string {
	return send("", fmt.Sprintf("SIP/2.0 %d %s", status, phrase), "[last_CSeq:]", "", headers...)
}

// retransmits answers as says does, and repeats the answer until it is acknowledged.
func retransmits(status int, phrase string, headers ...string) string {
	return send(` retrans="500"`, fmt.Sprintf("SIP/2.0 %d %s", status, phrase), "[last_CSeq:]", "", headers...)
}

const answerBody = `v=0
o=phone 1 1 IN IP[local_ip_type] [local_ip]
s=-
c=IN IP[media_ip_type] [media_ip]
t=0 0
m=audio [media_port] RTP/AVP 0 101
a=rtpmap:0 PCMU/8000
a=rtpmap:101 telephone-event/8000
a=ptime:20
`

// picksUp answers the call.
func picksUp(attributes string) string {
	return send(attributes, "SIP/2.0 200 OK", "[last_CSeq:]", answerBody)
}

// acceptsStream answers a request within the call.
func agrees() string {
	return strings.ReplaceAll(says(200, "OK"), ";tag=phone[call_number]", "")
}

// answersInvite answers the INVITE when another request has come since.
func answersInvite(status int, phrase, body string) string {
	return send(` retrans="500"`, fmt.Sprintf("SIP/2.0 %d %s", status, phrase), "CSeq: 1 INVITE", body)
}

func send(attributes, start, cseq, body string, headers ...string) string {
	lines := []string{start, "[last_Via:]", "[last_From:]", "[last_To:];tag=phone[call_number]", "[last_Call-ID:]", cseq,
		"Contact: <sip:phone@[local_ip]:[local_port];transport=[transport]>"}
	lines = append(lines, headers...)
	if body != "" {
		lines = append(lines, "Content-Type: application/sdp", "Content-Length: [len]", "", strings.TrimSuffix(body, "\n"))
	} else {
		lines = append(lines, "Content-Length: 0", "")
	}
	return "<send" + attributes + "><![CDATA[\n\n" + strings.Join(lines, "\n") + "\n\n]]></send>"
}

// hangsUp ends the call that the other side made.
func hangsUp() string {
	return `<send retrans="500"><![CDATA[

BYE sip:[$peer] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: [$mine]
To: [$theirs]
[last_Call-ID:]
CSeq: 2 BYE
Max-Forwards: 70
Content-Length: 0

]]></send>
<recv response="200"/>`
}

// receivesINVITE records the caller, for hangsUp.
func receivesINVITE() string {
	return `<recv request="INVITE" crlf="true"><action>
<ereg regexp="sip:([^&gt;]*)" search_in="hdr" header="Contact:" assign_to="all,peer"/>
<ereg regexp=".*" search_in="hdr" header="From:" assign_to="theirs"/>
<ereg regexp=".*" search_in="hdr" header="To:" assign_to="to"/>
<assignstr assign_to="mine" value="[$to];tag=phone[call_number]"/>
</action></recv>
<Reference variables="all,to"/>`
}
