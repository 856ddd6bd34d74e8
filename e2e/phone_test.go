package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// A call to a phone number fails for a true reason: no trunk to dial through,
// or, with one of the tenant or of the platform, no gateway in this server.
func TestPhoneCallsThatCannotBePlaced(t *testing.T) {
	t.Parallel()
	without := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	with := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_SIP_TRUNK_ADDRESS": "127.0.0.1:9", "PARLEY_SIP_TRUNK_PASSWORD": "planted-trunk-password"})
	dialled := func(s *binary.Server, reason string) {
		t.Helper()
		d, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo", CallType: "sip", PhoneNumber: "+4930123456"})
		if err != nil {
			t.Fatal(err)
		}
		if warned := strings.Contains(fmt.Sprint(d.Warnings), "SIP trunk"); warned != (reason == "no_trunk") {
			t.Errorf("%s: warnings %q", reason, d.Warnings)
		}
		if c := awaitEnd(t, s, d.CallID, 10*time.Second, client.Failed, reason); c.Direction != "outbound" || c.StartedAt != nil {
			t.Errorf("ended as %+v", c)
		}
	}
	dialled(without, "no_trunk")
	dialled(with, "unreachable")
	if log := with.Log.String(); strings.Contains(log, "planted-trunk-password") {
		t.Errorf("the log holds the trunk's password:\n%s", log)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, without.URL+"/api/v1/sip-trunks", strings.NewReader(`{"name":"Carrier","address":"127.0.0.1:9"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", without.Key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("create a trunk: %d", answer.StatusCode)
	}
	dialled(without, "unreachable")
}
