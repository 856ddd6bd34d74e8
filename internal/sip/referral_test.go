package sip

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/media"
)

// exchange decides on transfers in tests.
type exchange struct {
	route    OutboundRoute
	refused  error
	mu       sync.Mutex
	asked    []TransferRequest
	outcomes []TransferOutcome
}

func (e *exchange) AuthorizeTransfer(_ context.Context, r TransferRequest) (OutboundRoute, string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, r)
	destination, problem := e.route.Referred(r.Target)
	if problem != "" {
		return e.route, "", TransferRefusal("the number " + problem)
	}
	return e.route, destination, e.refused
}

func (e *exchange) RecordTransfer(_ context.Context, tenantID, callID string, outcome TransferOutcome) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if tenantID != acme || callID != "call" {
		outcome += TransferOutcome(" of " + tenantID + callID)
	}
	e.outcomes = append(e.outcomes, outcome)
	return nil
}

func (e *exchange) recorded() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Sprint(e.outcomes)
}

// notified receives the NOTIFY about a transfer with a status, and answers it.
func notified(status string) string {
	name := "n" + strings.ReplaceAll(status, " ", "")
	return `<recv request="NOTIFY" crlf="true"><action><ereg regexp="SIP/2.0 ` + status + `" search_in="msg" check_it="true" assign_to="` + name + `"/></action></recv>
<Reference variables="` + name + `"/>` + agrees()
}

const targetHeader = "Refer-To: <sip:+4940555666@[local_ip]?Replaces=abc%3Bto-tag%3D1%3Bfrom-tag%3D2>"

// asks is the REFER of a caller, in its second request, with the status that answers it.
func asks(status int, header string) []string {
	return []string{pause(200 * time.Millisecond), requests("REFER", "2", "", header, "Referred-By: <sip:boss@example.com>"),
		fmt.Sprintf(`<recv response="%d" crlf="true"><action><exec command="touch decided"/></action></recv>`, status)}
}

