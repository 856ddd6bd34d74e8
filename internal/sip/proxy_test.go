package sip

import (
	"fmt"
	"net"
	"strconv"
	"testing"

	"parley/e2e/sippeer"
)

// A call through a proxy that records its route and relays the audio has audio both ways, hold and resume, however the gateway is
// reached; the phone hangs up.
func TestCallThroughProxy(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"udp", "tcp", "tls"} {
		for secure, encryption := range encryptions {
			t.Run(transport+" "+string(encryption), func(t *testing.T) {
				t.Parallel()
				r := newReception(t, InboundRoute{Encryption: encryption})
				p := sippeer.StartLinphone(t, false)
				gateway := net.JoinHostPort("127.0.0.1", strconv.Itoa(r.Port()))
				if transport == "tls" {
					gateway = r.sockets.tls.Addr().String()
				}
				proxy := sippeer.StartProxy(t, sippeer.ProxyOptions{Number: testNumber, Gateway: gateway,
					Transport: transport, Phone: p.Address, Secure: secure})
				p.Command(t, fmt.Sprintf("call sip:%s@%s", testNumber, proxy.Address))
				end := agentTone(t, r.agent, 900)
				defer end()
				awaitTone(t, r.agent, sippeer.LinphoneTone)
				p.Hold(t)
				awaitHeld(t, r.desk.room, true)
				p.Resume(t)
				awaitHeld(t, r.desk.room, false)
				awaitTone(t, r.agent, sippeer.LinphoneTone)
				p.AwaitReceived(t, 900)
				end()
				p.Command(t, "terminate")
				r.awaitGone(t)
			})
		}
	}
}

// A phone that is dialled through such a proxy has the same; the agent hangs up.
func TestDialThroughProxy(t *testing.T) {
	t.Parallel()
	for _, transport := range []Transport{UDP, TCP, TLS} {
		t.Run(string(transport), func(t *testing.T) {
			t.Parallel()
			secure := transport == TLS
			p := sippeer.StartLinphone(t, false)
			proxy := sippeer.StartProxy(t, sippeer.ProxyOptions{Gateway: "127.0.0.1:9", Transport: "udp", Phone: p.Address, Secure: secure})
			o := options()
			o.roots = proxy.Roots
			g := start(t, o)
			route := OutboundRoute{Address: proxy.Address, Transport: transport, Encryption: encryptions[secure]}
			if secure {
				route.Address = proxy.TLSAddress
			}
			d := number(t, route)
			agent := enter(t, d.Room)
			end := agentTone(t, agent, 900)
			defer end()
			if err := g.Dial(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			awaitTone(t, agent, sippeer.LinphoneTone)
			p.Hold(t)
			awaitHeld(t, d.Room, true)
			p.Resume(t)
			awaitHeld(t, d.Room, false)
			awaitTone(t, agent, sippeer.LinphoneTone)
			p.AwaitReceived(t, 900)
			end()
			if err := rooms().Delete(t.Context(), d.Room); err != nil {
				t.Fatal(err)
			}
			p.Await(t, " ended (")
		})
	}
}
