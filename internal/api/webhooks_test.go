package api

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/seal"
	"parley/internal/webhook"
)

// newWebhookService is the API with webhooks that may reach this machine, and
// a deliverer.
func newWebhookService(t *testing.T) *service {
	t.Helper()
	sealer, err := seal.New([]byte(strings.Repeat("k", seal.KeySize)))
	if err != nil {
		t.Fatal(err)
	}
	return newService(t, func(d *Deps) {
		bus := event.NewBus()
		d.Webhooks = webhook.NewSettings(d.DB, bus, sealer, true)
		d.Deliveries = webhook.NewQueue(d.DB, bus)
		deliverer := webhook.NewDeliverer(d.DB, bus, sealer, nil, nil, webhook.Options{AllowPrivate: true, Log: slog.New(slog.DiscardHandler)})
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			deliverer.Run(ctx)
		}()
		t.Cleanup(func() {
			cancel()
			<-ended
		})
	})
}

func TestWebhookConfiguration(t *testing.T) {
	s := newWebhookService(t)
	const path = "/api/v1/webhooks"
	for _, c := range []struct{ method, path, body string }{
		{"GET", path, ""}, {"PATCH", path, `{"timeout":3}`}, {"DELETE", path, ""}, {"POST", path + "/enable", ""}, {"POST", path + "/disable", ""},
		{"POST", path + "/rotate-secret", ""}, {"POST", path + "/test", ""}, {"POST", path + "/deliveries/dlv_1/replay", ""}, {"GET", path + "/deliveries/dlv_1", ""},
	} {
		s.refused(s.do("full", c.method, c.path, c.body), 404, fault.NotFound)
	}

	var made, got map[string]any
	s.want(s.do("full", "POST", path, `{"url":"https://example.com/hook","filter":{"events":["call.completed"],"include_transcript":true},"headers":{"X-Team":"a"}}`), 201, &made)
	secret := made["secret"].(string)
	if !strings.HasPrefix(secret, "whsec_") || !strings.HasPrefix(made["id"].(string), "whk_") {
		t.Errorf("created %v", made)
	}
	s.want(s.do("full", "GET", path, ""), 200, &got)
	want := map[string]any{"id": made["id"], "primary": true, "url": "https://example.com/hook", "enabled": true, "headers": map[string]any{"X-Team": "********"}, "timeout": 30.0, "max_retries": 5.0,
		"retry_policy": "standard", "payload_format": "event", "created_at": made["created_at"], "updated_at": made["updated_at"],
		"filter": map[string]any{"events": []any{"call.completed"}, "workflows": nil, "agents": nil, "include_transcript": true, "include_context": false, "include_metrics": true, "include_page": false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s.refused(s.do("stranger", "GET", path, ""), 404, fault.NotFound)

	var patched map[string]any
	s.want(s.do("full", "PATCH", path, `{"timeout":9,"filter":{"events":null},"headers":{"X-Team":null,"X-New":"n"},"secret":"whsec_chosen"}`), 200, &patched)
	want["timeout"], want["headers"], want["updated_at"] = 9.0, map[string]any{"X-New": "********"}, patched["updated_at"]
	all := []any{}
	for _, name := range event.Types {
		all = append(all, name)
	}
	want["filter"].(map[string]any)["events"] = all
	want["warnings"] = []any{"the field secret is unknown and was ignored"}
	if diff := cmp.Diff(want, patched); diff != "" {
		t.Error(diff)
	}
	again, err := json.Marshal(map[string]any{"url": patched["url"], "filter": patched["filter"], "headers": patched["headers"], "timeout": patched["timeout"]})
	if err != nil {
		t.Fatal(err)
	}
	var replaced map[string]any
	s.want(s.do("full", "POST", path, string(again)), 201, &replaced)
	if diff := cmp.Diff(want["filter"], replaced["filter"]); diff != "" {
		t.Errorf("sent back as it was read, the filter is another:\n%s", diff)
	}
	for action, enabled := range map[string]bool{"disable": false, "enable": true} {
		var answer map[string]any
		s.want(s.do("full", "POST", path+"/"+action, ""), 200, &answer)
		if answer["enabled"] != enabled || answer["secret"] != nil {
			t.Errorf("%s: %v", action, answer)
		}
	}
	s.want(s.do("full", "POST", path+"/disable", ""), 200, nil)
	s.refused(s.do("full", "POST", path+"/test", ""), 409, fault.Conflict)

	for _, body := range []string{"", "{}", `{"overlap_seconds":86400}`} {
		var rotated map[string]any
		s.want(s.do("full", "POST", path+"/rotate-secret", body), 200, &rotated)
		if fresh, _ := rotated["secret"].(string); !strings.HasPrefix(fresh, "whsec_") || fresh == secret {
			t.Errorf("rotate %s: %v", body, rotated)
		}
	}
	for _, body := range []string{`{"overlap_seconds":86401}`, `{"overlap_seconds":-1}`, `{"overlap_seconds":"1"}`} {
		if fields := s.refused(s.do("full", "POST", path+"/rotate-secret", body), 422, fault.Validation); fields["overlap_seconds"] == "" {
			t.Errorf("rotate %s: %v", body, fields)
		}
	}
	s.want(s.do("full", "DELETE", path, ""), 204, nil)
	s.refused(s.do("full", "GET", path, ""), 404, fault.NotFound)
}

func TestWebhookFaultsAtOnce(t *testing.T) {
	s := newWebhookService(t)
	for body, fields := range map[string][]string{
		`{}`: {"url"},
		`{"url":"ftp://example.com","timeout":0,"max_retries":21,"payload_format":"xml","filter":{"events":["call.nothing"]},"headers":{"Host":"a","X-A":"b\r\nc"}}`: {
			"url", "timeout", "max_retries", "payload_format", "filter.events[0]", "headers.Host", "headers.X-A"},
		`{"url":5,"timeout":"3","filter":{"include_context":"yes"},"headers":{"X-A":1}}`: {"url", "timeout", "filter.include_context", "headers.X-A"},
	} {
		got := s.refused(s.do("full", "POST", "/api/v1/webhooks", body), 422, fault.Validation)
		for _, field := range fields {
			if got[field] == "" {
				t.Errorf("%s: no fault of %s", body, field)
			}
		}
		if len(got) != len(fields) {
			t.Errorf("%s: %v, want faults of %v", body, got, fields)
		}
	}
	for _, query := range []string{"limit=101", "limit=0", "offset=-1", "status=lost", "event=call.nothing", "call_id=7"} {
		s.refused(s.do("full", "GET", "/api/v1/webhooks/deliveries?"+query, ""), 422, fault.Validation)
	}
}

func TestWebhookScopes(t *testing.T) {
	s := newWebhookService(t)
	s.key("reader", acme, "webhooks:read")
	s.key("writer", acme, "webhooks:write")
	const path = "/api/v1/webhooks"
	for _, write := range []struct{ method, path, body string }{
		{"POST", path, `{"url":"https://example.com"}`}, {"PATCH", path, `{}`}, {"DELETE", path, ""}, {"POST", path + "/enable", ""}, {"POST", path + "/disable", ""},
		{"POST", path + "/test", ""}, {"POST", path + "/rotate-secret", ""}, {"POST", path + "/deliveries/dlv_1/replay", ""},
	} {
		s.refused(s.do("reader", write.method, write.path, write.body), 403, fault.ScopeRequired)
	}
	for _, read := range []string{path, path + "/deliveries", path + "/deliveries/dlv_1"} {
		s.refused(s.do("writer", "GET", read, ""), 403, fault.ScopeRequired)
	}
	s.want(s.do("writer", "POST", path, `{"url":"https://example.com"}`), 201, nil)
	s.want(s.do("reader", "GET", path, ""), 200, nil)
}

// A test event reaches the receiver, is listed among the deliveries and can be replayed.
func TestWebhookTestEvent(t *testing.T) {
	s := newWebhookService(t)
	arrived := make(chan []byte, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		arrived <- body
		io.WriteString(w, "thanks")
	}))
	defer receiver.Close()
	const path = "/api/v1/webhooks"
	s.want(s.do("full", "POST", path, `{"url":"`+receiver.URL+`"}`), 201, nil)
	var receipt receiptBody
	s.want(s.do("full", "POST", path+"/test", ""), 202, &receipt)
	var event struct {
		ID, Type string
		Data     map[string]any
	}
	if err := json.Unmarshal(<-arrived, &event); err != nil || event.ID != receipt.EventID || event.Type != "call.test" {
		t.Errorf("received %+v, %v; want %+v", event, err, receipt)
	}
	detail := map[string]any{}
	for deadline := time.Now().Add(5 * time.Second); detail["status"] != "delivered"; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not delivered: %v", detail)
		}
		s.want(s.do("full", "GET", path+"/deliveries/"+receipt.DeliveryID, ""), 200, &detail)
	}
	attempt := detail["attempts"].([]any)[0].(map[string]any)
	want := map[string]any{"attempt": 1.0, "started_at": attempt["started_at"], "duration_ms": attempt["duration_ms"], "response_status": 200.0, "response_body": "thanks", "error": nil}
	if diff := cmp.Diff(want, attempt); diff != "" {
		t.Error(diff)
	}
	var page struct {
		Items                []map[string]any
		Total, Limit, Offset int
	}
	s.want(s.do("full", "GET", path+"/deliveries?status=delivered&event=call.test", ""), 200, &page)
	delete(detail, "attempts")
	if data, ok := detail["event_data"].(map[string]any); !ok || !cmp.Equal(data, event.Data) {
		t.Errorf("the log has the data %v; sent was %v", detail["event_data"], event.Data)
	}
	delete(detail, "event_data")
	if page.Total != 1 || page.Limit != 50 || len(page.Items) != 1 {
		t.Fatalf("page %+v", page)
	}
	if diff := cmp.Diff(detail, page.Items[0]); diff != "" {
		t.Errorf("list and detail differ: %s", diff)
	}
	var again receiptBody
	s.want(s.do("full", "POST", path+"/deliveries/"+receipt.DeliveryID+"/replay", ""), 202, &again)
	<-arrived
	if again.EventID != receipt.EventID || again.DeliveryID == receipt.DeliveryID {
		t.Errorf("replayed %+v as %+v", receipt, again)
	}
	var replayed replayedBody
	s.want(s.do("full", "POST", path+"/deliveries/replay", `{"created_after":"2026-01-01T00:00:00Z","event":"call.failed"}`), 202, &replayed)
	if replayed.Replayed != 0 || replayed.HasMore {
		t.Errorf("nothing failed: %+v", replayed)
	}
	for _, wrong := range []string{`{}`, `{"created_after":"yesterday"}`, `{"created_after":"2026-01-01T00:00:00Z","event":"call.test"}`} {
		s.refused(s.do("full", "POST", path+"/deliveries/replay", wrong), 422, fault.Validation)
	}
	s.refused(s.do("stranger", "POST", path+"/deliveries/replay", `{"created_after":"2026-01-01T00:00:00Z"}`), 404, fault.NotFound)
	s.refused(s.do("stranger", "GET", path+"/deliveries/"+receipt.DeliveryID, ""), 404, fault.NotFound)
	s.refused(s.do("stranger", "POST", path+"/deliveries/"+receipt.DeliveryID+"/replay", ""), 404, fault.NotFound)
}

// The description lists the header names that are refused.
func TestRefusedHeaderNamesAreDescribed(t *testing.T) {
	s := newWebhookService(t)
	body := s.description.Paths.Value("/api/v1/webhooks").Post.RequestBody.Value.Content["application/json"].Schema.Value
	_, list, _ := strings.Cut(body.Properties["headers"].Value.Description, "always rejected: ")
	list, _, _ = strings.Cut(list, ".")
	names := strings.Split(strings.ReplaceAll(list, " and ", ", "), ", ")
	for _, name := range names {
		name = strings.ReplaceAll(name, "*", "Any")
		faults := s.refused(s.do("full", http.MethodPost, "/api/v1/webhooks", `{"url":"https://example.com/hook","headers":{"`+name+`":"x"}}`), http.StatusUnprocessableEntity, fault.Validation)
		if faults["headers."+name] != "is reserved" {
			t.Errorf("%s: %v", name, faults)
		}
	}
	for _, reserved := range webhook.ReservedHeaders {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, reserved) }) {
			t.Errorf("%s is not listed", reserved)
		}
	}
}