// A trunk that may transfer has another number on the line in place of its caller: the call goes on with it in the same room.
func TestReferral(t *testing.T) {
	t.Parallel()
	const invited = `<recv request="INVITE" crlf="true"><action>
<ereg regexp="^ *abc;to-tag=1;from-tag=2" search_in="hdr" header="Replaces:" check_it="true" assign_to="replaces"/>
<ereg regexp="boss@example.com" search_in="hdr" header="Referred-By:" check_it="true" assign_to="by"/>
<ereg regexp="INVITE sip:[+]4940555666@" search_in="msg" check_it="true" assign_to="number"/>
</action></recv>
<Reference variables="replaces,by,number"/>`
	answers := []string{invited, pause(500 * time.Millisecond), says(180, "Ringing"), pause(300 * time.Millisecond), picksUp(` retrans="500"`), receives("ACK"), receives("BYE"), agrees()}
	bye := func(cseq string) []string { return []string{requests("BYE", cseq, ""), expects(200, "")} }
	hungUp := []string{receives("BYE"), agrees()}
	for _, tc := range []struct {
		name    string
		closed  bool // the trunk may not transfer
		uris    bool // the trunk has allow_uris
		refused error
		caller  []string // after its REFER
		target  []string // nil if it is not called
		moved   bool     // the agent then talks to the target
		want    string   // outcomes
		refer   []string // nil for the usual one
	}{
		{name: "answered", caller: append([]string{notified("100 "), notified("180 "), notified("200 ")}, bye("3")...), target: answers, moved: true, want: "[transfer_completed]"},
		{name: "caller stays", caller: append([]string{notified("100 "), notified("180 "), notified("200 ")}, hungUp...), target: answers, moved: true, want: "[transfer_completed]"},
		{name: "caller leaves at once", caller: append([]string{notified("100 ")}, bye("3")...), target: answers, moved: true, want: "[transfer_completed]"},
		{name: "busy", caller: append([]string{notified("100 "), notified("486 ")}, hungUp...), target: []string{receives("INVITE"), says(486, "Busy Here"), receives("ACK")}, want: "[transfer_failed]"},
		{name: "not accepted", closed: true, refer: asks(603, targetHeader), caller: hungUp, want: "[]"},
		{name: "forbidden", refused: TransferRefusal("the number is a premium_rate number, which may not be dialled"), refer: asks(403, targetHeader), caller: hungUp, want: "[]"},
		{name: "no database", refused: errors.New("the database is away"), refer: asks(503, targetHeader), caller: hungUp, want: "[]"},
		{name: "extension", uris: true, refer: asks(202, "Refer-To: <sip:1001@pbx.internal>"), caller: append([]string{notified("100 "), notified("200 ")}, bye("3")...),
			target: []string{`<recv request="INVITE" crlf="true"><action><ereg regexp="INVITE sip:1001@" search_in="msg" check_it="true" assign_to="extension"/></action></recv>
<Reference variables="extension"/>`, picksUp(` retrans="500"`), receives("ACK"), receives("BYE"), agrees()}, moved: true, want: "[transfer_completed]"},
		{name: "extension of a trunk without", refer: asks(403, "Refer-To: <sip:1001@pbx.internal>"), caller: hungUp, want: "[]"},
		{name: "emergency number", uris: true, refer: asks(403, "Refer-To: <sip:112@pbx.internal>"), caller: hungUp, want: "[]"},
		{name: "another host", uris: true, refer: asks(403, "Refer-To: <sip:boss@elsewhere.example>"), caller: hungUp, want: "[]"},
		{name: "no number", refer: asks(403, "Refer-To: <sip:boss@[local_ip]>"), caller: hungUp, want: "[]"},
		{name: "not a call", refer: asks(603, "Refer-To: <sip:+4940555666@[local_ip];method=BYE>"), caller: hungUp, want: "[]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := &desk{room: newRoom(t), line: InboundRoute{TenantID: acme, TrunkID: "trunk", Number: "+4930111111", Addresses: here, AcceptTransfers: !tc.closed}, gone: make(chan struct{})}
			e := &exchange{refused: tc.refused}
			var target *sippPhone
			if tc.target != nil {
				target = answering(t, UDP, tc.target...)
				e.route = target.route(UDP)
			}
			e.route.AllowURIs = tc.uris
			o := options()
			o.Inbound, o.Transfers = d, e
			g := start(t, o)
			agent := enter(t, d.room)
			steps := []string{requests("INVITE", "1", answerBody), expects(100, optional), expects(180, optional), `<recv response="200" crlf="true" rrs="true"/>`, requests("ACK", "1", "")}
			if tc.refer == nil {
				tc.refer = asks(202, targetHeader)
			}
			caller := calling(t, g, "+4930111111", append(append(steps, tc.refer...), tc.caller...))
			for ev := range agent.Events() {
				if ev.Kind == media.PeerAudio {
					break
				}
			}
			await(t, "the decision", func() bool {
				_, err := os.Stat(filepath.Join(caller.dir, "decided"))
				return err == nil
			})
			await(t, "the outcome", func() bool { return e.recorded() == tc.want })
			await(t, "the phone is active", func() bool { return callStatus(t, d.room) == "active" })
			if tc.moved {
				caller.content(t)
				stop := make(chan struct{})
				var playing sync.WaitGroup
				playing.Go(func() { playTone(t, agent, 800, stop) })
				awaitTone(t, agent, 800)
				close(stop)
				playing.Wait()
			}
			if err := rooms().Delete(t.Context(), d.room); err != nil {
				t.Fatal(err)
			}
			if !tc.moved {
				caller.content(t)
			}
			if target != nil {
				target.content(t)
			}
			<-d.gone
			if got := e.recorded(); got != tc.want {
				t.Errorf("recorded %s, want %s", got, tc.want)
			}
			if tc.target != nil && (e.asked[0].TenantID != acme || e.asked[0].CallID != "call" || e.asked[0].TrunkID != "trunk") {
				t.Errorf("asked for %+v", e.asked[0])
			}
		})
	}
}

// A REFER outside a call has nothing called.
func TestReferralOutsideACall(t *testing.T) {
	t.Parallel()
	g := start(t, options())
	sipp(t, []string{strings.ReplaceAll(requests("REFER", "1", "", targetHeader), "[peer_tag_param]", ""), expects(603, "")},
		"-t", "u1", "-s", "+4930111111", fmt.Sprintf("127.0.0.1:%d", g.Port())).content(t)
}
