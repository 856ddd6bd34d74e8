package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// hookBackend is a tenant's backend that call hooks ask.
type hookBackend struct {
	*httptest.Server
	mu     sync.Mutex
	secret string // verified, unless empty
	answer string // "" for none within any timeout
	asked  []map[string]any
	faults []string
}

func newHookBackend(t *testing.T) *hookBackend {
	t.Helper()
	b := new(hookBackend)
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

func (b *hookBackend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	answer, secret := b.answer, b.secret
	body, err := io.ReadAll(r.Body)
	var question map[string]any
	if err == nil {
		err = json.Unmarshal(body, &question)
	}
	if err == nil && secret != "" {
		err = client.VerifyWebhook(body, r.Header.Get("X-Webhook-Signature"), secret, time.Now())
	}
	if err == nil && (r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Parley-Call-Id") != question["call_id"]) {
		b.faults = append(b.faults, r.Method+" "+r.Header.Get("Content-Type"))
	}
	if err != nil {
		b.faults = append(b.faults, err.Error())
	}
	b.asked = append(b.asked, question)
	b.mu.Unlock()
	if answer == "" {
		<-r.Context().Done()
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer)
}

// says sets the next answers.
func (b *hookBackend) says(answer string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer, b.asked = answer, nil
}

// question returns what the only request since says asked.
func (b *hookBackend) question(t *testing.T) map[string]any {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.asked) != 1 || len(b.faults) > 0 {
		t.Fatalf("asked %v; faults %q", b.asked, b.faults)
	}
	return b.asked[0]
}

// use makes the tenant's secret for call hooks, which requests are then verified with.
func (b *hookBackend) use(t *testing.T, s *binary.Server) {
	t.Helper()
	var made struct{ Secret string }
	ask(t, s, http.MethodPost, "/api/v1/signing-secrets/call_hooks/rotate", object{}, &made)
	if !strings.HasPrefix(made.Secret, "chsec_") {
		t.Fatalf("secret %q", made.Secret)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.secret = made.Secret
}

// hookAgent makes an agent that greets the user by name.
func hookAgent(t *testing.T, s *binary.Server, name, greeting string, more string) {
	t.Helper()
	config := `{"prompt": {"system": "You answer.", "greeting": "` + greeting + `"}` + more + `, ` + offlineSpeech + `}`
	ask(t, s, http.MethodPost, "/api/v1/agents", object{"name": name, "config": json.RawMessage(config)}, nil)
}

// The backend of a phone number says who calls and which agent answers, or rejects the call, which is recorded.
func TestCallHookOfAPhone(t *testing.T) {
	t.Parallel()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	s, phone, backend := serve(t, filepath.Join(t.TempDir(), "data"), ports), newSoftphone(t), newHookBackend(t)
	hookAgent(t, s, "first", "Hello there.", "")
	hookAgent(t, s, "second", "Hello {{user.name}}.", "")
	var trunk, number struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Softphone", "address": "127.0.0.1", "allowed_addresses": []string{"127.0.0.1"}}, &trunk)
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "agent_name": "first", "trunk_id": trunk.ID}, &number)
	hook := func(more object) {
		more["url"] = backend.URL
		ask(t, s, http.MethodPatch, "/api/v1/phone-numbers/"+number.ID, object{"call_hook": more}, nil)
	}
	backend.use(t, s)

	hook(object{"timeout_ms": 3000})
	backend.says(`{"agent_name": "second", "user_context": {"name": "Ada"}, "metadata": {"case": 7}}`)
	phone.dial(t, "+4930111111", ports["PARLEY_SIP_PORT"])
	id := awaitNewest(t, s, 1)
	if said := entries(t, s, id, 1); said[0].Content != "Hello Ada." {
		t.Errorf("the agent said %q", said[0].Content)
	}
	phone.hangUp(t)
	c := awaitEnd(t, s, id, client.Completed, "caller_hangup")
	if c.AgentName == nil || *c.AgentName != "second" || string(c.Metadata) != `{"case":7}` {
		t.Errorf("the call is %+v", c)
	}
	if q := backend.question(t); q["call_id"] != id || q["direction"] != "inbound" || q["call_type"] != "sip" || q["from"] != softphoneNumber || q["to"] != "+4930111111" {
		t.Errorf("asked %v", q)
	}
	hookMoment(t, s, id, client.MomentHookAnswered)
	phone.awaitEnd(t)

	backend.says(`{"reject": {"sip_status": 486}}`)
	phone.dial(t, "+4930111111", ports["PARLEY_SIP_PORT"])
	phone.awaitOutput(t, "486")
	id = awaitNewest(t, s, 2)
	awaitEnd(t, s, id, client.Failed, "rejected_by_hook")

	hook(object{"timeout_ms": 300, "on_failure": "default"})
	backend.says("")
	phone.dial(t, "+4930111111", ports["PARLEY_SIP_PORT"])
	id = awaitNewest(t, s, 3)
	if said := entries(t, s, id, 1); said[0].Content != "Hello there." {
		t.Errorf("the agent said %q", said[0].Content)
	}
	phone.hangUp(t)
	awaitEnd(t, s, id, client.Completed, "caller_hangup")
	if items := errorsOf(t, s, id); len(items) != 1 || items[0].Service != "call_hook" || items[0].Message != "the call hook failed: no answer within 300 ms" {
		t.Errorf("error log: %+v", items)
	}
	hookMoment(t, s, id, client.MomentHookFailed)

	hook(object{"timeout_ms": 300, "on_failure": "reject"})
	phone.dial(t, "+4930111111", ports["PARLEY_SIP_PORT"])
	phone.awaitOutput(t, "480")
	awaitEnd(t, s, awaitNewest(t, s, 4), client.Failed, "rejected_by_hook")
}

