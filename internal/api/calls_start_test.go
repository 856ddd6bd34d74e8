package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/fault"
)

func TestIngest(t *testing.T) {
	s, media := newCalls(t, nil)
	s.key("caller", acme, "calls:write")
	for body, want := range map[string]struct{ kind, workflow, agent string }{
		`{"workflow_slug":"support","phone_number":"+4930123456","user_id":"u","user_context":{"a":1},"metadata":{"b":2}}`: {"sip", "support", ""},
		`{"workflow_slug":"support","agent_slug":null}`:                                                                    {"voip", "support", ""},
		`{"agent_slug":"desk","phone_number":null}`:                                                                        {"voip", "", "desk"},
		`{"agent_slug":"desk","phone_number":"+4930123456"}`:                                                               {"sip", "", "desk"},
		"\ufeff" + `{"agent_slug":"desk"}`:                                                                                 {"voip", "", "desk"}, // with a byte order mark
	} {
		var started startedBody
		s.want(s.do("caller", http.MethodPost, "/api/v1/webhooks/ingest", body), http.StatusCreated, &started)
		if started.Status != "pending" || started.URL != "ws://media.example" || !strings.Contains(started.Token, "caller-"+started.CallID+"-11m0s") {
			t.Errorf("%s: %+v", body, started)
		}
		var c seenCall
		s.want(s.do("full", http.MethodGet, "/api/v1/calls/"+started.CallID, ""), http.StatusOK, &c)
		if c.CallType != want.kind || c.WorkflowSlug != want.workflow || c.AgentName != want.agent || c.RoomName != started.RoomName {
			t.Errorf("%s: %+v", body, c)
		}
		if want := fmt.Sprintf("-from-%d", c.CreatedAt.UnixMicro()); !strings.HasSuffix(started.Token, want) {
			t.Errorf("the token is %s, want it good from the database's time on, %s", started.Token, want)
		}
	}
	if len(media.opened) != 5 {
		t.Errorf("%d rooms, want 5", len(media.opened))
	}
	for body, field := range map[string]string{
		`{}`: "workflow_slug",
		`{"workflow_slug":"support","agent_slug":"desk"}`:       "agent_slug",
		`{"workflow_slug":""}`:                                  "workflow_slug",
		`{"agent_slug":7}`:                                      "agent_slug",
		`{"workflow_slug":"support","phone_number":"030 1234"}`: "phone_number",
		`{"workflow_slug":"support","user_context":[1]}`:        "user_context",
	} {
		if got := s.refused(s.do("full", http.MethodPost, "/api/v1/webhooks/ingest", body), http.StatusUnprocessableEntity, fault.Validation); got[field] == "" {
			t.Errorf("%s: faults %v, want %s", body, got, field)
		}
	}
	for _, body := range []string{`{"workflow_slug":"none"}`, `{"agent_slug":"none"}`} {
		s.refused(s.do("full", http.MethodPost, "/api/v1/webhooks/ingest", body), http.StatusNotFound, fault.NotFound)
	}
	s.refused(s.do("stranger", http.MethodPost, "/api/v1/webhooks/ingest", `{"workflow_slug":"support"}`), http.StatusNotFound, fault.NotFound)
	s.key("hooks", acme, "webhooks:write")
	s.refused(s.do("hooks", http.MethodPost, "/api/v1/webhooks/ingest", `{}`), http.StatusForbidden, fault.ScopeRequired)
	s.refused(s.do("", http.MethodPost, "/api/v1/webhooks/ingest", `{}`), http.StatusUnauthorized, fault.Authentication)
}

// A call with its own configuration leaves the agent as it is; it needs no agent, but the scope to write them.
func TestCallWithADraft(t *testing.T) {
	s, _ := newCalls(t, func(kind, name string, ownKey bool) string { return kind + " " + name + " has no key" })
	const path, config = "/api/v1/calls/test-agent", `{"prompt":{"system":"Draft."},"stt":{"provider":"ear","model":"x"},"llm":{"provider":"spare","model":"x"},"tts":{"provider":"mouth","voice_id":"anna"}}`
	for _, name := range []string{"desk", "not-saved"} {
		var started startedBody
		s.want(s.do("full", http.MethodPost, path, `{"agent_name":"`+name+`","config":`+config+`}`), http.StatusCreated, &started)
		if want := []string{"llm spare has no key", "stt ear has no key", "tts mouth has no key"}; !slices.Equal(slices.Sorted(slices.Values(started.Warnings)), want) {
			t.Errorf("%s: warnings %q, want those of the draft's providers %q", name, started.Warnings, want)
		}
	}
	s.refused(s.do("full", http.MethodGet, "/api/v1/agents/not-saved", ""), http.StatusNotFound, fault.NotFound)
	got := s.refused(s.do("full", http.MethodPost, path, `{"agent_name":"desk","config":`+strings.Replace(config, `"Draft."`, `" "`, 1)+`}`), http.StatusUnprocessableEntity, fault.Validation)
	if got["config.prompt.system"] == "" {
		t.Errorf("a prompt of a space: faults %v", got)
	}
	s.key("caller", acme, "calls:write")
	s.refused(s.do("caller", http.MethodPost, path, `{"agent_name":"desk","config":`+config+`}`), http.StatusForbidden, fault.ScopeRequired)
	s.want(s.do("caller", http.MethodPost, path, `{"agent_name":"desk"}`), http.StatusCreated, nil)
}

