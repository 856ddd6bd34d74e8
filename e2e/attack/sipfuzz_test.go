package attack

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sipSeeds are messages that are changed: those of RFC 4475, and requests and descriptions that the gateway serves.
func sipSeeds(t *testing.T, address, sipPort string) (seeds [][]byte) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/emiago/sipgo").Output()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "sip/testdata/torture/*/*.dat"))
	if err != nil || len(paths) < 45 {
		t.Fatalf("%d messages of RFC 4475, %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, text)
	}
	descriptions := []string{
		"m=audio 6000 RTP/AVP 0 8 9 101\r\na=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-16\r\na=ptime:20\r\na=sendrecv\r\n",
		"m=audio 6000 RTP/AVP 111 13\r\na=rtpmap:111 opus/48000/2\r\na=fmtp:111 useinbandfec=1\r\na=maxptime:60\r\nm=video 6002 RTP/AVP 96\r\na=rtpmap:96 VP8/90000\r\n",
		"m=audio 6000 RTP/SAVP 8\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR|2^20|1:4\r\na=rtcp:6001\r\na=rtcp-mux\r\na=inactive\r\n",
		"m=audio 0 RTP/AVP 18\r\nm=image 6004 udptl t38\r\na=T38FaxVersion:0\r\n",
	}
	for i, media := range descriptions {
		body := "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n" + media
		for _, method := range []string{"INVITE", "UPDATE", "ACK", "PRACK"} {
			seeds = append(seeds, sipMessage(method, address, sipPort, fmt.Sprintf("seed%d", i), "Supported: timer, 100rel\r\nSession-Expires: 90;refresher=uac\r\nContent-Type: application/sdp\r\n", body))
		}
	}
	for _, method := range []string{"BYE", "CANCEL", "OPTIONS", "REGISTER", "INFO", "REFER", "NOTIFY", "SUBSCRIBE", "MESSAGE"} {
		seeds = append(seeds, sipMessage(method, address, sipPort, "seed0", "Content-Type: application/dtmf-relay\r\nRefer-To: <sip:b@c?Replaces=a%3Bto-tag%3D1%3Bfrom-tag%3D2>\r\n"+
			"Proxy-Authorization: Digest username=\"a\", realm=\"parley\", nonce=\"b\", uri=\"sip:c\", response=\"d\", algorithm=MD5\r\n", "Signal=5\r\nDuration=160\r\n"))
	}
	for _, status := range []int{100, 183, 200, 302, 407, 422, 491, 500} {
		seeds = append(seeds, []byte(strings.Replace(string(sipMessage("INVITE", address, sipPort, "seed1", "Min-SE: 90\r\nRSeq: 1\r\n", "")), fmt.Sprintf("INVITE sip:%s@127.0.0.1:%s SIP/2.0", opened, sipPort), fmt.Sprintf("SIP/2.0 %d X", status), 1)))
	}
	return seeds
}

func sipMessage(method, address, sipPort, callID, more, body string) []byte {
	return fmt.Appendf(nil, "%[1]s sip:%[2]s@127.0.0.1:%[3]s SIP/2.0\r\nVia: SIP/2.0/UDP %[4]s;branch=z9hG4bK%[5]s;rport\r\nFrom: <sip:+493012345678@%[4]s>;tag=a\r\nTo: <sip:%[2]s@127.0.0.1>\r\n"+
		"Call-ID: %[5]s\r\nCSeq: 1 %[1]s\r\nContact: <sip:a@%[4]s>\r\nMax-Forwards: 70\r\n%[6]sContent-Length: %[7]d\r\n\r\n%[8]s",
		method, opened, sipPort, address, callID, more, len(body), body)
}

// changed returns a message with some changes: bytes, pieces that are left out or come twice, lines in another order, large numbers. In
// half of the messages the length is that of the body, so that descriptions are read.
func changed(random *rand.Rand, seeds [][]byte, n int) []byte {
	m := append([]byte{}, seeds[random.IntN(len(seeds))]...)
	for range 1 + random.IntN(5) {
		if len(m) == 0 {
			return m
		}
		at := random.IntN(len(m))
		end := min(at+1+random.IntN(40), len(m))
		switch random.IntN(6) {
		case 0:
			m[at] = byte(random.IntN(256))
		case 1:
			m = append(m[:at], m[end:]...)
		case 2:
			m = append(m[:at:at], append([]byte(";=\"<,\r\n:/% "[random.IntN(11):]), m[at:]...)...)
		case 3:
			m = append(m[:end:end], m[at:]...)
		case 4:
			lines := strings.SplitAfter(string(m), "\r\n")
			a, b := random.IntN(len(lines)), random.IntN(len(lines))
			lines[a], lines[b] = lines[b], lines[a]
			m = []byte(strings.Join(lines, ""))
		case 5:
			numbers := []string{"0", "-1", "65536", "4294967296", "18446744073709551616", strings.Repeat("9", 100), "0.0.0.0", "::1"}
			m = append(m[:at:at], append([]byte(numbers[random.IntN(len(numbers))]), m[at:]...)...)
		}
	}
	text := strings.ReplaceAll(strings.ReplaceAll(string(m), "seed0", fmt.Sprint("c", n)), "seed1", fmt.Sprint("d", n))
	if head, body, ok := strings.Cut(text, "\r\n\r\n"); ok && random.IntN(2) == 0 {
		lines := strings.Split(head, "\r\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "Content-Length:") {
				lines[i] = fmt.Sprintf("Content-Length: %d", len(body))
			}
		}
		text = strings.Join(lines, "\r\n") + "\r\n\r\n" + body
	}
	return []byte(text)
}

// Changed SIP messages and session descriptions over UDP, also such as begin calls, do no harm: the server answers on, and neither its
// memory nor its goroutines grow with them.
func TestChangedSIPMessages(t *testing.T) {
	s, port := phoneServer(t, map[string]string{"PARLEY_LOG_LEVEL": "error", "PARLEY_SIP_CALLS_PER_NUMBER": "5", "PARLEY_SIP_NEW_CALLS_PER_NUMBER": "30"})
	acme := newTenant(t, s, "acme", "*")
	newDesk(t, s, acme)
	newNumber(t, s, acme, opened, object{})
	messages := size(2_000, 100_000)
	c := bound(t, "127.0.0.1", 0)
	go func() { // answers
		buffer := make([]byte, 1<<16)
		for {
			if _, err := c.Read(buffer); err != nil {
				return
			}
		}
	}()
	to, err := net.ResolveUDPAddr("udp4", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	carrier := newPhone(t, "127.0.0.2", port)
	seeds := sipSeeds(t, c.LocalAddr().String(), port)
	random := rand.New(rand.NewPCG(5, 6))
	goroutinesBefore := goroutines(t, s)
	var grown []int
	most := watchMemory(t, s, func() {
		first := memory(t, s)
		for n := range messages {
			if m := changed(random, seeds, n); len(m) < 1<<16-100 {
				_, _ = c.WriteTo(m, to)
			}
			if n%50 == 49 { // all of them were read when this is answered
				for carrier.probe(t, n) == "" {
				}
			}
			if n%(messages/5) == messages/5-1 {
				grown = append(grown, (memory(t, s)-first)>>20)
			}
		}
	})
	for _, c := range [][]any{{"active"}, {"connecting"}, {"pending"}} {
		for {
			n, id := listedCalls(t, s, acme, fmt.Sprintf("?status=%v", c[0]))
			if n == 0 {
				break
			}
			send(t, s, acme, http.MethodPost, "/api/v1/calls/"+id+"/end", "")
			time.Sleep(20 * time.Millisecond)
		}
	}
	began, _ := listedCalls(t, s, acme, "")
	left := 0
	for end := time.Now().Add(limit); ; time.Sleep(time.Second) {
		if left = goroutines(t, s) - goroutinesBefore; left < 20 || time.Now().After(end) {
			break
		}
	}
	if left >= 40 { // beside those of an idle server, which come and go
		t.Errorf("%d goroutines are left", left)
	}
	t.Logf("%d messages, which began %d calls; %d more goroutines are left; MB more after each fifth of them %v, at most %d", messages, began, left, grown, most>>20)
	if most > 150<<20 || grown[4] > grown[1]+40 {
		t.Errorf("the memory grows: MB more after each fifth %v, at most %d", grown, most>>20)
	}
}

// probe sends OPTIONS and returns the first line of the answer; "" if none comes within a second.
func (p *sipPhone) probe(t *testing.T, n int) string {
	t.Helper()
	p.send(t, "OPTIONS", fmt.Sprint("probe", n), opened, "", 1, "")
	line, _, _ := strings.Cut(p.receive(t, time.Second), "\r\n")
	return line
}
