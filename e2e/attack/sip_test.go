package attack

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	server "parley/e2e/binary"
)

const opened = "+4930555000"

// phoneServer starts a server that answers phone calls.
func phoneServer(t *testing.T, more map[string]string) (s *server.Server, sipPort string) {
	t.Helper()
	port, err := server.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{"PARLEY_SIP_PORT": strconv.Itoa(port), "PARLEY_SIP_OPEN_NUMBERS": opened, "PARLEY_WORKER_CAPACITY": "40"}
	for name, value := range more {
		settings[name] = value
	}
	return start(t, settings), strconv.Itoa(port)
}

// A number answers calls of its own trunk only; no tenant can block another's number, or receive its calls.
func TestPhoneNumbersAreClosed(t *testing.T) {
	s, port := phoneServer(t, nil)
	const number = "+4930555001"
	acme, squatter := newTenant(t, s, "acme", "*"), newTenant(t, s, "squatter", "*")
	newDesk(t, s, acme)
	newDesk(t, s, squatter)
	newNumber(t, s, squatter, number, object{"username": "squatter", "password": "secret"})
	newNumber(t, s, acme, number, object{"username": "acme", "password": "pa55word"})
	newNumber(t, s, acme, "+4930555002", object{})
	newNumber(t, s, acme, "+4930555003", object{"allowed_addresses": []string{"127.0.0.2/32"}})
	newNumber(t, s, acme, opened, object{})
	reached := func(t *testing.T, key string, by *sipPhone, id, number string, cseq int) {
		t.Helper()
		await(t, "the call reaches its tenant", func() bool { n, _ := listedCalls(t, s, key, ""); return n > 0 })
		_, call := listedCalls(t, s, key, "")
		by.cancel(t, id, number, cseq)
		send(t, s, key, http.MethodPost, "/api/v1/calls/"+call+"/end", "")
	}

	stranger := newPhone(t, "127.0.0.1", port)
	stranger.challenged(t, "no-proof", number)
	for id, closed := range map[string]string{"no-way": "+4930555002", "elsewhere": "+4930555003", "nobody": "+4930555009"} {
		stranger.invite(t, id, closed, 1)
		if got := stranger.status(t, id, true); got != "404" {
			t.Errorf("%s: a stranger is answered with %s", closed, got)
		}
	}
	if n, _ := listedCalls(t, s, acme, ""); n != 0 {
		t.Fatalf("strangers made %d calls", n)
	}
	if got := stranger.called(t, "acme", number, "acme", "pa55word"); got != "180" && got != "200" {
		t.Errorf("the trunk is answered with %s", got)
	}
	reached(t, acme, stranger, "acme", number, 2)
	if n, _ := listedCalls(t, s, squatter, ""); n != 0 {
		t.Error("the squatter got the call")
	}
	carrier := newPhone(t, "127.0.0.2", port)
	for id, number := range map[string]string{"by-address": "+4930555003", "open": opened} {
		carrier.invite(t, id, number, 1)
		if got := carrier.status(t, id, false); got != "180" && got != "200" {
			t.Errorf("%s is answered with %s", id, got)
		}
		carrier.cancel(t, id, number, 1)
	}
	// A tag of ours that leads to no call begins none.
	stranger.send(t, "INVITE", "within", opened, "SCL_x", 1, "")
	if got := stranger.status(t, "within", true); got != "481" {
		t.Errorf("an INVITE within no call is answered with %s", got)
	}

	body := `{"number":"+4930555004","agent_name":"desk"}`
	if answer, text := send(t, s, acme, http.MethodPost, "/api/v1/phone-numbers", body); answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(text), "assigned") {
		t.Errorf("a number of the platform's trunk: %s %s", answer.Status, text)
	}
	command(t, s, "", "number", "assign", "--tenant", "acme", "+4930555004")
	if answer, text := send(t, s, squatter, http.MethodPost, "/api/v1/phone-numbers", body); answer.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a number of another: %s %s", answer.Status, text)
	}
	if answer, text := send(t, s, acme, http.MethodPost, "/api/v1/phone-numbers", body); answer.StatusCode != http.StatusCreated {
		t.Errorf("an assigned number: %s %s", answer.Status, text)
	}
	if log := s.Log.String(); !strings.Contains(log, "PARLEY_SIP_OPEN_NUMBERS") || strings.Contains(log, opened[1:8]) {
		t.Errorf("the log does not warn of the open number, or names one:\n%s", log)
	}
}

