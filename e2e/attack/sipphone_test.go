package attack

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/e2e/binary"
)

// sipPhone is a phone over UDP that sends what the test says, from an address of the loopback network.
type sipPhone struct {
	*net.UDPConn
	server    netip.AddrPort
	contact   string            // host and port that it names in Contact and in its session description; its own by default
	media     *net.UDPConn      // of its audio
	sent      map[string]string // the last INVITE of each call, keyed by Call-ID
	responses map[string]string // the last response to each call's INVITE except 100, keyed by Call-ID
}

func newPhone(t *testing.T, ip string, sipPort string) *sipPhone {
	t.Helper()
	port, err := strconv.ParseUint(sipPort, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	p := &sipPhone{UDPConn: bound(t, ip, 0), media: bound(t, ip, 0), server: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port)), sent: map[string]string{}, responses: map[string]string{}}
	p.contact = p.LocalAddr().String()
	return p
}

// bound is a UDP socket at an address of this machine.
func bound(t *testing.T, ip string, port int) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(ip), Port: port})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetReadBuffer(4 << 20)
	return c
}

// invite calls a number; header lines may follow.
func (p *sipPhone) invite(t *testing.T, callID, number string, cseq int, headers ...string) {
	t.Helper()
	host, _, _ := strings.Cut(p.contact, ":")
	body := fmt.Sprintf("v=0\r\no=- 1 1 IN IP4 %s\r\ns=-\r\nc=IN IP4 %s\r\nt=0 0\r\nm=audio %d RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\n", host, host, p.media.LocalAddr().(*net.UDPAddr).Port)
	p.send(t, "INVITE", callID, number, "", cseq, body, append(headers, "Contact: <sip:phone@"+p.contact+">", "Content-Type: application/sdp")...)
}

// send sends a request of a call; to is the tag of the other side.
func (p *sipPhone) send(t *testing.T, method, callID, number, to string, cseq int, body string, headers ...string) {
	t.Helper()
	if to != "" {
		to = ";tag=" + to
	}
	text := fmt.Sprintf("%s sip:%s@%s SIP/2.0\r\nVia: SIP/2.0/UDP %s;branch=z9hG4bK%s-%d-%s;rport\r\nFrom: <sip:+493012345678@%s>;tag=phone\r\nTo: <sip:%s@%s>%s\r\nCall-ID: %s\r\nCSeq: %d %s\r\nMax-Forwards: 70\r\n",
		method, number, p.server, p.LocalAddr(), callID, cseq, method, p.LocalAddr(), number, p.server, to, callID, cseq, method)
	for _, h := range headers {
		text += h + "\r\n"
	}
	text += fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	if method == "INVITE" {
		p.sent[callID] = text
	}
	if _, err := p.WriteToUDPAddrPort([]byte(text), p.server); err != nil {
		t.Fatal(err)
	}
}

var (
	callIDForm = regexp.MustCompile(`(?im)^Call-ID:\s*(\S+)`)
	nonceForm  = regexp.MustCompile(`nonce="([^"]+)"`)
	toTagForm  = regexp.MustCompile(`(?im)^To:.*;tag=(\S+)`)
	mediaForm  = regexp.MustCompile(`m=audio (\d+)`)
)

// receive reads one message, within wait; "" for none.
func (p *sipPhone) receive(t *testing.T, wait time.Duration) string {
	t.Helper()
	_ = p.SetReadDeadline(time.Now().Add(wait))
	buffer := make([]byte, 1<<16)
	n, err := p.Read(buffer)
	if err != nil {
		return ""
	}
	message := string(buffer[:n])
	if id := callIDForm.FindStringSubmatch(message); id != nil && strings.HasPrefix(message, "SIP/2.0 ") && !strings.HasPrefix(message, "SIP/2.0 100") && strings.Contains(message, " INVITE\r\n") {
		p.responses[id[1]] = message
	}
	return message
}

// status waits for a response to a call's INVITE other than 100, a final one if final, and returns its status.
func (p *sipPhone) status(t *testing.T, callID string, final bool) string {
	t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); {
		if responses := p.responses[callID]; responses != "" && (!final || responses[8] != '1') {
			return responses[8:11]
		}
		if p.receive(t, time.Second) == "" {
			p.repeat(t, callID)
		}
	}
	t.Fatalf("no answer to call %s", callID)
	return ""
}

// repeat sends a call's INVITE again unless it was answered.
func (p *sipPhone) repeat(t *testing.T, callID string) {
	t.Helper()
	if p.responses[callID] == "" {
		if _, err := p.WriteToUDPAddrPort([]byte(p.sent[callID]), p.server); err != nil {
			t.Fatal(err)
		}
	}
}

