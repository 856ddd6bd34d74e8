package sip

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"parley/internal/media"
)

// desk answers inbound calls in tests.
type desk struct {
	room  string
	away  error // of Answer
	line  InboundRoute
	more  []InboundRoute // of the same number
	mu    sync.Mutex
	froms []Caller
	gone  chan struct{} // closed when a caller has gone, of which there are two when an INVITE is repeated late
	left  sync.Once
}

// here are the addresses of phones on this machine.
var here = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

func (d *desk) Routes(_ context.Context, number string) ([]InboundRoute, error) {
	switch {
	case slices.Contains(dialledAs(number, d.line.Country), "+4930111111"):
		return append([]InboundRoute{d.line}, d.more...), nil
	case number == "+4930999999":
		return nil, errors.New("the database is unavailable")
	}
	return nil, nil
}

func (d *desk) Answer(_ context.Context, _ InboundRoute, from Caller) (InboundCaller, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.froms = append(d.froms, from)
	return InboundCaller{CallID: "call", Room: d.room, Identity: PhoneIdentity("call"), OnHangup: func() { d.left.Do(func() { close(d.gone) }) }}, d.away
}

// The steps of a phone that calls.

func requests(method, cseq, body string, headers ...string) string {
	text := method + ` sip:[service]@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:+4930222222@[local_ip]:[local_port]>;tag=phone[call_number]
To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
Call-ID: [call_id]
CSeq: ` + cseq + ` ` + method + `
Contact: <sip:phone@[local_ip]:[local_port]>
Max-Forwards: 70
`
	for _, h := range headers {
		text += h + "\n"
	}
	retrans := ` retrans="500"`
	if method == "ACK" {
		retrans = ""
	}
	if body == "" {
		return "<send" + retrans + "><![CDATA[\n\n" + text + "Content-Length: 0\n\n]]></send>"
	}
	return "<send" + retrans + "><![CDATA[\n\n" + text + "Content-Type: application/sdp\nContent-Length: [len]\n\n" + body + "\n]]></send>"
}

func expects(status int, more string) string {
	return `<recv response="` + strconv.Itoa(status) + `" crlf="true"` + more + `/>`
}

var optional = ` optional="true"`

