package useragent

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emiago/sipgo/sip"
)

// rawPhone sends and receives messages as text.
type rawPhone struct {
	*socket
	to netip.AddrPort
}

func (p rawPhone) send(lines ...string) {
	body := ""
	if i := len(lines) - 1; strings.HasPrefix(lines[i], "v=0") {
		lines, body = append(lines[:i:i], "Content-Type: application/sdp"), lines[i]
	}
	text := strings.Join(lines, "\r\n") + fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	_, _ = p.WriteTo([]byte(text), net.UDPAddrFromAddrPort(p.to))
}

// receives returns the next message; "" if none comes within a time.
func (p rawPhone) receives(d time.Duration) string {
	select {
	case m := <-p.in:
		return string(m.data)
	case <-time.After(d):
		return ""
	}
}

func (p rawPhone) request(method, seq, toTag string, more ...string) {
	to := "To: <sip:100@192.0.2.1>"
	if toTag != "" {
		to += ";tag=" + toTag
	}
	p.send(append([]string{method + " sip:100@192.0.2.1 SIP/2.0", "Via: SIP/2.0/UDP 198.51.100.7;rport;branch=z9hG4bK" + method + seq, "From: <sip:200@198.51.100.7>;tag=phone",
		to, "Call-ID: raw", "CSeq: " + seq + " " + method, "Contact: <sip:200@198.51.100.7>", "Max-Forwards: 70"}, more...)...)
}

const rawOffer = "v=0\r\no=- 1 1 IN IP4 198.51.100.7\r\ns=-\r\nc=IN IP4 198.51.100.7\r\nt=0 0\r\nm=audio 6000 RTP/AVP 0\r\n"

func TestAnswerWithoutACK(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		o := observe()
		a := n.agent(t, here, answerer(o, make(chan *Call, 1), CallOptions{}))
		p := rawPhone{n.listen(there), a.address}
		p.request("INVITE", "1", "", rawOffer)
		repeated := 0
		for {
			m := p.receives(time.Minute)
			if strings.HasPrefix(m, "SIP/2.0 200 ") {
				repeated++
				continue
			}
			if strings.HasPrefix(m, "BYE ") {
				break
			}
			if m == "" {
				t.Fatal("there was no BYE")
			}
		}
		if e := <-o.ended; e.Cause != Unconfirmed || repeated != 11 { // at 0, 0.5, 1.5, 3.5, 7.5, 11.5 … 31.5 s
			t.Errorf("%d answers, then %+v", repeated, e)
		}
	})
}

func TestReliableResponseWithoutPRACK(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		o := observe()
		a := n.agent(t, here, answerer(o, make(chan *Call, 1), CallOptions{}))
		p := rawPhone{n.listen(there), a.address}
		p.request("INVITE", "1", "", "Require: 100rel", rawOffer)
		repeated := 0
		for {
			m := p.receives(time.Minute)
			if strings.HasPrefix(m, "SIP/2.0 180 ") {
				repeated++
				continue
			}
			if !strings.HasPrefix(m, "SIP/2.0 504 ") {
				t.Errorf("after %d responses came %.20q", repeated, m)
			}
			break
		}
		if e := <-o.ended; e.Cause != RejectedHere || repeated != 7 { // at 0, 0.5, 1.5, 3.5, 7.5, 15.5 and 31.5 s
			t.Errorf("%d responses, then %+v", repeated, e)
		}
	})
}

// TestRefusedInvitationKeepsNothing floods a user agent with invitations that it refuses.
func TestRefusedInvitationKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		a := n.agent(t, here, Options{OnInvite: func(i *Invitation) {
			i.Reject(407, "", sip.NewHeader("Proxy-Authenticate", `Digest realm="r", nonce="n"`))
		}})
		p := rawPhone{n.listen(there), a.address}
		for i := range 1000 {
			p.request("INVITE", fmt.Sprint(i+1), "", rawOffer)
			if m := p.receives(time.Second); !strings.HasPrefix(m, "SIP/2.0 407 Proxy Authentication Required") {
				t.Fatalf("%.40q", m)
			}
		}
		synctest.Wait()
		if n := a.kept(); n > 0 {
			t.Errorf("%d transactions and invitations are kept", n)
		}
	})
}

// TestPeerFloodsItsCall sends more requests within a call than are kept, and the call goes on.
func TestPeerFloodsItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		a := n.agent(t, here, answerer(observe(), make(chan *Call, 1), CallOptions{}))
		p := rawPhone{n.listen(there), a.address}
		p.request("INVITE", "1", "", rawOffer)
		p.receives(time.Second)
		answer := p.receives(time.Second)
		_, rest, _ := strings.Cut(answer, "To: <sip:100@192.0.2.1>;tag=")
		tag, _, _ := strings.Cut(rest, "\r\n")
		p.request("ACK", "1", tag)
		refused := 0
		for i := range 1000 {
			p.request("INFO", fmt.Sprint(i+2), tag)
			if m := p.receives(time.Second); strings.HasPrefix(m, "SIP/2.0 503 ") {
				refused++
			} else if !strings.HasPrefix(m, "SIP/2.0 200 ") {
				t.Fatalf("%.60q", m)
			}
		}
		if kept := a.kept(); refused != 1000-maxOpen || kept > maxOpen+3 {
			t.Errorf("%d requests are refused, %d transactions are kept", refused, kept)
		}
		time.Sleep(time.Minute)
		p.request("BYE", "2000", tag)
		if m := p.receives(time.Second); !strings.HasPrefix(m, "SIP/2.0 200 ") {
			t.Errorf("%.60q", m)
		}
	})
}

func TestMergedAndLoopedInvitations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		a := n.agent(t, here, Options{OnInvite: func(i *Invitation) { <-i.Context().Done() }})
		p := rawPhone{n.listen(there), a.address}
		p.request("INVITE", "1", "", rawOffer)
		synctest.Wait()
		p.send("INVITE sip:100@192.0.2.1 SIP/2.0", "Via: SIP/2.0/UDP 198.51.100.7;rport;branch=z9hG4bKother", "From: <sip:200@198.51.100.7>;tag=phone",
			"To: <sip:100@192.0.2.1>", "Call-ID: raw", "CSeq: 1 INVITE", "Max-Forwards: 70", rawOffer)
		if m := p.receives(time.Millisecond); !strings.HasPrefix(m, "SIP/2.0 482 Loop Detected") {
			t.Errorf("a copy that came another way: %.40q", m)
		}
		p.send("CANCEL sip:100@192.0.2.1 SIP/2.0", "Via: SIP/2.0/UDP 198.51.100.7;rport;branch=z9hG4bKINVITE1", "From: <sip:200@198.51.100.7>;tag=phone",
			"To: <sip:100@192.0.2.1>", "Call-ID: raw", "CSeq: 1 CANCEL")
		if m := p.receives(time.Millisecond); !strings.HasPrefix(m, "SIP/2.0 200 OK") {
			t.Errorf("the CANCEL: %.40q", m)
		}
		if m := p.receives(time.Millisecond); !strings.HasPrefix(m, "SIP/2.0 487 Request Terminated") {
			t.Errorf("the INVITE: %.40q", m)
		}
	})
}