// challenged calls a number, and returns the nonce of the challenge.
func (p *sipPhone) challenged(t *testing.T, callID, number string) (nonce string) {
	t.Helper()
	p.invite(t, callID, number, 1)
	if got := p.status(t, callID, true); got != "407" {
		t.Fatalf("a call without credentials is answered with %s", got)
	}
	nonce = nonceForm.FindStringSubmatch(p.responses[callID])[1]
	delete(p.responses, callID)
	return nonce
}

// proof is a Proxy-Authorization header with credentials.
func (p *sipPhone) proof(number, nonce, username, password string) string {
	hash := func(s string) string {
		sum := md5.Sum([]byte(s))
		return hex.EncodeToString(sum[:])
	}
	uri := fmt.Sprintf("sip:%s@%s", number, p.server)
	response := hash(hash(username+":parley:"+password) + ":" + nonce + ":" + hash("INVITE:"+uri))
	return fmt.Sprintf(`Proxy-Authorization: Digest username="%s", realm="parley", nonce="%s", uri="%s", response="%s", algorithm=MD5`, username, nonce, uri, response)
}

// called calls a number with a trunk's credentials and returns the status of the first response other than 100.
func (p *sipPhone) called(t *testing.T, callID, number, username, password string) string {
	t.Helper()
	nonce := p.challenged(t, callID, number)
	p.invite(t, callID, number, 2, p.proof(number, nonce, username, password))
	return p.status(t, callID, false)
}

// cancel cancels a call that rings.
func (p *sipPhone) cancel(t *testing.T, callID, number string, cseq int) {
	t.Helper()
	text := fmt.Sprintf("CANCEL sip:%s@%s SIP/2.0\r\nVia: SIP/2.0/UDP %s;branch=z9hG4bK%s-%d-INVITE;rport\r\nFrom: <sip:+493012345678@%s>;tag=phone\r\nTo: <sip:%s@%s>\r\nCall-ID: %s\r\nCSeq: %d CANCEL\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n",
		number, p.server, p.LocalAddr(), callID, cseq, p.LocalAddr(), number, p.server, callID, cseq)
	if _, err := p.WriteToUDPAddrPort([]byte(text), p.server); err != nil {
		t.Fatal(err)
	}
}

// post creates something and returns its id.
func post(t *testing.T, s *binary.Server, key, path string, body any) (id string) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	answer, made := send(t, s, key, http.MethodPost, path, string(text))
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("POST %s: %s %s", path, answer.Status, made)
	}
	var of struct {
		ID     string `json:"id"`
		CallID string `json:"call_id"`
	}
	if err := json.Unmarshal(made, &of); err != nil {
		t.Fatal(err)
	}
	return of.ID + of.CallID
}

type object = map[string]any

// newDesk returns an agent named desk that needs no vendor.
func newDesk(t *testing.T, s *binary.Server, key string) {
	t.Helper()
	post(t, s, key, "/api/v1/agents", object{"name": "desk", "config": object{
		"stt": object{"provider": "offline", "model": "pocketsphinx"}, "tts": object{"provider": "offline", "voice_id": "slt"},
		"llm": object{"provider": "offline", "model": "scripted"}, "prompt": object{"greeting": "Hello, this is a rather long greeting.", "system": "- hello => Hello."}}})
	post(t, s, key, "/api/v1/workflows", object{"slug": "desk", "name": "Desk", "config": object{
		"nodes": []object{{"id": "a", "agent_name": "desk", "is_entry": true, "is_exit": true}}, "connections": []object{}}})
}

// newNumber has a number answered by desk on a trunk of the tenant.
func newNumber(t *testing.T, s *binary.Server, key, number string, trunk object) (trunkID string) {
	t.Helper()
	trunk["name"], trunk["address"] = "trunk", "127.0.0.1:9"
	trunkID = post(t, s, key, "/api/v1/sip-trunks", trunk)
	post(t, s, key, "/api/v1/phone-numbers", object{"number": number, "agent_name": "desk", "trunk_id": trunkID})
	return trunkID
}

// openCalls is how many calls of a tenant have not ended.
func openCalls(t *testing.T, s *binary.Server, key string) (open int) {
	t.Helper()
	for _, status := range []string{"pending", "connecting", "active"} {
		n, _ := listedCalls(t, s, key, "?status="+status)
		open += n
	}
	return open
}

// listedCalls are a tenant's calls: how many, and the id of the newest.
func listedCalls(t *testing.T, s *binary.Server, key, query string) (total int, newest string) {
	t.Helper()
	var list struct {
		Items []struct{ ID string }
		Total int
	}
	answer, text := send(t, s, key, http.MethodGet, "/api/v1/calls"+query, "")
	if answer.StatusCode != http.StatusOK || json.Unmarshal(text, &list) != nil {
		t.Fatalf("list calls: %s %s", answer.Status, text)
	}
	if len(list.Items) > 0 {
		newest = list.Items[0].ID
	}
	return list.Total, newest
}
