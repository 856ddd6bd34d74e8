package e2e

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// A phone that calls a number of the demo workflow is answered, receives the agent's greeting, and hangs up. Nobody answers
// another number.
func TestPhoneCallThatComesIn(t *testing.T) {
	t.Parallel()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, filepath.Join(t.TempDir(), "data"), ports)
	var trunk struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Softphone", "address": "127.0.0.1", "allowed_addresses": []string{"127.0.0.1"}}, &trunk)
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "workflow_slug": "demo", "trunk_id": trunk.ID}, nil)
	phone := newSoftphone(t)
	phone.dial(t, "+4930000000", ports["PARLEY_SIP_PORT"])
	phone.awaitOutput(t, "404")

	phone.dial(t, "+4930111111", ports["PARLEY_SIP_PORT"])
	var listed *client.CallPage
	await(t, "the call is there", func() bool {
		if listed, err = s.API.Calls.List(t.Context(), client.CallQuery{}); err != nil {
			t.Fatal(err)
		}
		return len(listed.Items) > 0
	})
	id := listed.Items[0].ID
	awaitStatus(t, s, id, client.Active)
	entries(t, s, id, 1) // the greeting
	phone.hangUp(t)
	c := awaitEnd(t, s, id, client.Completed, "caller_hangup")
	if c.CallType != "sip" || c.Direction != "inbound" || c.PhoneNumber == nil || *c.PhoneNumber != softphoneNumber || c.StartedAt == nil {
		t.Errorf("the call is %+v", c)
	}
	if listed, err = s.API.Calls.List(t.Context(), client.CallQuery{}); err != nil || len(listed.Items) != 1 {
		t.Errorf("calls: %+v, %v", listed, err)
	}
	phone.awaitEnd(t)
	if heard := phone.received(t); heard < time.Second {
		t.Errorf("the phone received %v of speech", heard)
	}
	if strings.Contains(s.Log.String(), softphoneNumber[3:]) || strings.Contains(s.Log.String(), "111111") {
		t.Errorf("the log holds a number:\n%s", s.Log.String())
	}
}
