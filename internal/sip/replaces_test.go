package sip

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/internal/media"
)

// newRawPhoneAt is a raw phone at an address of this machine, which calls a gateway.
func newRawPhoneAt(t *testing.T, address string, g *Gateway) *rawPhone {
	t.Helper()
	c, err := net.ListenPacket("udp4", address+":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &rawPhone{c, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: g.Port()}}
}

// request is one of a call that the phone begins. toTag is "" for an INVITE.
func (p *rawPhone) request(method, id, toTag string, cseq int, headers ...string) string {
	body := ""
	if method == "INVITE" {
		body = "v=0\r\no=phone 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n"
		headers = append(headers, "Content-Type: application/sdp")
	}
	if toTag != "" {
		toTag = ";tag=" + toTag
	}
	lines := []string{method + " sip:+4930111111@" + p.peer.String() + " SIP/2.0",
		fmt.Sprintf("Via: SIP/2.0/UDP %s;branch=z9hG4bK%s%s%d", p.LocalAddr(), id, method, cseq), "Max-Forwards: 70", "From: <sip:+4930222222@127.0.0.1>;tag=phone" + id,
		"To: <sip:+4930111111@127.0.0.1>" + toTag, "Call-ID: " + id, fmt.Sprintf("CSeq: %d %s", cseq, method), "Contact: <sip:phone@" + p.LocalAddr().String() + ">"}
	return strings.Join(append(append(lines, headers...), fmt.Sprintf("Content-Length: %d", len(body)), "", body), "\r\n")
}

var toTag = regexp.MustCompile(`(?m)^To:.*;tag=([^;\s]+)`)

// call calls and returns the status of the final response, which it acknowledges, and the gateway's tag.
func (p *rawPhone) call(t *testing.T, id string, headers ...string) (status, tag string) {
	t.Helper()
	p.send(t, p.request("INVITE", id, "", 1, headers...))
	for {
		res := p.await(t, "SIP/2.0")
		if status = strings.Fields(res)[1]; status[0] == '1' {
			continue
		}
		tag = toTag.FindStringSubmatch(res)[1]
		ack := p.request("ACK", id, tag, 1)
		if status != "200" { // within the transaction
			ack = strings.Replace(ack, id+"ACK1", id+"INVITE1", 1)
		}
		p.send(t, ack)
		return status, tag
	}
}

// A trunk replaces its leg of a call: the call goes on in its room, and the old leg is hung up.
func TestReplaceLeg(t *testing.T) {
	t.Parallel()
	d := &desk{room: newRoom(t), line: InboundRoute{TenantID: acme, TrunkID: "trunk", Number: "+4930111111", Addresses: here, Username: "u", Password: "p"}, gone: make(chan struct{})}
	d.more = []InboundRoute{{TenantID: other, TrunkID: "other", Number: "+4930111111", Addresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}}}
	e := &exchange{}
	o := options()
	o.Inbound, o.Transfers = d, e
	g := start(t, o)
	agent := enter(t, d.room)
	first := newRawPhoneAt(t, "127.0.0.1", g)
	status, tag := first.call(t, "first")
	if status != "200" {
		t.Fatalf("the first call: %s", status)
	}
	named, unknown := "Replaces: first;from-tag=phonefirst;to-tag="+tag, "Replaces: first;from-tag=phonefirst;to-tag=unknown"
	foreign, nobody := newRawPhoneAt(t, "127.0.0.2", g), newRawPhoneAt(t, "127.0.0.3", g)
	for n, test := range []struct {
		phone                *rawPhone
		header, want, reason string
	}{
		{first, unknown, "481", "an unknown call"},
		{first, named + ";early-only", "486", "an answered call where an early one is wanted"},
		{foreign, named, "481", "another tenant's call"},
		{foreign, unknown, "481", "an unknown call, from another tenant's trunk"},
		{nobody, named, "407", "a call, from nobody's trunk"},
		{nobody, unknown, "407", "an unknown call, from nobody's trunk"},
	} {
		if status, _ := test.phone.call(t, fmt.Sprint("refused", n), test.header); status != test.want {
			t.Errorf("%s: %s, want %s", test.reason, status, test.want)
		}
	}
	await(t, "the first call is active", func() bool { return callStatus(t, d.room) == "active" })
	second := newRawPhoneAt(t, "127.0.0.1", g)
	status, tag = second.call(t, "second", named)
	if status != "200" {
		t.Fatalf("the second call: %s", status)
	}
	if bye := first.await(t, "BYE"); !strings.Contains(bye, `text="Replaced"`) {
		t.Errorf("the first call is hung up by\n%s", bye)
	}
	await(t, "the outcome", func() bool { return e.recorded() == "[leg_replaced]" })
	if status := callStatus(t, d.room); status != "active" {
		t.Errorf("the phone is %q", status)
	}
	select {
	case <-d.gone:
		t.Error("the call has ended")
	default:
	}
	second.send(t, second.request("BYE", "second", tag, 2))
	for ev := range agent.Events() {
		if ev.Kind == media.PeerLeft {
			if !ev.HungUp {
				t.Errorf("the phone left as %+v", ev)
			}
			break
		}
	}
	<-d.gone
}

// Calls of an open number come from everywhere, so that its legs are not replaced.
func TestReplaceLegOfOpenNumber(t *testing.T) {
	t.Parallel()
	d := &desk{room: newRoom(t), line: InboundRoute{TenantID: acme, Number: "+4930111111", Addresses: everywhere, Open: true}, gone: make(chan struct{})}
	o := options()
	o.Inbound = d
	g := start(t, o)
	enter(t, d.room)
	p := newRawPhoneAt(t, "127.0.0.1", g)
	_, tag := p.call(t, "first")
	if status, _ := p.call(t, "second", "Replaces: first;from-tag=phonefirst;to-tag="+tag); status != "481" {
		t.Errorf("replaced: %s", status)
	}
}

// A phone that rings is answered by another call of its trunk, and rings no more.
func TestReplaceRingingLeg(t *testing.T) {
	t.Parallel()
	g := start(t, options())
	rings := newRawPhone(t)
	d, dialled := number(t, OutboundRoute{Address: rings.LocalAddr().String(), Transport: UDP}), make(chan error, 1)
	enter(t, d.Room)
	go func() { dialled <- g.Dial(t.Context(), d) }()
	invite := rings.await(t, "INVITE")
	rings.send(t, response(invite, "180 Ringing", "", "Contact: <sip:"+rings.LocalAddr().String()+">"))
	await(t, "the phone rings", func() bool { return callStatus(t, d.Room) == "ringing" })
	header := func(name, pattern string) string {
		return regexp.MustCompile(`(?m)^` + name + `:.*?` + pattern).FindStringSubmatch(invite)[1]
	}
	replaces := fmt.Sprintf("Replaces: %s;from-tag=phone;to-tag=%s;early-only", header("Call-ID", `(\S+)`), header("From", `tag=([^;\s]+)`))
	p := newRawPhoneAt(t, "127.0.0.1", g)
	status, _ := p.call(t, "pickup", replaces)
	if status != "200" {
		t.Fatalf("not picked up: %s", status)
	}
	if cancel := rings.await(t, "CANCEL"); !strings.Contains(cancel, `text="Replaced"`) {
		t.Errorf("the ringing ends by\n%s", cancel)
	}
	select {
	case err := <-dialled:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(testLimit):
		t.Fatal("the dial does not end")
	}
	await(t, "the phone is active", func() bool { return callStatus(t, d.Room) == "active" })
	if err := rooms().Delete(t.Context(), d.Room); err != nil {
		t.Fatal(err)
	}
	p.await(t, "BYE")
}
