package sip

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/sip/useragent"
)

// messages keeps what is traced in tests.
type messages struct {
	mu      sync.Mutex
	written []Message
	dropped int
	blocked chan struct{} // writes wait until it closes; nil for none
}

func (m *messages) WriteMessages(_ context.Context, written []Message) error {
	if m.blocked != nil {
		<-m.blocked
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.written = append(m.written, written...)
	return nil
}

func (m *messages) MessagesDropped(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropped += n
}

// of returns the methods and statuses of the messages of an owner, in order.
func (m *messages) of(owner string) (lines []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, each := range m.written {
		id := each.CallID
		if id == nil {
			id = each.PhoneNumberID
		}
		if each.TenantID+" "+*id == owner {
			fields := strings.Fields(each.StartLine)
			word := fields[0]
			if word == "SIP/2.0" {
				word = fields[1]
			}
			lines = append(lines, word)
		}
	}
	return lines
}

// The messages of a call that is dialled and of one that is refused are stored for the call and for the number; the values of the trunk's
// headers and those of nobody's calls are not.
func TestTrace(t *testing.T) {
	t.Parallel()
	d := &desk{room: newRoom(t), away: ErrNoRoute, line: InboundRoute{ID: "number", TenantID: acme, Number: "+4930111111", Addresses: here}, gone: make(chan struct{})}
	o, m := options(), &messages{}
	o.Inbound, o.Messages = d, m
	g := start(t, o)
	p := answering(t, UDP, receives("INVITE"), says(100, "Trying"), retransmits(486, "Busy Here"), receives("ACK"))
	r := p.route(UDP)
	r.Headers = map[string]string{"X-Account": "planted-secret"}
	dial := number(t, r)
	dial.TenantID, dial.CallID = acme, "call"
	if err := dialErr(t, g.Dial(t.Context(), dial)); err.Cause != Busy {
		t.Errorf("the dial: %+v", err)
	}
	p.content(t)
	calling(t, g, "+4930111111", []string{requests("INVITE", "1", answerBody), expects(100, optional), expects(180, optional), expects(404, ""), requests("ACK", "1", "")}).content(t)
	calling(t, g, "+4930000000", []string{requests("INVITE", "1", answerBody), expects(100, optional), expects(404, ""), requests("ACK", "1", "")}).content(t)
	if err := g.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.of(acme + " call")); got != "[INVITE 100 486 ACK]" {
		t.Errorf("of the call: %s", got)
	}
	if got := fmt.Sprint(m.of(acme + " number")); got != "[INVITE 180 404 ACK]" {
		t.Errorf("of the number: %s", got)
	}
	for _, each := range m.written {
		if strings.Contains(each.Text, "planted-secret") || strings.HasPrefix(each.StartLine, "INVITE") && each.Sent && !strings.Contains(each.Text, "X-Account: ***") {
			t.Errorf("the trunk's header is shown in\n%s", each.Text)
		}
		if each.Transport != UDP || each.CreatedAt.IsZero() || each.SIPCallID == "" || each.Peer == "" {
			t.Errorf("%+v", each)
		}
	}
}

// Messages never wait: beyond the queue and a leg's limits they are dropped, and counted.
func TestTraceLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &messages{blocked: make(chan struct{})}
		tr := newTracer(m, slog.New(slog.DiscardHandler))
		entry := func(id, line string) useragent.TraceEntry {
			return useragent.TraceEntry{Time: time.Now(), CallID: id, FromTag: "1", ToTag: "2", StartLine: line, Message: line, Transport: useragent.UDP}
		}
		for n := range 10 {
			id := fmt.Sprint(n)
			tr.own(legKey{id, "1"}, traceOwner{tenantID: acme, callID: id}, nil)
			for range maxTracedMessages + 10 {
				tr.add(entry(id, "INVITE x SIP/2.0"))
			}
		}
		// Another tenant that calls with the same Call-ID and tag does not get the messages.
		tr.own(legKey{"0", "1"}, traceOwner{tenantID: other, callID: "0"}, nil)
		tr.add(entry("unknown", "OPTIONS x SIP/2.0"))
		for n := range 3 * maxUnowned {
			tr.add(entry(fmt.Sprint("nobody's ", n), "INVITE x SIP/2.0"))
		}
		if n := len(tr.legs); n != 10+maxUnowned {
			t.Errorf("%d legs are kept", n)
		}
		time.Sleep(2 * traceIdle)
		close(m.blocked)
		synctest.Wait()
		time.Sleep(2 * traceIdle)
		synctest.Wait()
		if n := len(tr.legs); n != 10 {
			t.Errorf("%d legs are kept when nobody has owned them for long", n)
		}
		tr.end(legKey{"0", "1"})
		time.Sleep(2 * traceIdle)
		synctest.Wait()
		if n := len(tr.legs); n != 9 {
			t.Errorf("%d legs are kept, one of which has ended", n)
		}
		tr.stop()
		if sum := len(m.written) + m.dropped; sum != 10*(maxTracedMessages+10) || len(m.written) > maxTraceQueue+traceBatch || len(m.of(other+" 0")) != 0 {
			t.Errorf("%d written, %d dropped", len(m.written), m.dropped)
		}
	})
}