// A caller reaches the agent or workflow of the number, or is rejected with the status of the reason.
func TestInbound(t *testing.T) {
	t.Parallel()
	invite := requests("INVITE", "1", answerBody)
	rejected := func(status int) []string {
		return []string{invite, expects(100, optional), expects(180, optional), expects(status, ""), requests("ACK", "1", "")}
	}
	reached := []string{invite, expects(100, optional), expects(180, optional), `<recv response="200" crlf="true" rrs="true"/>`, requests("ACK", "1", "")}
	desked := func(t *testing.T, line InboundRoute, away error) (*Gateway, *desk) {
		d := &desk{room: newRoom(t), line: line, away: away, gone: make(chan struct{})}
		o := options()
		o.Inbound = d
		return start(t, o), d
	}
	t.Run("unknown number", func(t *testing.T) {
		t.Parallel()
		g, _ := desked(t, InboundRoute{Addresses: here}, nil)
		calling(t, g, "+4930000000", rejected(404)).content(t)
	})
	t.Run("no number", func(t *testing.T) {
		t.Parallel()
		g, _ := desked(t, InboundRoute{Addresses: here}, nil)
		calling(t, g, "operator", rejected(404)).content(t)
	})
	t.Run("no reception", func(t *testing.T) {
		t.Parallel()
		calling(t, start(t, options()), "+4930111111", rejected(404)).content(t)
	})
	t.Run("cannot be found out", func(t *testing.T) {
		t.Parallel()
		g, _ := desked(t, InboundRoute{Addresses: here}, nil)
		calling(t, g, "+4930999999", rejected(503)).content(t)
	})
	t.Run("nobody can answer", func(t *testing.T) {
		t.Parallel()
		g, _ := desked(t, InboundRoute{Addresses: here}, ErrNoRoute)
		calling(t, g, "+4930111111", rejected(404)).content(t)
	})
	t.Run("crowded", func(t *testing.T) {
		t.Parallel()
		g, _ := desked(t, InboundRoute{Addresses: here}, errors.New("all workers are in conversations"))
		calling(t, g, "+4930111111", rejected(503)).content(t)
	})
	t.Run("hangs up", func(t *testing.T) {
		t.Parallel()
		g, d := desked(t, InboundRoute{Addresses: here}, nil)
		agent := enter(t, d.room)
		calling(t, g, "004930111111", append(reached, pause(300*time.Millisecond), requests("BYE", "2", ""), expects(200, ""))).content(t)
		for e := range agent.Events() {
			if e.Kind == media.PeerLeft {
				if !e.HungUp || e.Identity != PhoneIdentity("call") {
					t.Errorf("the caller left as %+v", e)
				}
				break
			}
		}
		<-d.gone
		if len(d.froms) != 1 || d.froms[0].Number != "+4930222222" {
			t.Errorf("callers: %v", d.froms)
		}
	})
	t.Run("is hung up", func(t *testing.T) {
		t.Parallel()
		g, d := desked(t, InboundRoute{Addresses: here}, nil)
		agent := enter(t, d.room)
		p := calling(t, g, "+4930111111", append(reached, receives("BYE"), agrees()))
		stop := make(chan struct{})
		var playing sync.WaitGroup
		playing.Go(func() { playTone(t, agent, 600, stop) })
		awaitTone(t, agent, 600)
		close(stop)
		playing.Wait()
		if err := rooms().Delete(t.Context(), d.room); err != nil {
			t.Fatal(err)
		}
		p.content(t)
		<-d.gone
	})
	t.Run("gives up", func(t *testing.T) {
		t.Parallel()
		g, d := desked(t, InboundRoute{Addresses: here}, nil)
		p := calling(t, g, "+4930111111", []string{invite, expects(100, optional), expects(180, ""), pause(300 * time.Millisecond),
			`<send retrans="500"><![CDATA[

CANCEL sip:[service]@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch-4]
From: <sip:+4930222222@[local_ip]:[local_port]>;tag=phone[call_number]
To: <sip:[service]@[remote_ip]:[remote_port]>
Call-ID: [call_id]
CSeq: 1 CANCEL
Max-Forwards: 70
Content-Length: 0

]]></send>`, expects(180, optional),
			// The answers to CANCEL and INVITE are of two transactions and come in either order.
			`<recv response="487" crlf="true" optional="true" next="1"/>`, expects(200, ""), `<recv response="487" crlf="true" next="2"/>`,
			`<label id="1"/>`, expects(200, ""), `<label id="2"/>`, `<nop/>`})
		p.content(t)
		<-d.gone
	})
	for _, password := range []string{"pa55word", "wrong"} {
		t.Run("credentials "+password, func(t *testing.T) {
			t.Parallel()
			g, d := desked(t, InboundRoute{Username: "trunk", Password: "pa55word"}, nil)
			enter(t, d.room)
			challenged := []string{invite, expects(100, optional), `<recv response="407" auth="true" crlf="true"/>`, requests("ACK", "1", ""),
				requests("INVITE", "2", answerBody, "[authentication username=trunk password="+password+"]"), expects(100, optional), expects(180, optional)}
			if password == "wrong" {
				challenged = append(challenged, expects(403, ""), requests("ACK", "2", ""))
			} else {
				challenged = append(challenged, expects(200, ""), requests("ACK", "2", ""), requests("BYE", "3", ""), expects(200, ""))
			}
			calling(t, g, "+4930111111", challenged).content(t)
		})
	}
}

// Connections of unknown peers are limited in number, and closed when they carry no messages.
func TestConnectionsOfUnknownPeersAreLimited(t *testing.T) {
	t.Parallel()
	g := start(t, options())
	endless, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(g.Port())))
	if err != nil {
		t.Fatal(err)
	}
	defer endless.Close()
	for sent := 0; ; sent += 1 << 10 {
		if _, err := endless.Write(make([]byte, 1<<10)); err != nil {
			break
		}
		if sent > 64<<20 {
			t.Fatal("a message of 64 MB still goes on")
		}
	}
	var conns []net.Conn
	defer func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}()
	for i := range maxConnections + 20 { // from several addresses, each of which may have fewer
		from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i/50))}}
		c, err := from.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(g.Port())))
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	ask := func(c net.Conn, wait time.Duration) error {
		if _, err := c.Write([]byte("OPTIONS sip:x SIP/2.0\r\nVia: SIP/2.0/TCP 127.0.0.1:9;branch=z9hG4bKx\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:x>\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n")); err != nil {
			return err
		}
		if err := c.SetReadDeadline(time.Now().Add(wait)); err != nil {
			return err
		}
		_, err := c.Read(make([]byte, 1))
		return err
	}
	if err := ask(conns[len(conns)-1], testLimit); err != nil {
		t.Errorf("the last hears %v", err)
	}
	await(t, "those beyond the limit are closed", func() bool {
		closed := 0
		for _, c := range conns[:len(conns)-1] {
			if err := c.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			var late net.Error
			if _, err := c.Read(make([]byte, 1)); err != nil && (!errors.As(err, &late) || !late.Timeout()) {
				closed++
			}
		}
		return closed == 20
	})
}
