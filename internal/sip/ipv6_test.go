package sip

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"parley/internal/media"
)

// reachable is a gateway that is not bound to the loopback interface.
func reachable() GatewayOptions {
	o := options()
	o.LoopbackOnly, o.NodeIP = false, "192.0.2.1"
	return o
}

// A call to a trunk at an IPv6 address carries sound both ways, and both sides can end it: Contact and session description name this
// machine's IPv6 address.
func TestIPv6Trunk(t *testing.T) {
	t.Parallel()
	g := start(t, reachable())
	const named = `<recv request="INVITE" crlf="true"><action>
<ereg regexp="sip:[^@]*@?\[::1\]:" search_in="hdr" header="Contact:" check_it="true" assign_to="contact"/>
<ereg regexp="c=IN IP6 ::1" search_in="body" check_it="true" assign_to="session"/>
</action></recv>
<Reference variables="contact,session"/>`
	for _, transport := range []Transport{UDP, TCP} {
		t.Run(string(transport), func(t *testing.T) {
			t.Parallel()
			p := answeringAt(t, "::1", transport, named, says(180, "Ringing"), picksUp(` retrans="500"`), receives("ACK"), receives("BYE"), agrees())
			d := number(t, p.route(transport))
			agent := enter(t, d.Room)
			if err := g.Dial(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			stop := make(chan struct{})
			var playing sync.WaitGroup
			playing.Go(func() { playTone(t, agent, 800, stop) })
			awaitTone(t, agent, 800)
			close(stop)
			playing.Wait()
			if err := rooms().Delete(t.Context(), d.Room); err != nil {
				t.Fatal(err)
			}
			p.content(t)
		})
	}
	t.Run("hung up by the phone", func(t *testing.T) {
		t.Parallel()
		p := answeringAt(t, "::1", UDP, receivesINVITE(), picksUp(` retrans="500"`), receives("ACK"), pause(300*time.Millisecond), hangsUp())
		d := number(t, p.route(UDP))
		agent := enter(t, d.Room)
		if err := g.Dial(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		for e := range agent.Events() {
			if e.Kind == media.PeerLeft {
				if !e.HungUp {
					t.Errorf("the phone left as %+v", e)
				}
				break
			}
		}
		p.content(t)
	})
}

// A caller at an IPv6 address is known by it, and hangs up or is hung up as one at an IPv4 address.
func TestIPv6Caller(t *testing.T) {
	t.Parallel()
	const named = `<recv response="200" crlf="true" rrs="true"><action>
<ereg regexp="sip:[^@]*@?\[::1\]:" search_in="hdr" header="Contact:" check_it="true" assign_to="contact"/>
<ereg regexp="c=IN IP6 ::1" search_in="body" check_it="true" assign_to="session"/>
</action></recv>
<Reference variables="contact,session"/>`
	reached := []string{requests("INVITE", "1", answerBody), expects(100, optional), expects(180, optional), named, requests("ACK", "1", "")}
	for name, test := range map[string]struct {
		route InboundRoute
		steps []string
	}{
		"hangs up":     {InboundRoute{Addresses: []netip.Prefix{netip.MustParsePrefix("::1/128")}}, append(slices.Clone(reached), pause(300*time.Millisecond), requests("BYE", "2", ""), expects(200, ""))},
		"is hung up":   {InboundRoute{Addresses: []netip.Prefix{netip.MustParsePrefix("::/16")}}, append(slices.Clone(reached), receives("BYE"), agrees())},
		"is not known": {InboundRoute{Addresses: here}, []string{reached[0], expects(100, optional), expects(404, ""), requests("ACK", "1", "")}},
		"has credentials": {InboundRoute{Username: "trunk", Password: "pa55word"}, []string{reached[0], expects(100, optional), `<recv response="407" auth="true" crlf="true"/>`, requests("ACK", "1", ""),
			requests("INVITE", "2", answerBody, "[authentication username=trunk password=pa55word]"), expects(100, optional), expects(180, optional), expects(200, ""), requests("ACK", "2", ""), requests("BYE", "3", ""), expects(200, "")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &desk{room: newRoom(t), line: test.route, gone: make(chan struct{})}
			o := reachable()
			o.Inbound = d
			g := start(t, o)
			agent := enter(t, d.room)
			p := sipp(t, test.steps, "-t", "u1", "-s", "+4930111111", "-i", "::1", "-mi", "::1", net.JoinHostPort("::1", strconv.Itoa(g.Port())))
			if name == "is hung up" {
				stop := make(chan struct{})
				var playing sync.WaitGroup
				playing.Go(func() { playTone(t, agent, 600, stop) })
				awaitTone(t, agent, 600)
				close(stop)
				playing.Wait()
				if err := rooms().Delete(t.Context(), d.room); err != nil {
					t.Fatal(err)
				}
			}
			p.content(t)
			if name != "is not known" {
				<-d.gone
			}
		})
	}
}

func TestIPv6Probe(t *testing.T) {
	t.Parallel()
	for _, transport := range []Transport{UDP, TCP} {
		p := answeringAt(t, "::1", transport, receives("OPTIONS"), says(200, "OK"))
		if got := probe(t, ProberOptions{AllowPrivate: true}, Trunk{Address: p.address, Transport: transport}); got.Status != 200 {
			t.Errorf("over %s: %+v", transport, got)
		}
		p.content(t)
	}
}

// Limits count a machine's IPv6 addresses as one.
func TestLimitedAs(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"203.0.113.7": "203.0.113.7", "::ffff:203.0.113.7": "203.0.113.7", "2001:db8:1:2:3::4": "2001:db8:1:2::/64", "fe80::1%lo": "fe80::/64"} {
		if got := limitedAs(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s counts as %s, want %s", address, got, want)
		}
	}
}
