package attack

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A test key sees and replays what became of test keys' events alone.
func TestDeliveriesOfTestKeys(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--without=worker,media,sip")
	live := newTenant(t, s, "acme", "*")
	test := newTestKey(t, s, "acme")
	newDesk(t, s, live)
	const path = "/api/v1/webhooks"
	if answer, text := send(t, s, live, http.MethodPost, path, `{"url":"http://127.0.0.1:9/hook","max_retries":1}`); answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %s", answer.Status, text)
	}
	secret := post(t, s, live, "/api/v1/calls", object{"workflow_slug": "desk"})
	type page struct {
		Total int
		Items []struct {
			ID     string
			Status string
			CallID *string `json:"call_id"`
		}
	}
	list := func(key, query string) (p page) {
		t.Helper()
		answer, text := send(t, s, key, http.MethodGet, path+"/deliveries"+query, "")
		if err := json.Unmarshal(text, &p); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", answer.Status, text)
		}
		return p
	}
	var delivery string
	await(t, "the live call's delivery is over", func() bool {
		p := list(live, "?call_id="+secret)
		if p.Total != 1 || p.Items[0].Status != "failed" {
			return false
		}
		delivery = p.Items[0].ID
		return true
	})
	for _, c := range []struct{ method, path string }{{http.MethodGet, ""}, {http.MethodPost, "/replay"}} {
		answer, text := send(t, s, test, c.method, path+"/deliveries/"+delivery+c.path, "")
		if answer.StatusCode != http.StatusNotFound || !strings.Contains(string(text), "webhook delivery not found") {
			t.Errorf("%s %s of a live call's delivery with a test key: %s %s", c.method, c.path, answer.Status, text)
		}
	}
	own := post(t, s, test, "/api/v1/calls", object{"workflow_slug": "desk"})
	send(t, s, test, http.MethodPost, path+"/test", "")
	for query, want := range map[string]int{"": 2, "?status=delivered": 0, "?event=call.started": 1, "?event=call.test": 1, "?call_id=" + own: 1, "?call_id=" + secret: 0, "?limit=1": 2} {
		p := list(test, query)
		if p.Total != want {
			t.Errorf("with %q a test key lists %d deliveries, want %d", query, p.Total, want)
		}
		for _, d := range p.Items {
			if d.CallID != nil && *d.CallID != own {
				t.Errorf("with %q a test key lists the delivery of another call", query)
			}
		}
	}
	if p := list(live, ""); p.Total != 3 {
		t.Errorf("a live key lists %d deliveries, want all 3", p.Total)
	}
}

// A test key can change nothing that affects live calls or their reports, and reads no figures of them.
func TestTestKeysChangeNoLiveCalls(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--without=worker,media,sip")
	live := newTenant(t, s, "acme", "*")
	test := newTestKey(t, s, "acme")
	newDesk(t, s, live)
	var reported atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reported.Add(1) }))
	t.Cleanup(thief.Close)
	if answer, text := send(t, s, live, http.MethodPost, "/api/v1/webhooks", `{"url":"http://127.0.0.1:9/hook","max_retries":1}`); answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %s", answer.Status, text)
	}
	trunk := newNumber(t, s, live, "+4930555001", object{})
	_, text := send(t, s, live, http.MethodGet, "/api/v1/phone-numbers", "")
	var numbers struct{ Items []struct{ ID string } }
	if err := json.Unmarshal(text, &numbers); err != nil || len(numbers.Items) != 1 {
		t.Fatalf("%s", text)
	}
	key := post(t, s, live, "/api/v1/provider-keys", object{"provider_type": "stt", "provider_name": "deepgram", "api_key": "secret"})
	for _, c := range []struct{ method, path, body string }{
		{http.MethodGet, "audit-log", ""},
		{http.MethodPost, "webhooks", `{"url":"` + thief.URL + `","filter":{"include_transcript":true}}`},
		{http.MethodPatch, "webhooks", `{"url":"` + thief.URL + `"}`},
		{http.MethodPost, "webhooks/disable", ""},
		{http.MethodPost, "webhooks/enable", ""},
		{http.MethodPost, "webhooks/rotate-secret", ""},
		{http.MethodDelete, "webhooks", ""},
		{http.MethodPost, "sip-trunks", `{"name":"x","address":"127.0.0.1:9","is_default":true}`},
		{http.MethodPatch, "sip-trunks/" + trunk, `{"name":"x"}`},
		{http.MethodDelete, "sip-trunks/" + trunk, ""},
		{http.MethodPost, "phone-numbers", `{"number":"+4930555002","agent_name":"desk","trunk_id":"` + trunk + `"}`},
		{http.MethodDelete, "phone-numbers/" + numbers.Items[0].ID, ""},
		{http.MethodPost, "provider-keys", `{"provider_type":"tts","provider_name":"cartesia","api_key":"x"}`},
		{http.MethodDelete, "provider-keys/" + key, ""},
		{http.MethodPost, "secrets", `{"name":"x","value":"0123456789"}`},
		{http.MethodPost, "auth/api-keys", `{"name":"x","environment":"live","scopes":["*"]}`},
	} {
		answer, text := send(t, s, test, c.method, "/api/v1/"+c.path, c.body)
		if answer.StatusCode != http.StatusForbidden || !strings.Contains(string(text), "authorization_error") {
			t.Errorf("%s %s with a test key: %s %s", c.method, c.path, answer.Status, text)
		}
	}

	if answer, text := send(t, s, test, http.MethodGet, "/metrics", ""); answer.StatusCode != http.StatusForbidden {
		t.Errorf("metrics with a test key: %s %s", answer.Status, text)
	}

	// What failed of live calls is not sent again.
	since := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	id := post(t, s, live, "/api/v1/calls", object{"workflow_slug": "desk"})
	await(t, "the live call's delivery is over", func() bool {
		_, text := send(t, s, live, http.MethodGet, "/api/v1/webhooks/deliveries?status=failed&call_id="+id, "")
		return strings.Contains(string(text), id)
	})
	if _, text := send(t, s, test, http.MethodPost, "/api/v1/webhooks/deliveries/replay", `{"created_after":"`+since+`"}`); !strings.Contains(string(text), `"replayed":0`) {
		t.Errorf("a test key replays: %s", text)
	}

	// Of two live calls and no other, a test key sees none.
	post(t, s, live, "/api/v1/calls", object{"workflow_slug": "desk"})
	for _, query := range []string{"", "?livemode=true", "?livemode=false", "?livemode=true&period=7d"} {
		_, text := send(t, s, test, http.MethodGet, "/api/v1/analytics/summary"+query, "")
		if !strings.Contains(string(text), `"total_calls":0`) || !strings.Contains(string(text), `"active_calls":0`) {
			t.Errorf("a test key's summary%s: %s", query, text)
		}
	}
	post(t, s, test, "/api/v1/calls", object{"workflow_slug": "desk"})
	for query, want := range map[string]string{"": `"active_calls":1`, "?livemode=false": `"active_calls":1`, "?livemode=true": `"active_calls":0`} {
		if _, text := send(t, s, test, http.MethodGet, "/api/v1/analytics/summary"+query, ""); !strings.Contains(string(text), want) {
			t.Errorf("a test key's summary%s: %s, want %s", query, text, want)
		}
	}
	if reported.Load() > 0 {
		t.Error("something was reported to the thief")
	}
}
