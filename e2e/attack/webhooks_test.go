package attack

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// Who may write webhooks gets neither the stored header values, nor what was said in calls, by leading the webhook elsewhere.
func TestWebhookSecrets(t *testing.T) {
	t.Parallel()
	var stolen atomic.Value
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if header := r.Header.Get("Authorization"); header != "" {
			stolen.Store(header)
		}
	}))
	t.Cleanup(thief.Close)
	s := start(t, nil, "--without=worker,media,sip")
	owner := newTenant(t, s, "owner", "*")
	insider := newKey(t, s, "owner", "--scopes", "webhooks:write,webhooks:read")
	const path, secret = "/api/v1/webhooks", "Bearer of-the-backend"
	newDesk(t, s, owner)
	settings := `{"url":"http://127.0.0.1:9/hook","max_retries":1,"headers":{"Authorization":"` + secret + `"},"filter":{"include_transcript":true,"include_context":true}}`
	if answer, text := send(t, s, owner, http.MethodPost, path, settings); answer.StatusCode != http.StatusCreated || strings.Contains(string(text), secret) {
		t.Fatalf("%s: %s", answer.Status, text)
	}
	id := post(t, s, owner, "/api/v1/calls", object{"workflow_slug": "desk"})
	send(t, s, owner, http.MethodPost, "/api/v1/calls/"+id+"/end", "")
	var ended struct{ Items []struct{ ID string } }
	await(t, "the delivery of the call's end fails", func() bool {
		_, text := send(t, s, owner, http.MethodGet, path+"/deliveries?status=failed&event=call.failed&call_id="+id, "")
		return json.Unmarshal(text, &ended) == nil && len(ended.Items) == 1
	})
	for _, c := range []struct {
		method, path, body string
		status             int
		names              string
	}{
		{http.MethodPost, "/deliveries/" + ended.Items[0].ID + "/replay", "", 403, "calls:read"},
		{http.MethodPost, "/deliveries/replay", `{"created_after":"2020-01-01T00:00:00Z"}`, 403, "calls:read"},
		{http.MethodGet, "", "", 200, "********"},
		{http.MethodPatch, "", `{"url":"` + thief.URL + `"}`, 422, "headers.Authorization"},
		{http.MethodPatch, "", `{"url":"` + thief.URL + `","headers":{"Authorization":"********"}}`, 422, "headers.Authorization"},
		{http.MethodPost, "", `{"url":"` + thief.URL + `","headers":{"Authorization":"********"}}`, 422, "headers.Authorization"},
		{http.MethodPatch, "", `{"url":"` + thief.URL + `","headers":{"Authorization":null}}`, 403, "calls:read"},
		{http.MethodPatch, "", `{"url":"http://127.0.0.1:9/elsewhere"}`, 403, "calls:read"},
		{http.MethodPost, "", `{"url":"` + thief.URL + `","filter":{"include_transcript":true}}`, 403, "calls:read"},
		{http.MethodPost, "", `{"url":"` + thief.URL + `","filter":{"include_context":true}}`, 403, "calls:read"},
		{http.MethodPatch, "", `{"timeout":5}`, 200, "********"},
		{http.MethodPost, "/disable", "", 200, "********"},
		{http.MethodPost, "/enable", "", 200, "********"},
		{http.MethodPost, "/rotate-secret", "", 200, "********"},
		{http.MethodPost, "/test", "", 202, "evt_"},
	} {
		answer, text := send(t, s, insider, c.method, path+c.path, c.body)
		if answer.StatusCode != c.status || !strings.Contains(string(text), c.names) || strings.Contains(string(text), secret) {
			t.Errorf("%s %s %s: %s: %s, want %d with %s", c.method, c.path, c.body, answer.Status, text, c.status, c.names)
		}
	}
	if header := stolen.Load(); header != nil {
		t.Errorf("the thief got %v", header)
	}
	if answer, text := send(t, s, owner, http.MethodPatch, path, `{"url":"`+thief.URL+`","headers":{"Authorization":"Bearer new"}}`); answer.StatusCode != http.StatusOK {
		t.Errorf("the owner: %s: %s", answer.Status, text)
	}
}
