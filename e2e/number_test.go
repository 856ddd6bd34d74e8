package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/client"
)

// The numbers of a user_context keep their digits from the dispatch to the agent's prompt, the URL, header and body of a
// tool's request, the conditions of the workflow and the webhook of the call's end. Transcript and log do not show them.
func TestNumbersOfAContextInACall(t *testing.T) {
	t.Parallel()
	const account, limit, tiny = "9007199254740993", "1E5", "1e-400"
	var mu sync.Mutex
	var asked []string
	bank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, fmt.Sprintf("%s %s %s", r.URL, r.Header.Get("X-Limit"), body))
		fmt.Fprint(w, `{"message":"It is paid.","receipt":1234567890123456789}`)
	}))
	defer bank.Close()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	hooks := receive(t)
	yes := true
	hook, err := s.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: hooks.URL, Filter: &client.WebhookFilter{Events: []string{client.CallCompleted}, IncludeContext: &yes}})
	if err != nil {
		t.Fatal(err)
	}
	hooks.use(hook.Secret)

	ask(t, s, "POST", "/api/v1/tools", json.RawMessage(`{"name": "pay", "config": {"parameters": [{"name": "n", "type": "integer", "required": true}],
		"actions": [{"type": "api_call", "method": "POST", "url": "`+bank.URL+`/{{user.account}}?n={{params.n}}", "headers": {"X-Limit": "{{user.limit}} {{user.minus}}"},
			"body": {"account": "{{workflow.account}}", "tiny": "{{user.tiny}}", "text": "at {{user.tenth}}"}, "on_success": [{"type": "set_context", "key": "receipt", "value": "{{result.receipt}}"}]}]}}`), nil)
	ask(t, s, "POST", "/api/v1/agents", json.RawMessage(`{"name": "desk", "config": {`+offlineSpeech+`, "tools": ["pay"], "prompt": {"greeting": "Hello.",
		"system": "- opening hours => One moment. [pay {\"n\": {{user.account}}}]\n- thank you => I connect you. [handoff_to_farewell]"}}}`), nil)
	for _, name := range []string{"farewell", "stranger"} {
		ask(t, s, "POST", "/api/v1/agents", json.RawMessage(`{"name": "`+name+`", "config": {`+offlineSpeech+`, "prompt": {"greeting": "Goodbye.", "system": "- bye => Bye. [end_call]"}}}`), nil)
	}
	ask(t, s, "POST", "/api/v1/workflows", json.RawMessage(`{"slug": "bank", "name": "Bank", "config": {
		"nodes": [{"id": "a", "agent_name": "desk", "is_entry": true, "context_mapping": {"account": "user.account"}}, {"id": "b", "agent_name": "farewell", "is_exit": true}, {"id": "c", "agent_name": "stranger", "is_exit": true}],
		"connections": [{"source_id": "a", "target_id": "b", "condition": "user.account == `+account+` and workflow.receipt > 1234567890123456788"},
			{"source_id": "a", "target_id": "c", "condition": "user.account == 9007199254740992"}]}}`), nil)

	const given = `{"account":` + account + `,"limit":` + limit + `,"tiny":` + tiny + `,"tenth":0.10,"minus":-0}`
	r := converse(t, s, []string{"what are your opening hours", "thank you very much"}, []string{"paid", "connect you"},
		"--workflow", "bank", "--user-context", given, "--hang-up")
	asksExactly := func(where string) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		want := "/" + account + "?n=" + account + " 1E5 -0 " + `{"account":` + account + `,"text":"at 0.10","tiny":1e-400}`
		if len(asked) == 0 || slices.ContainsFunc(asked, func(got string) bool { return got != want }) {
			t.Errorf("%s the bank was asked %q, want %q", where, asked, want)
		}
		asked = nil
	}
	asksExactly("in a call")

	var ended struct {
		History []string `json:"agent_history"`
	}
	ask(t, s, "GET", "/api/v1/calls/"+r.CallID, nil, &ended)
	if fmt.Sprint(ended.History) != "[desk farewell]" {
		t.Errorf("the conditions led to %v", ended.History)
	}
	var transcript json.RawMessage
	ask(t, s, "GET", "/api/v1/calls/"+r.CallID+"/transcript", nil, &transcript)
	if !strings.Contains(string(transcript), `{"n":"***"}`) || strings.Contains(string(transcript)+s.Log.String(), account) {
		t.Errorf("the account is shown, in the log or in the transcript %s", transcript)
	}
	completed := hooks.delivered(t, r.CallID, client.CallCompleted)
	if want := `{"account":` + account + `,"limit":1E5,"minus":-0,"tenth":0.10,"tiny":1e-400}`; string(completed.Context) != want {
		t.Errorf("the webhook holds %s, want %s", completed.Context, want)
	}

	// In writing the same is asked.
	commandOn(t, s.Dir, 0, "chat", "--workflow", "bank", "--user-context", given, "--say", "what are your opening hours")
	asksExactly("in writing")
}