// Floods of calls and wrong digests of some do not touch others.
func TestPhoneFloods(t *testing.T) {
	s, port := phoneServer(t, nil)
	const number = "+4930555001"
	acme, other := newTenant(t, s, "acme", "*"), newTenant(t, s, "other", "*")
	newDesk(t, s, acme)
	newDesk(t, s, other)
	newNumber(t, s, acme, number, object{"username": "acme", "password": "pa55word"})
	newNumber(t, s, acme, opened, object{})

	// Other people's challenges survive a flood of Call-IDs.
	patient := newPhone(t, "127.0.0.1", port)
	nonce := patient.challenged(t, "patient", number)
	flooder := newPhone(t, "127.0.0.2", port)
	for n := range size(1_000, 20_000) {
		flooder.invite(t, fmt.Sprint("flood-", n), number, 1)
		if n%20 == 19 {
			flooder.receive(t, 100*time.Millisecond)
		}
	}
	patient.invite(t, "patient", number, 2, patient.proof(number, nonce, "acme", "pa55word"))
	if got := patient.status(t, "patient", false); got != "180" && got != "200" {
		t.Errorf("after a flood of Call-IDs a challenge that was answered ends with %s", got)
	}
	patient.cancel(t, "patient", number, 2)

	// Wrong digests are held back, of their address alone.
	guesser := newPhone(t, "127.0.0.3", port)
	for n := range 12 {
		if got := guesser.called(t, fmt.Sprint("guess-", n), number, "acme", fmt.Sprint("guess", n)); got != "403" {
			t.Fatalf("a wrong digest is answered with %s", got)
		}
	}
	if got := guesser.called(t, "guess-right", number, "acme", "pa55word"); got != "403" {
		t.Errorf("after 12 wrong digests the right one is answered with %s", got)
	}
	if got := patient.called(t, "neighbour", number, "acme", "pa55word"); got != "180" && got != "200" {
		t.Errorf("another address is answered with %s", got)
	}
	patient.cancel(t, "neighbour", number, 2)

	// A flood of calls to a number uses that tenant's share of the workers only, and others' calls begin.
	calls := size(200, 500)
	crowd := newPhone(t, "127.0.0.4", port)
	for n := range calls {
		crowd.invite(t, fmt.Sprint("crowd-", n), opened, 1)
		if n%10 == 9 {
			crowd.receive(t, 20*time.Millisecond)
		}
	}
	refused := func() (n int) {
		for id, answer := range crowd.responses {
			if strings.HasPrefix(id, "crowd-") && (strings.HasPrefix(answer, "SIP/2.0 486") || strings.HasPrefix(answer, "SIP/2.0 503")) {
				n++
			}
		}
		return n
	}
	await(t, "those beyond the limit are refused", func() bool {
		for crowd.receive(t, 100*time.Millisecond) != "" {
		}
		for n := range calls {
			crowd.repeat(t, fmt.Sprint("crowd-", n))
			crowd.receive(t, 5*time.Millisecond)
		}
		return refused() >= calls-20-2
	})
	// A call that the gateway has given up for want of an ACK is open until its worker has noticed.
	await(t, "no more than 20 calls of a flood, and 2 others, are open", func() bool { return openCalls(t, s, acme) <= 20+2 })
	answer, text := send(t, s, other, http.MethodPost, "/api/v1/calls", `{"workflow_slug":"desk"}`)
	if answer.StatusCode != http.StatusCreated {
		t.Errorf("meanwhile another tenant's dispatch: %s %s", answer.Status, text)
	}
}

