package attack

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// sipAddress is one of the addresses from which strangers send.
func sipAddress(n int) string { return fmt.Sprintf("127.0.2.%d", n+1) }

// hostileMessages are messages of strangers to the SIP port, the nth of an address: what SIP has, and what it has not.
func hostileMessages(address, sipPort string, n int) [][]byte {
	message := func(method, number, more, body string) []byte {
		return fmt.Appendf(nil, "%[1]s sip:%[2]s@127.0.0.1:%[3]s SIP/2.0\r\nVia: SIP/2.0/UDP %[4]s;branch=z9hG4bK%[1]s%[5]d;rport\r\nFrom: <sip:a@%[4]s>;tag=a\r\nTo: <sip:%[2]s@127.0.0.1>\r\n"+
			"Call-ID: %[1]s-%[5]d@%[4]s\r\nCSeq: 1 %[1]s\r\nContact: <sip:a@%[4]s>\r\nMax-Forwards: 70\r\n%[6]sContent-Length: %[7]d\r\n\r\n%[8]s",
			method, number, sipPort, address, n, more, len(body), body)
	}
	return [][]byte{
		message("INVITE", carrierNumber, "", "v=0\r\n"), message("INVITE", fmt.Sprintf("+4930%07d", n), "", ""), message("REGISTER", "a", "Expires: 3600\r\n", ""),
		message("OPTIONS", "a", "", ""), message("SUBSCRIBE", "a", "Event: presence\r\n", ""), message("ACK", carrierNumber, "", ""), message("BYE", carrierNumber, "", ""),
		message("CANCEL", carrierNumber, "", ""), message("MESSAGE", carrierNumber, "", strings.Repeat("m", 8000)), message("FOO", "a", "", ""),
		message("INVITE", carrierNumber, strings.Repeat("X-Long: "+strings.Repeat("h", 1000)+"\r\n", 50), ""),
		message("INVITE", carrierNumber, "Proxy-Authorization: Digest "+strings.Repeat("a=b,", 5000)+"\r\n", ""),
		bytes.Repeat([]byte{0xff, 0, '\r', '\n'}, 300), []byte("SIP/2.0 200 OK\r\n\r\n"), []byte("INVITE"), []byte("\r\n\r\n"),
	}
}

// attackSIPMessages sends n times all hostile messages from each of many addresses over UDP, and reports when it is done.
func attackSIPMessages(t *testing.T, sipPort string, addresses, n int) (sent int) {
	t.Helper()
	to, err := net.ResolveUDPAddr("udp4", "127.0.0.1:"+sipPort)
	if err != nil {
		t.Fatal(err)
	}
	var from []*net.UDPConn
	for a := range addresses {
		from = append(from, bound(t, sipAddress(a), 0))
	}
	for k := range n {
		for a, c := range from {
			for _, m := range hostileMessages(c.LocalAddr().String(), sipPort, k*addresses+a) {
				_, _ = c.WriteTo(m, to)
				sent++
			}
		}
	}
	return sent
}

// attackSIPStreams opens connections from many addresses to the SIP port, as many as each may have, which stay open: some send nothing, some
// a message without end, some one message after the other. It returns how many there are.
func attackSIPStreams(t *testing.T, sipPort string, addresses, each int) (open int) {
	t.Helper()
	for a := range addresses {
		for n := range each {
			c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(sipAddress(a))}, Timeout: 2 * time.Second}).Dial("tcp4", "127.0.0.1:"+sipPort)
			if err != nil {
				continue
			}
			open++
			t.Cleanup(func() { _ = c.Close() })
			switch n % 3 {
			case 1:
				go func() {
					_, _ = c.Write([]byte("INVITE sip:a@b SIP/2.0\r\nX-Slow: "))
					for {
						time.Sleep(time.Second)
						if _, err := c.Write([]byte("x")); err != nil {
							return
						}
					}
				}()
			case 2:
				_, _ = c.Write([]byte(sipOptions(c, sipPort)))
			}
			go func() { _, _ = io.Copy(io.Discard, c) }()
		}
	}
	return open
}

// sipOptions is an OPTIONS request over TCP.
func sipOptions(c net.Conn, sipPort string) string {
	return fmt.Sprintf("OPTIONS sip:127.0.0.1:%[1]s SIP/2.0\r\nVia: SIP/2.0/TCP %[2]s;branch=z9hG4bKoptions\r\nFrom: <sip:carrier@%[2]s>;tag=1\r\n"+
		"To: <sip:127.0.0.1:%[1]s>\r\nCall-ID: options-%[2]s\r\nCSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n", sipPort, c.LocalAddr())
}

// Floods of many addresses to the SIP port, over UDP and over connections that stay open, keep no carrier out, and use little memory.
func TestSIPFloodsFromManyAddresses(t *testing.T) {
	s, port := phoneServer(t, map[string]string{"PARLEY_LOG_LEVEL": "warn"})
	acme := newCarrierTenant(t, s, "acme")
	before := memory(t, s)
	carrier := newPhone(t, "127.0.0.2", port)
	calls := func(id string) {
		t.Helper()
		began := time.Now()
		carrier.invite(t, id, carrierNumber, 1)
		if got := carrier.status(t, id, true); got != "200" {
			t.Errorf("%s: the carrier is answered with %s", id, got)
			return
		}
		t.Logf("%s: the carrier is answered after %.1f s", id, time.Since(began).Seconds())
		tag := toTagForm.FindStringSubmatch(carrier.responses[id])[1]
		carrier.send(t, "ACK", id, carrierNumber, tag, 1, "")
		carrier.send(t, "BYE", id, carrierNumber, tag, 2, "")
	}
	calls("quiet")
	flood := make(chan int, 1)
	go func() { flood <- attackSIPMessages(t, port, 50, size(20, 200)) }()
	calls("flood")
	began := time.Now()
	if answer, _ := send(t, s, acme, http.MethodGet, "/api/v1/calls", ""); answer.StatusCode != http.StatusOK {
		t.Errorf("the API answers %s", answer.Status)
	}
	t.Logf("the API answers after %.2f s; %d messages; %d MB more", time.Since(began).Seconds(), <-flood, (memory(t, s)-before)>>20)
	if grown := memory(t, s) - before; grown > 100<<20 {
		t.Errorf("the flood costs %d MB", grown>>20)
	}

	open := attackSIPStreams(t, port, 8, 64)
	began = time.Now()
	c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.6")}}).Dial("tcp4", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = c.Write([]byte(sipOptions(c, port)))
	_ = c.SetReadDeadline(time.Now().Add(limit))
	answer := make([]byte, len("SIP/2.0 "))
	if _, err := io.ReadFull(c, answer); err != nil || string(answer) != "SIP/2.0 " {
		t.Errorf("beside %d connections of others a carrier is answered with %q, %v", open, answer, err)
	}
	t.Logf("beside %d connections of others a carrier is answered after %.1f s", open, time.Since(began).Seconds())
}