// TestAgentByPhone: a test of an agent with call_type sip is a phone call.
func TestAgentByPhone(t *testing.T) {
	s, _ := newCalls(t, nil)
	var started struct {
		CallID string `json:"call_id"`
	}
	s.want(s.do("full", http.MethodPost, "/api/v1/calls/test-agent", `{"agent_name":"desk","call_type":"sip","phone_number":"+4930123456","metadata":{"order":7}}`), http.StatusCreated, &started)
	var got struct {
		CallType    string `json:"call_type"`
		PhoneNumber string `json:"phone_number"`
		Metadata    map[string]any
	}
	s.want(s.do("full", http.MethodGet, "/api/v1/calls/"+started.CallID, ""), http.StatusOK, &got)
	if got.CallType != "sip" || got.PhoneNumber != "+4930123456" || got.Metadata["order"] != 7.0 {
		t.Errorf("the call is %+v", got)
	}
	for query, want := range map[string]int{
		"metadata.order=7": 1, "metadata.order=8": 0, "phone_number=%2B4930123456&direction=outbound": 1, "direction=inbound": 0, "agent_name=desk": 1,
		"status_reason=busy": 0, "created_after=2020-01-01": 1, "created_before=2020-01-01": 0,
	} {
		var page struct {
			Total int
			Items []struct {
				PhoneNumber string `json:"phone_number"`
				Metadata    map[string]any
			}
		}
		w := s.do("full", http.MethodGet, "/api/v1/calls?"+query, "")
		if s.want(w, http.StatusOK, &page); page.Total != want || len(page.Items) != want || w.Header().Get("X-Ignored-Parameters") != "" {
			t.Errorf("%s: %s", query, w.Body)
		}
	}
	s.refused(s.do("full", http.MethodGet, "/api/v1/calls?metadata.order=7&metadata.order=8", ""), http.StatusUnprocessableEntity, fault.Validation)
}

func TestIdempotencyKey(t *testing.T) {
	s, media := newCalls(t, func(kind, name string, ownKey bool) string { return kind + " has no key" })
	const header = "Idempotency-Key"
	for path, bodies := range map[string][3]string{
		"/api/v1/calls": {`{"workflow_slug":"support","user_context":{"a":1,"b":2}}`, `{ "user_context": {"b":2, "a":1}, "workflow_slug":"support", "call_type":"voip" }`,
			`{"workflow_slug":"support","user_context":{"a":1,"b":3}}`},
		"/api/v1/calls/test-agent": {`{"agent_name":"desk"}`, `{"agent_name": "desk"}`, `{"agent_name":"desk","user_id":"u"}`},
		"/api/v1/webhooks/ingest":  {`{"agent_slug":"desk"}`, `{"agent_slug":"desk" }`, `{"agent_slug":"desk","phone_number":"+4930123456"}`},
	} {
		rooms := len(media.opened)
		first := s.do("full", http.MethodPost, path, bodies[0], header, path)
		s.want(first, http.StatusCreated, nil)
		for _, body := range bodies[:2] {
			again := s.do("full", http.MethodPost, path, body, header, path)
			if s.want(again, http.StatusCreated, nil); again.Body.String() != first.Body.String() {
				t.Errorf("%s: first %s, again %s", path, first.Body, again.Body)
			}
		}
		if len(media.opened) != rooms+1 {
			t.Errorf("%s: %d rooms opened, want one", path, len(media.opened)-rooms)
		}
		got := s.refused(s.do("full", http.MethodPost, path, bodies[2], header, path), http.StatusUnprocessableEntity, fault.Validation)
		if got[header] == "" {
			t.Errorf("%s: faults %v", path, got)
		}
		// A test key asks for another call than a live key.
		s.refused(s.do("test", http.MethodPost, path, bodies[0], header, path), http.StatusUnprocessableEntity, fault.Validation)
	}
	// The same body means something else elsewhere.
	s.refused(s.do("full", http.MethodPost, "/api/v1/calls", `{"workflow_slug":"support"}`, header, "/api/v1/webhooks/ingest"), http.StatusUnprocessableEntity, fault.Validation)
	if _, total := s.listed("full", ""); total != 3 {
		t.Errorf("%d calls, want 3", total)
	}
	for _, key := range []string{"", strings.Repeat("k", 256), "two words", "caf\xe9"} {
		if got := s.refused(s.do("full", http.MethodPost, "/api/v1/calls", `{}`, header, key), http.StatusUnprocessableEntity, fault.Validation); got[header] == "" || got["workflow_slug"] == "" {
			t.Errorf("key %q: faults %v", key, got)
		}
	}
	if got := s.refused(s.do("full", http.MethodPost, "/api/v1/calls", `{"workflow_slug":"support"}`, header, ""), http.StatusUnprocessableEntity, fault.Validation); len(got) != 1 || got[header] == "" {
		t.Errorf("an empty key: faults %v", got)
	}
	twice := httptest.NewRequest(http.MethodPost, "/api/v1/calls", strings.NewReader(`{"workflow_slug":"support"}`))
	twice.Header = http.Header{"X-Api-Key": {s.credentials["full"]}, header: {"a", "b"}}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, twice)
	if got := s.refused(w, http.StatusUnprocessableEntity, fault.Validation); got[header] == "" {
		t.Errorf("two keys: faults %v", got)
	}
	// A refused request leaves its key free.
	s.refused(s.do("full", http.MethodPost, "/api/v1/calls", `{"workflow_slug":"none"}`, header, "free"), http.StatusNotFound, fault.NotFound)
	s.want(s.do("full", http.MethodPost, "/api/v1/calls", `{"workflow_slug":"support"}`, header, "free"), http.StatusCreated, nil)
}

