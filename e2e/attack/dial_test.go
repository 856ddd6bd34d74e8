package attack

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A tenant dials only what it may, and so much; a test key dials no live trunk, and sees no live call.
func TestPhoneMoney(t *testing.T) {
	carrier := bound(t, "127.0.0.1", 0)
	s := start(t, map[string]string{"PARLEY_SIP_TRUNK_ADDRESS": carrier.LocalAddr().String(), "PARLEY_SIP_OUTBOUND_PREFIXES": "+49,+881,+1", "PARLEY_RING_TIMEOUT": "2s"})
	acme := newTenant(t, s, "acme", "*")
	newDesk(t, s, acme)
	dial := func(key, number string) (status int, text string) {
		answer, body := send(t, s, key, http.MethodPost, "/api/v1/calls", `{"workflow_slug":"desk","call_type":"sip","phone_number":"`+number+`"}`)
		return answer.StatusCode, string(body)
	}
	for number, why := range map[string]string{"+499001123456": "premium_rate", "+4990011234567": "premium_rate", "+4918012345678": "shared_cost", "+881612345678": "satellite", "+43123456789": "prefixes"} {
		if status, text := dial(acme, number); status != http.StatusUnprocessableEntity || !strings.Contains(text, why) || !strings.Contains(text, "phone_number") {
			t.Errorf("%s: %d %s", number, status, text)
		}
	}
	command(t, s, "", "tenant", "set", "acme", "--phone-prefixes", "+49", "--phone-ranges", "satellite", "--phone-per-minute", "3")
	if status, text := dial(acme, "+12025550123"); status != http.StatusUnprocessableEntity {
		t.Errorf("a prefix of the platform's that is not the tenant's: %d %s", status, text)
	}

	// A test key.
	test := newTestKey(t, s, "acme")
	id := post(t, s, test, "/api/v1/calls", object{"workflow_slug": "desk", "call_type": "sip", "phone_number": "+4930123456"})
	await(t, "the test call fails without a sandbox", func() bool {
		_, text := send(t, s, test, http.MethodGet, "/api/v1/calls/"+id, "")
		return strings.Contains(string(text), `"no_trunk"`)
	})
	_ = carrier.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	if n, err := carrier.Read(make([]byte, 2000)); err == nil {
		t.Errorf("a test key dials the live trunk: %d bytes", n)
	}
	live := post(t, s, acme, "/api/v1/calls", object{"workflow_slug": "desk", "call_type": "sip", "phone_number": "+4930123456"})
	for _, hidden := range []struct{ method, path string }{
		{http.MethodGet, ""}, {http.MethodGet, "/transcript"}, {http.MethodGet, "/metrics"}, {http.MethodGet, "/timeline"}, {http.MethodGet, "/prompts"}, {http.MethodGet, "/recording"}, {http.MethodPost, "/end"},
	} {
		answer, text := send(t, s, test, hidden.method, "/api/v1/calls/"+live+hidden.path, "")
		if answer.StatusCode != http.StatusNotFound || !strings.Contains(string(text), "call not found") {
			t.Errorf("%s %s of a live call with a test key: %s %s", hidden.method, hidden.path, answer.Status, text)
		}
	}
	if _, text := send(t, s, test, http.MethodGet, "/api/v1/sse/calls/"+live+"/stream", ""); strings.Contains(string(text), "call_status") || !strings.Contains(string(text), "event: error") {
		t.Errorf("a test key watches a live call: %s", text)
	}
	for query, want := range map[string]int{"": 1, "?livemode=true": 0, "?livemode=false": 1} {
		if n, newest := listedCalls(t, s, test, query); n != want || newest == live {
			t.Errorf("a test key lists %d calls with %q, want %d", n, query, want)
		}
	}
	if n, _ := listedCalls(t, s, acme, ""); n != 2 {
		t.Errorf("a live key lists %d calls, want both", n)
	}

	// The limit is for live calls: one was made.
	for range 2 {
		if status, text := dial(acme, "+4930123456"); status != http.StatusCreated {
			t.Errorf("within the limit: %d %s", status, text)
		}
	}
	if status, text := dial(acme, "+4930123456"); status != http.StatusTooManyRequests || !strings.Contains(text, "rate_limit_exceeded") || !strings.Contains(text, "3 outbound phone calls a minute") {
		t.Errorf("beyond the limit: %d %s", status, text)
	}
	if status, text := dial(test, "+4930123456"); status != http.StatusCreated {
		t.Errorf("meanwhile a test call: %d %s", status, text)
	}
}
