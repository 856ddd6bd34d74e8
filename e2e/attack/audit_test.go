package attack

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver named "sqlite"

	"parley/e2e/binary"
)

// What somebody does leaves a trace that neither a tenant, nor a neighbour, nor SQL removes.
func TestTraces(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--without=worker,media,sip")
	insider, neighbour, blind := newTenant(t, s, "insider", "*"), newTenant(t, s, "neighbour", "*"), newTenant(t, s, "blind", "agents:*,calls:*")
	const password = "a password that is long enough"
	for _, email := range []string{"ada@example.com", "bob@example.com"} {
		command(t, s, password+"\n", "user", "create", "--tenant", "insider", "--email", email, "--password", "-")
	}
	agent := `{"name":"desk","config":{"prompt":{"system":"THE-PROMPT"},"stt":{"provider":"offline","model":"pocketsphinx"},"llm":{"provider":"offline","model":"scripted"},"tts":{"provider":"offline","voice_id":"rms"}}}`
	post(t, s, insider, "/api/v1/agents", json.RawMessage(agent))
	var id string
	for range 2 { // the repetition starts no call, and leaves nothing
		id = startOnce(t, s, insider)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodPost, "/api/v1/agents", agent, 409}, // leaves nothing
		{http.MethodPost, "/api/v1/calls/test-agent", `{"agent_name":"nobody"}`, 404},
		{http.MethodPut, "/api/v1/agents/desk", `{"config":{"prompt":{"system":"ANOTHER-PROMPT"}}}`, 200},
		{http.MethodPost, "/api/v1/provider-keys", `{"provider_type":"stt","provider_name":"deepgram","api_key":"THE-SECRET"}`, 201},
		{http.MethodDelete, "/api/v1/agents/desk", "", 204},
		{http.MethodPost, "/api/v1/calls/" + id + "/end", "", 200},
		{http.MethodPost, "/api/v1/calls/" + id + "/end", "", 200}, // changes nothing, and leaves nothing
	} {
		if answer, text := send(t, s, insider, c.method, c.path, c.body); answer.StatusCode != c.status {
			t.Fatalf("%s %s: %s: %s", c.method, c.path, answer.Status, text)
		}
	}
	command(t, s, "", "number", "assign", "--tenant", "insider", "+4930555004")
	command(t, s, "", "number", "assign", "--tenant", "neighbour", "+4930555004")
	command(t, s, "", "number", "release", "+4930555004")
	command(t, s, "", "tenant", "set", "insider", "--redact", "--limit", "tools=7")
	command(t, s, "", "tenant", "set", "insider") // reads
	command(t, s, "", "user", "set", "--email", "bob@example.com", "--scopes", "agents:read")
	command(t, s, "", "user", "delete", "--email", "bob@example.com")
	send(t, s, "", http.MethodPost, "/api/v1/auth/login", `{"email":"ada@example.com","password":"GUESSED-PASSWORD"}`)
	if answer, text := send(t, s, "", http.MethodPost, "/api/v1/auth/login", `{"email":"ada@example.com","password":"`+password+`"}`); answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", answer.Status, text)
	}
	const path = "/api/v1/audit-log"
	actions := func(key string) (found map[string]int, text string) {
		t.Helper()
		answer, body := send(t, s, key, http.MethodGet, path+"?limit=100", "")
		var page struct{ Items []struct{ Action string } }
		if err := json.Unmarshal(body, &page); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", answer.Status, body)
		}
		found = map[string]int{}
		for _, item := range page.Items {
			found[item.Action]++
		}
		return found, string(body)
	}
	for end := time.Now().Add(limit); ; time.Sleep(10 * time.Millisecond) {
		if found, _ := actions(insider); found["user.sign_in_failed"] == 1 { // it is written after its answer
			break
		}
		if time.Now().After(end) {
			t.Fatal("the failed sign-in leaves no trace")
		}
	}
	check := func() {
		t.Helper()
		found, text := actions(insider)
		want := map[string]int{"tenant.create": 1, "tenant.update": 1, "api_key.create": 1, "user.create": 2, "user.update": 1, "user.delete": 1, "call.start": 1, "call.end": 1, "agent.create": 1, "agent.update": 1, "agent.delete": 1, "provider_key.create": 1, "phone_number.assign": 1, "phone_number.unassign": 1,
			"user.sign_in": 1, "user.sign_in_failed": 1}
		for action, n := range want {
			if found[action] != n {
				t.Errorf("%s is there %d times, want %d", action, found[action], n)
			}
		}
		if len(found) != len(want) {
			t.Errorf("%v, want %v", found, want)
		}
		for _, secret := range []string{"THE-SECRET", "THE-PROMPT", "ANOTHER-PROMPT", "GUESSED", password, insider} {
			if strings.Contains(text, secret) {
				t.Errorf("the audit log holds %s", secret)
			}
		}
	}
	check()
	if answer, text := send(t, s, insider, http.MethodGet, path+"?action=call.start&resource_id="+id, ""); answer.StatusCode != http.StatusOK || strings.Count(string(text), `"api_key"`) != 1 {
		t.Errorf("who started the call: %s: %s", answer.Status, text)
	}
	if found, _ := actions(neighbour); len(found) != 4 || found["phone_number.assign"] != 1 || found["phone_number.unassign"] != 1 || found["tenant.create"] != 1 || found["api_key.create"] != 1 {
		t.Errorf("the neighbour sees %v", found)
	}
	for _, c := range []struct {
		key, method, path string
		status            int
	}{
		{blind, http.MethodGet, path, 403}, {"", http.MethodGet, path, 401},
		{insider, http.MethodDelete, path, 405}, {insider, http.MethodPost, path, 405}, {insider, http.MethodDelete, path + "/1", 404},
	} {
		if answer, text := send(t, s, c.key, c.method, c.path, ""); answer.StatusCode != c.status {
			t.Errorf("%s %s: %s: %s", c.method, c.path, answer.Status, text)
		}
	}
	// Who has the database file, and no more than SQL, either.
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.Dir, "parley.db")+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, attack := range []string{"DELETE FROM audit_log", "UPDATE audit_log SET actor_id = NULL", "DELETE FROM audit_log WHERE action = 'agent.delete'"} {
		if _, err := db.ExecContext(t.Context(), attack); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", attack, err)
		}
	}
	check()
}

// startOnce starts a call of the agent desk under one idempotency key, and returns the call's id.
func startOnce(t *testing.T, s *binary.Server, key string) (id string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/calls/test-agent", strings.NewReader(`{"agent_name":"desk"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}, "Idempotency-Key": {"once"}}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var started struct {
		CallID string `json:"call_id"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&started); err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %v", answer.Status, err)
	}
	return started.CallID
}
