package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// A phone that rings a number of the demo workflow is answered, hears the agent, and hangs up.
func TestPhoneCallThatComesIn(t *testing.T) {
	t.Parallel()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, filepath.Join(t.TempDir(), "data"), ports)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/phone-numbers", strings.NewReader(`{"number":"+4930111111","workflow_slug":"demo"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", s.Key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("create a number: %d", answer.StatusCode)
	}
	dial := func(number, script string) *binary.Process {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "phone.xml"), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := binary.Launch("sipp", nil, "-sf", filepath.Join(dir, "phone.xml"), "-i", "127.0.0.1", "-mi", "127.0.0.1", "-rtp_echo",
			"-m", "1", "-nostdin", "-timeout", "60s", "-timeout_error", "-s", number, "127.0.0.1:"+ports["PARLEY_SIP_PORT"])
		if err != nil {
			t.Fatalf("sipp of package sip-tester: %v", err)
		}
		t.Cleanup(p.Kill)
		return p
	}
	content := func(what string, p *binary.Process) {
		t.Helper()
		if code, err := p.Wait(t.Context()); err != nil || code != 0 {
			t.Errorf("%s: sipp ends with %d, %v\n%s", what, code, err, p.Log.String())
		}
	}
	content("unknown number", dial("+4930000000", phoneScript(`<recv response="404"/>`+phoneRequest("ACK", "1"))))

	p := dial("+4930111111", phoneScript(`<recv response="200"/>`+phoneRequest("ACK", "1")+`<pause milliseconds="4000"/>`+phoneRequest("BYE", "2")+`<recv response="200"/>`))
	content("a call", p)
	listed, err := s.API.Calls.List(t.Context(), client.CallQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Items) != 1 {
		t.Fatalf("%d calls", len(listed.Items))
	}
	c := awaitEnd(t, s, listed.Items[0].ID, 20*time.Second, client.Completed, "caller_hangup")
	if c.CallType != "sip" || c.Direction != "inbound" || c.PhoneNumber == nil || *c.PhoneNumber != "+4930222222" || c.StartedAt == nil {
		t.Errorf("the call is %+v", c)
	}
	if strings.Contains(s.Log.String(), "222222") || strings.Contains(s.Log.String(), "111111") {
		t.Errorf("the log holds a number:\n%s", s.Log.String())
	}
}

// phoneScript is a phone's call until the first ringing, and what follows.
func phoneScript(rest string) string {
	return `<?xml version="1.0"?><scenario name="phone">` + phoneRequest("INVITE", "1") + `<recv response="100" optional="true"/><recv response="180" optional="true"/>` + rest + `</scenario>`
}

func phoneRequest(method, cseq string) string {
	text := method + ` sip:[service]@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:+4930222222@[local_ip]:[local_port]>;tag=phone[call_number]
To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
Call-ID: [call_id]
CSeq: ` + cseq + ` ` + method + `
Contact: <sip:phone@[local_ip]:[local_port]>
Max-Forwards: 70
`
	switch method {
	case "INVITE":
		text += `Content-Type: application/sdp
Content-Length: [len]

v=0
o=phone 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [media_ip]
t=0 0
m=audio [media_port] RTP/AVP 0
a=rtpmap:0 PCMU/8000
`
	default:
		text += "Content-Length: 0\n"
	}
	if method == "ACK" {
		return "<send><![CDATA[\n\n" + text + "\n]]></send>"
	}
	return `<send retrans="500"><![CDATA[` + "\n\n" + text + "\n]]></send>"
}