// A dispatch warns of a provider that cannot be used only if its fallback cannot be used either.
func TestWarningsOfADispatch(t *testing.T) {
	lacking := map[string]bool{}
	s, _ := newCalls(t, func(kind, name string, ownKey bool) string {
		if lacking[name] {
			return name + " has no key"
		}
		return ""
	})
	s.want(s.do("full", http.MethodPut, "/api/v1/agents/desk", `{"config":{"llm":{"fallback":{"provider":"spare","model":"spare-1"}}}}`), http.StatusOK, nil)
	for _, tc := range []struct{ lacking, want []string }{
		{nil, nil},
		{[]string{"brain"}, nil},
		{[]string{"spare"}, nil},
		{[]string{"brain", "spare"}, []string{"brain has no key", "spare has no key"}},
		{[]string{"mouth"}, []string{"mouth has no key"}},
	} {
		clear(lacking)
		for _, name := range tc.lacking {
			lacking[name] = true
		}
		var started startedBody
		s.want(s.do("full", http.MethodPost, "/api/v1/calls", `{"workflow_slug":"support"}`), http.StatusCreated, &started)
		if !slices.Equal(started.Warnings, tc.want) {
			t.Errorf("without %v the warnings are %q", tc.lacking, started.Warnings)
		}
	}
}

func TestIdempotencyKeyInProgress(t *testing.T) {
	reached, proceed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s, _ := newCalls(t, func(string, string, bool) string {
		once.Do(func() { close(reached); <-proceed })
		return ""
	})
	body := `{"workflow_slug":"support"}`
	var wg sync.WaitGroup
	wg.Go(func() {
		if w := s.do("full", http.MethodPost, "/api/v1/calls", body, "Idempotency-Key", "k"); w.Code != http.StatusCreated {
			t.Errorf("the first: %d %s", w.Code, w.Body)
		}
	})
	<-reached
	s.refused(s.do("full", http.MethodPost, "/api/v1/calls", body, "Idempotency-Key", "k"), http.StatusConflict, fault.Conflict)
	close(proceed)
	wg.Wait()
	s.want(s.do("full", http.MethodPost, "/api/v1/calls", body, "Idempotency-Key", "k"), http.StatusCreated, nil)
	if _, total := s.listed("full", ""); total != 1 {
		t.Errorf("%d calls, want one", total)
	}
}

func TestIdempotencyKeyUnderConcurrentRequests(t *testing.T) {
	s, _ := newCalls(t, nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]int{}
	for range 16 {
		wg.Go(func() {
			w := s.do("full", http.MethodPost, "/api/v1/calls", `{"workflow_slug":"support"}`, "Idempotency-Key", "k")
			mu.Lock()
			defer mu.Unlock()
			switch w.Code {
			case http.StatusCreated:
				answers[w.Body.String()]++
			case http.StatusConflict:
			default:
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	wg.Wait()
	if _, total := s.listed("full", ""); total != 1 || len(answers) != 1 {
		t.Errorf("%d calls, answers %v; want one", total, answers)
	}
}
