package attack

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
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
