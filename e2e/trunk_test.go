package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// carrierSocket is a carrier that sends and receives single SIP messages over UDP.
type carrierSocket struct {
	net.PacketConn
	gateway net.Addr
}

func (c carrierSocket) send(t *testing.T, lines ...string) {
	t.Helper()
	if _, err := c.WriteTo([]byte(strings.Join(lines, "\r\n")), c.gateway); err != nil {
		t.Fatal(err)
	}
}

// await returns the next message that begins with a text; others are ignored.
func (c carrierSocket) await(t *testing.T, start string) string {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 1<<16)
	for {
		n, _, err := c.ReadFrom(buffer)
		if err != nil {
			t.Fatalf("%s does not come: %v", start, err)
		}
		if message := string(buffer[:n]); strings.HasPrefix(message, start) {
			return message
		}
	}
}

// header returns a line of a message.
func header(message, name string) string {
	for line := range strings.SplitSeq(message, "\r\n") {
		if strings.HasPrefix(line, name+":") {
			return line
		}
	}
	return ""
}

// A trunk in the USA: its numbers and callers are national ones, the agent knows what the carrier says of a caller, and a dispatch has
// the trunk's identity and its own headers.
func TestTrunkOfACountry(t *testing.T) {
	t.Parallel()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, filepath.Join(t.TempDir(), "data"), ports)
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	port, err := strconv.Atoi(ports["PARLEY_SIP_PORT"])
	if err != nil {
		t.Fatal(err)
	}
	carrier, at := carrierSocket{socket, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}}, socket.LocalAddr().String()

	ask(t, s, http.MethodPost, "/api/v1/agents", json.RawMessage(`{"name": "desk", "config": {`+offlineSpeech+`, "prompt": {"system": "- bye => Bye. [end_call]",
		"greeting": "Hello {{call.caller_name}}, account {{user.sip.x_account}}, {{call.verstat}}, trunk {{call.trunk}}."}}}`), nil)
	var trunk struct {
		ID       string
		Country  string `json:"default_country"`
		CallerID string `json:"caller_id"`
	}
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "US", "address": at, "allowed_addresses": []string{"127.0.0.1"}, "default_country": "us", "caller_id": "(415) 555-0111",
		"from_domain": "acme.example", "identity": "p_asserted", "headers_in": []string{"X-Account"}, "headers_out": []string{"X-Order"}}, &trunk)
	var number struct{ Number string }
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "4155550100", "agent_name": "desk", "trunk_id": trunk.ID}, &number)
	if trunk.Country != "US" || trunk.CallerID != "+14155550111" || number.Number != "+14155550100" {
		t.Errorf("trunk %+v, number %+v", trunk, number)
	}

	body := "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0\r\n"
	dialogue := func(method, to string) []string {
		return []string{method + " sip:4155550100@127.0.0.1 SIP/2.0", "Via: SIP/2.0/UDP " + at + ";branch=z9hG4bK" + method, "From: <sip:4155551234@" + at + ">;tag=1",
			to, "Call-ID: trunk-test", "CSeq: 1 " + method, "Contact: <sip:carrier@" + at + ">", "Max-Forwards: 70"}
	}
	carrier.send(t, append(dialogue("INVITE", "To: <sip:4155550100@127.0.0.1>"), `P-Asserted-Identity: "Ann Lee" <sip:+14155551234;verstat=TN-Validation-Passed-A@acme.example>`, "X-Account: order-of-ann",
		"Content-Type: application/sdp", fmt.Sprintf("Content-Length: %d", len(body)), "", body)...)
	carrier.send(t, append(dialogue("ACK", header(carrier.await(t, "SIP/2.0 200"), "To")), "Content-Length: 0", "", "")...)
	listed, err := s.API.Calls.List(t.Context(), client.CallQuery{})
	if err != nil || len(listed.Items) != 1 {
		t.Fatalf("%+v, %v", listed, err)
	}
	said := entries(t, s, listed.Items[0].ID, 1)
	if want := "Hello Ann Lee, account order-of-ann, TN-Validation-Passed, trunk US."; said[0].Content != want {
		t.Errorf("the agent says %q, want %q", said[0].Content, want)
	}
	c, err := s.API.Calls.End(t.Context(), listed.Items[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := text(c.PhoneNumber) + " " + text(c.From) + " " + text(c.CallerName) + " " + text(c.Verstat) + " " + text(c.Attestation); got != "+14155551234 4155551234 Ann Lee TN-Validation-Passed A" {
		t.Errorf("the call is of %s", got)
	}

	for field, call := range map[string]client.StartCall{
		"phone_number":        {PhoneNumber: "sip:alice@acme.example"},
		"sip_headers.X-Other": {PhoneNumber: "+14155550199", SIPHeaders: map[string]string{"X-Other": "1"}},
		"sip_headers.X-Order": {PhoneNumber: "+14155550199", SIPHeaders: map[string]string{"X-Order": "1\r\nVia: x"}},
		"sip_headers.Via":     {PhoneNumber: "+14155550199", SIPHeaders: map[string]string{"Via": "x"}},
	} {
		call.WorkflowSlug, call.CallType = "demo", "sip"
		_, err := s.API.Calls.Start(t.Context(), call)
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Status != http.StatusUnprocessableEntity || len(refused.Details) != 1 || refused.Details[0].Field != field {
			t.Errorf("%+v: %+v", call, err)
		}
	}
	started, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo", CallType: "sip", PhoneNumber: "(415) 555-0199", SIPHeaders: map[string]string{"X-Order": "88"}})
	if err != nil {
		t.Fatal(err)
	}
	invite := carrier.await(t, "INVITE")
	carrier.send(t, "SIP/2.0 486 Busy Here", header(invite, "Via"), header(invite, "From"), header(invite, "To")+";tag=2", header(invite, "Call-ID"), header(invite, "CSeq"), "Content-Length: 0", "", "")
	for _, part := range []string{"INVITE sip:+14155550199@" + at + " ", "From: <sip:+14155550111@acme.example>", "P-Asserted-Identity: <sip:+14155550111@acme.example>", "X-Order: 88"} {
		if !strings.Contains(invite, part) {
			t.Errorf("%q is missing in\n%s", part, invite)
		}
	}
	if c := awaitEnd(t, s, started.CallID, client.Failed, "busy"); text(c.PhoneNumber) != "+14155550199" {
		t.Errorf("the call is of %s", text(c.PhoneNumber))
	}
	for _, private := range []string{"4155551234", "Ann Lee", "order-of-ann", "5550199"} {
		if strings.Contains(s.Log.String(), private) {
			t.Errorf("the log has %s", private)
		}
	}
}

// text is an optional field; "" for null.
func text(field *string) string {
	if field == nil {
		return ""
	}
	return *field
}