// One address cannot use up all TCP connections: a carrier at another address is answered.
func TestPhoneConnections(t *testing.T) {
	_, port := phoneServer(t, nil)
	connect := func(from string) net.Conn {
		t.Helper()
		c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).Dial("tcp4", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	for range 300 {
		connect("127.0.0.5")
	}
	carrier := connect("127.0.0.6")
	fmt.Fprintf(carrier, "OPTIONS sip:127.0.0.1:%[1]s SIP/2.0\r\nVia: SIP/2.0/TCP %[2]s;branch=z9hG4bKoptions\r\nFrom: <sip:carrier@%[2]s>;tag=1\r\n"+
		"To: <sip:127.0.0.1:%[1]s>\r\nCall-ID: options\r\nCSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n", port, carrier.LocalAddr())
	_ = carrier.SetReadDeadline(time.Now().Add(limit))
	answer := make([]byte, len("SIP/2.0 "))
	if _, err := io.ReadFull(carrier, answer); err != nil || string(answer) != "SIP/2.0 " {
		t.Errorf("the carrier is answered with %q, %v", answer, err)
	}
}

// rtp is a packet of 20 ms of silence in PCMU.
func rtp(seq uint16, stream uint32) []byte {
	p := make([]byte, 12+160)
	p[0] = 0x80
	binary.BigEndian.PutUint16(p[2:], seq)
	binary.BigEndian.PutUint32(p[4:], uint32(seq)*160)
	binary.BigEndian.PutUint32(p[8:], stream)
	for i := 12; i < len(p); i++ {
		p[i] = 0xff
	}
	return p
}

// No audio is sent before the caller's ACK, none to an address that webhooks may not reach, and none is accepted from another
// source.
func TestPhoneAudio(t *testing.T) {
	s, port := phoneServer(t, map[string]string{"PARLEY_ALLOW_PRIVATE_NETWORKS": "false"})
	acme := newTenant(t, s, "acme", "*")
	newDesk(t, s, acme)
	newNumber(t, s, acme, opened, object{})
	phone := newPhone(t, "127.0.0.1", port)
	// What the phone names is not its own: a service beside the server, say.
	victim, victimMedia := bound(t, "127.0.0.99", 0), bound(t, "127.0.0.99", phone.media.LocalAddr().(*net.UDPAddr).Port)
	phone.contact = victim.LocalAddr().String()
	phone.invite(t, "call", opened, 1, "Record-Route: <sip:"+phone.contact+";lr>")
	if got := phone.status(t, "call", true); got != "200" {
		t.Fatalf("the call is answered with %s", got)
	}
	tag, audio := toTagForm.FindStringSubmatch(phone.responses["call"])[1], mediaForm.FindStringSubmatch(phone.responses["call"])[1]
	quiet := func(what string, c *net.UDPConn, wait time.Duration) {
		t.Helper()
		_ = c.SetReadDeadline(time.Now().Add(wait))
		if n, from, err := c.ReadFromUDPAddrPort(make([]byte, 2000)); err == nil {
			t.Errorf("%s: %d bytes from %s", what, n, from)
		}
	}
	quiet("before the ACK", phone.media, 500*time.Millisecond)
	phone.send(t, "ACK", "call", opened, tag, 1, "")
	_ = phone.media.SetReadDeadline(time.Now().Add(limit))
	n, from, err := phone.media.ReadFromUDPAddrPort(make([]byte, 2000))
	if err != nil || n < 12 || strconv.Itoa(int(from.Port())) != audio {
		t.Fatalf("after the ACK the phone hears %d bytes of %s, %v", n, from, err)
	}
	quiet("the address that the phone named", victimMedia, 100*time.Millisecond)

	// The phone speaks; packets of another source change nothing, however many streams they have.
	to := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), from.Port())
	for seq := range 10 {
		_, _ = phone.media.WriteToUDPAddrPort(rtp(uint16(seq), 1), to)
	}
	stranger, before, running := bound(t, "127.0.0.1", 0), memory(t, s), goroutines(t, s)
	packets, most := size(20_000, 100_000), 0
	for n := range packets {
		_, _ = stranger.WriteToUDPAddrPort(rtp(uint16(n), uint32(n)*2654435761), to)
		_, _ = phone.media.WriteToUDPAddrPort(rtp(uint16(n), uint32(n)*2654435761), to)
		if n%200 == 199 {
			time.Sleep(2 * time.Millisecond) // the kernel's buffer
		}
		if n%(packets/10) == packets/10-1 {
			running = min(running, goroutines(t, s)) // the call's own come and go, as of an agent who speaks
			most = max(most, goroutines(t, s))
		}
	}
	quiet("a stranger who speaks", stranger, 200*time.Millisecond)
	if grown := memory(t, s) - before; grown > 48<<20 {
		t.Errorf("%d packets, each a stream of its own, cost %d MB", packets, grown>>20)
	}
	if most-running > 100 { // a stream has one
		t.Errorf("%d packets, each a stream of its own, cost %d goroutines", packets, most-running)
	}

	// The BYE is sent to the source of the call.
	_, id := listedCalls(t, s, acme, "")
	if answer, text := send(t, s, acme, http.MethodPost, "/api/v1/calls/"+id+"/end", ""); answer.StatusCode != http.StatusOK {
		t.Fatalf("end the call: %s %s", answer.Status, text)
	}
	await(t, "BYE reaches the phone", func() bool { return strings.HasPrefix(phone.receive(t, time.Second), "BYE ") })
	quiet("the address in Contact and Record-Route", victim, 100*time.Millisecond)
}