// The backend of an agent is asked before its web calls, once for each key of a repeated request.
func TestCallHookOfAWebCall(t *testing.T) {
	t.Parallel()
	s, backend := serve(t, filepath.Join(t.TempDir(), "data"), nil), newHookBackend(t)
	hookAgent(t, s, "second", "Hello {{user.name}}.", "")
	hookAgent(t, s, "first", "Hello there.", `, "call_hook": {"url": "`+backend.URL+`", "timeout_ms": 300, "on_failure": "reject"}`)
	begin := func(key string) (int, string, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/calls/test-agent",
			strings.NewReader(`{"agent_name": "first", "user_context": {"name": "Bob", "plan": "gold"}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", s.Key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		var started struct {
			CallID string `json:"call_id"`
		}
		_ = json.Unmarshal(text, &started)
		return response.StatusCode, started.CallID, string(text)
	}

	backend.says(`{"agent_name": "second", "user_context": {"name": "Ada"}}`)
	_, id, text := begin("one")
	if _, again, _ := begin("one"); id == "" || again != id {
		t.Fatalf("began %q, then %q: %s", id, again, text)
	}
	q := backend.question(t) // asked once
	if name, _ := q["user_context"].(map[string]any)["name"].(string); q["call_id"] != id || q["call_type"] != "voip" || name != "Bob" {
		t.Errorf("asked %v", q)
	}
	if c, err := s.API.Calls.Get(t.Context(), id); err != nil || c.AgentName == nil || *c.AgentName != "second" {
		t.Errorf("the call is %+v, %v", c, err)
	}

	for _, tc := range []struct {
		answer string
		status int
		says   string
	}{
		{`{"reject": {}}`, http.StatusConflict, "the call hook rejected the call"},
		{`{"agent_name": "third"}`, http.StatusServiceUnavailable, "answered with a workflow or agent that cannot take the call"},
		{`[]`, http.StatusServiceUnavailable, "answered with something other than a JSON object"},
		{"", http.StatusServiceUnavailable, "no answer within 300 ms"},
	} {
		backend.says(tc.answer)
		if status, _, text := begin("two"); status != tc.status || !strings.Contains(text, tc.says) {
			t.Errorf("%s: %d %s", tc.answer, status, text)
		}
	}
	if listed, err := s.API.Calls.List(t.Context(), client.CallQuery{}); err != nil || listed.Total != 1 {
		t.Errorf("calls: %+v, %v", listed, err)
	}
}

// awaitNewest waits until there are so many calls, and returns the newest one's id.
func awaitNewest(t *testing.T, s *binary.Server, calls int) (id string) {
	t.Helper()
	await(t, "the call is there", func() bool {
		listed, err := s.API.Calls.List(t.Context(), client.CallQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if len(listed.Items) == calls {
			id = listed.Items[0].ID
		}
		return id != ""
	})
	return id
}

// hookMoment checks that a call's timeline has what its hook did.
func hookMoment(t *testing.T, s *binary.Server, id, kind string) {
	t.Helper()
	moments, err := s.API.Calls.Timeline(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moments {
		if m.Type == kind {
			return
		}
	}
	t.Errorf("no %s in %+v", kind, moments)
}
