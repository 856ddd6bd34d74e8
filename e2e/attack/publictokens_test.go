package attack

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/e2e/binary"
)

// publicCall asks for a call with a public token, as a page of an origin does.
func publicCall(t *testing.T, s *binary.Server, token, origin, body string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/public-calls", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	return answerTo(t, r)
}

// Whoever reads a public token in a page starts calls of its workflow and does nothing else: not from other origins, not of other
// targets, not more a day than it allows even at the same moment, and not after its end.
func TestPublicTokensInWrongHands(t *testing.T) {
	s := start(t, map[string]string{"PARLEY_MAX_WAITING_CALLS": "100"}, "--without=worker,media,sip")
	key := newTenant(t, s, "shop", "*")
	post(t, s, key, "/api/v1/agents", agentOf("desk", "You are the desk."))
	post(t, s, key, "/api/v1/workflows", object{"slug": "support", "name": "Support", "config": object{"nodes": []any{object{"id": "a", "agent_name": "desk", "is_entry": true, "is_exit": true}}, "connections": []any{}}})
	const page, perDay = "https://www.example.com", 7
	_, made := send(t, s, key, http.MethodPost, "/api/v1/public-tokens", `{"workflow_slug":"support","origins":["`+page+`"],"per_minute":600,"per_day":7,"user_context_keys":["page"]}`)
	var token struct{ ID, Token string }
	if err := json.Unmarshal(made, &token); err != nil || token.Token == "" {
		t.Fatalf("%v: %s", err, made)
	}

	for _, origin := range []string{"", "null", "https://example.com", "https://www.example.com.evil.example", page + ":444", "http://www.example.com", page + ", https://evil.example"} {
		if status, answer := publicCall(t, s, token.Token, origin, `{}`); status != http.StatusForbidden {
			t.Errorf("origin %q: %d %s", origin, status, answer)
		}
	}
	for _, body := range []string{`{"user_context":{"role":"admin"}}`, `{"user_context":{"page":"/","call":{"id":"x"}}}`, `{"user_context":[]}`} {
		if status, answer := publicCall(t, s, token.Token, page, body); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	for _, path := range []string{"calls", "agents", "workflows/support", "prompts", "tools", "secrets", "public-tokens", "auth/me", "limits", "audit-log", "calls/stream"} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			if answer, text := send(t, s, token.Token, method, "/api/v1/"+path, ""); answer.StatusCode < 400 || answer.StatusCode >= 500 {
				t.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text)
			}
		}
	}

	var began atomic.Int64
	var running sync.WaitGroup
	for range 40 {
		running.Go(func() {
			status, answer := publicCall(t, s, token.Token, page, `{"agent_name":"desk","call_type":"sip","phone_number":"+4930123456","metadata":{"x":1}}`)
			switch status {
			case http.StatusCreated:
				began.Add(1)
			case http.StatusTooManyRequests:
			default:
				t.Errorf("%d %s", status, answer)
			}
		})
	}
	running.Wait()
	if began.Load() != perDay {
		t.Errorf("%d calls began, want %d", began.Load(), perDay)
	}
	_, calls := send(t, s, key, http.MethodGet, "/api/v1/calls", "")
	if n := strings.Count(string(calls), `"workflow_slug":"support"`); n != perDay || strings.Contains(string(calls), `"call_type":"sip"`) || strings.Contains(string(calls), "+4930123456") {
		t.Errorf("the calls: %s", calls)
	}

	send(t, s, key, http.MethodDelete, "/api/v1/public-tokens/"+token.ID, "")
	if status, answer := publicCall(t, s, token.Token, page, `{}`); status != http.StatusUnauthorized {
		t.Errorf("revoked: %d %s", status, answer)
	}
	if log := s.Log.String(); strings.Contains(log, token.Token) {
		t.Error("the token is in the log")
	}
}

// What a page's call is joined with opens that call's room alone, and nothing once the call is over: whoever has recorded the answer
// joins neither again nor another call.
func TestReplayedPublicCall(t *testing.T) {
	s := start(t, nil)
	key := newTenant(t, s, "shop", "*")
	post(t, s, key, "/api/v1/agents", agentOf("desk", "You are the desk."))
	const page = "https://www.example.com"
	_, made := send(t, s, key, http.MethodPost, "/api/v1/public-tokens", `{"agent_name":"desk","origins":["`+page+`"]}`)
	var token struct{ Token string }
	if err := json.Unmarshal(made, &token); err != nil {
		t.Fatal(err)
	}
	type started struct {
		CallID, RoomName, Token string
	}
	begin := func() (c started) {
		status, answer := publicCall(t, s, token.Token, page, `{}`)
		var body map[string]any
		if err := json.Unmarshal([]byte(answer), &body); err != nil || status != http.StatusCreated {
			t.Fatalf("%d %s", status, answer)
		}
		return started{body["call_id"].(string), body["room_name"].(string), body["token"].(string)}
	}
	joins := func(c started) int {
		answer, _ := send(t, s, "", http.MethodGet, "/rtc/validate?access_token="+c.Token, "")
		return answer.StatusCode
	}
	first := begin()
	await(t, "the first call can be joined", func() bool { return joins(first) == http.StatusOK })
	send(t, s, key, http.MethodPost, "/api/v1/calls/"+first.CallID+"/end", "")
	await(t, "the token of the call that is over opens nothing", func() bool { return joins(first) != http.StatusOK })
	second := begin() // the same request again
	if second.CallID == first.CallID || second.RoomName == first.RoomName {
		t.Errorf("the calls %+v and %+v", first, second)
	}
	if status := joins(first); status == http.StatusOK {
		t.Error("while another call of the token waits, the token of the first opens a room")
	}
}
