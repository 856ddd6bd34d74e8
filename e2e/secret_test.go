package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/caller"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// planted is what a tenant entrusts to a call: its keys for vendors, and what its own backend is to get of the caller's context.
var planted = map[string]string{
	"key for deepgram": keyOf("deepgram"), "key for openai": keyOf("openai"), "key for cartesia": keyOf("cartesia"),
	"tool secret": "planted-secret/of+tools 4471", "static header": "planted-static-header-0093",
	"token": "planted-token-Zk3+/=Qw9", "nested password": "planted \"password\" 7716", "number": "8812734655190",
}

// A spoken call that uses all of its tenant's secrets leaves none of them in the database, the log at debug level, metrics, errors,
// live streams or the API's answers about the call, even if a backend repeats what it was sent, in errors too.
func TestSecretsOfASpokenCall(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		testSecrets(t, "")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		testSecrets(t, databasetest.PostgresURL(t))
	})
}

func testSecrets(t *testing.T, databaseURL string) {
	var backend record
	parrot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := r.URL.String() + " " + r.Header.Get("Authorization") + " " + r.Header.Get("X-Key") + " " + r.Header.Get("X-Static-Key") + " " + string(body)
		backend.Write([]byte(got))
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(r.URL.Path, "fails") {
			w.WriteHeader(http.StatusForbidden)
		}
		json.NewEncoder(w).Encode(object{"error": "not for " + got, "open": "from eleven"})
	}))
	t.Cleanup(parrot.Close)
	// The model calls one tool after the other, with the result of the first; the second tool fails.
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {hours}}, answers: func(vendor string, p dialogue.Prompt) emulator.Reply {
		if read, err := json.Marshal(p); err != nil || found(string(read), planted["tool secret"]) != "" || found(string(read), planted["static header"]) != "" {
			t.Errorf("the model reads %s, %v", read, err)
		}
		tool := "look_up"
		if results := toolResults(p); results == 1 {
			tool = "look_up_and_fail"
		} else if results > 1 {
			return waiter(vendor, p)
		}
		arguments, _ := json.Marshal(object{"day": "monday " + planted["token"]})
		return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_" + tool, Name: tool, Arguments: arguments}}}
	}})
	settings := v.settings(func(string) string { return "" })
	settings["PARLEY_LOG_LEVEL"] = "debug"
	if databaseURL != "" {
		settings["DATABASE_URL"], settings["JWT_SECRET"], settings["ENCRYPTION_KEY"] = databaseURL, strings.Repeat("j", 32), strings.Repeat("k", 32)
	}
	s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
	for vendor, kind := range kinds {
		if key, ok := planted["key for "+vendor]; ok {
			ask(t, s, http.MethodPost, "/api/v1/provider-keys", object{"provider_type": kind, "provider_name": vendor, "api_key": key, "base_url": v[vendor].URL, "is_default": true}, nil)
		}
	}
	ask(t, s, http.MethodPost, "/api/v1/secrets", object{"name": "key", "value": planted["tool secret"]}, nil)
	for tool, path := range map[string]string{"look_up": "/hours", "look_up_and_fail": "/fails"} {
		ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": tool, "config": object{
			"parameters": []object{{"name": "day", "type": "string", "required": true}},
			"actions": []object{{"type": "api_call", "method": "POST", "url": parrot.URL + path + "?number={{user.number}}", "timeout": 5,
				"headers": object{"Authorization": "Bearer {{user.token}}", "X-Key": "{{secrets.key}}", "X-Static-Key": planted["static header"]},
				"body":    object{"password": "{{user.nested.password}}", "day": "{{params.day}}", "key": "{{secrets.key}}"}},
				{"type": "set_context", "key": "leak", "value": "{{secrets.key}}"}, {"type": "set_context", "key": "echo", "value": "{{result}}"}},
		}}, nil)
	}
	newAgent(t, s, "desk", choices["deepgram"], choices["openai"], choices["cartesia"])
	ask(t, s, http.MethodPut, "/api/v1/agents/desk", object{"config": object{"tools": []string{"look_up", "look_up_and_fail"}, "prompt": object{"system": "The key is {{secrets.key}}."}}}, nil)

	var streams record
	watching, stopWatching := context.WithCancel(t.Context())
	var watchers sync.WaitGroup
	defer watchers.Wait()
	defer stopWatching()
	watch := func(path string) { watchers.Go(func() { follow(watching, s, path, &streams) }) }
	watch("/api/v1/sse/calls/stream")
	r := talk(t, s, caller.Options{Agent: "desk", Say: []string{hours},
		UserContext: object{"token": planted["token"], "nested": object{"password": planted["nested password"]}, "number": json.Number(planted["number"])},
		Dispatched:  func(d *client.Dispatch) { watch("/api/v1/sse/calls/" + d.CallID + "/stream") }})
	if r.Status != client.Completed {
		t.Errorf("the call ended as %s: %+v", r.Status, errorsOf(t, s, r.CallID))
	}
	if !understood(r, hours) {
		t.Errorf("transcript: %+v", r.Transcript)
	}
	replied(t, r, "eleven in the morning")

	places := map[string]string{"the log": s.Log.String(), "standard output": s.Out.String(), "the database": dump(t, s, databaseURL)}
	for _, path := range []string{"/metrics", "/api/v1/analytics/errors", "/api/v1/provider-keys", "/api/v1/calls", "/api/v1/tools", "/api/v1/tools/look_up", "/api/v1/secrets", "/api/v1/audit-log", "/api/v1/calls/" + r.CallID,
		"/api/v1/calls/" + r.CallID + "/transcript", "/api/v1/calls/" + r.CallID + "/timeline", "/api/v1/calls/" + r.CallID + "/metrics"} {
		places[path] = string(get(t, s, path))
	}
	stopWatching()
	watchers.Wait()
	places["live streams"] = streams.String()
	for where, text := range places {
		for what, secret := range planted {
			if form := found(text, secret); form != "" {
				t.Errorf("%s: the %s, as %q", where, what, form)
			}
		}
	}
	// The search would find the secrets: they were used, and ordinary values are found where the secrets are not.
	for what, secret := range planted {
		if !strings.HasPrefix(what, "key") && found(backend.String(), secret) == "" {
			t.Errorf("the tenant's backend did not get the %s", what)
		}
	}
	for where, sign := range map[string]string{"the database": greeting, "live streams": greeting, "the log": r.CallID, "/api/v1/analytics/errors": "look_up_and_fail",
		"/api/v1/calls/" + r.CallID + "/transcript": "look_up", "/metrics": `provider="deepgram"`} {
		if !strings.Contains(places[where], sign) {
			t.Errorf("%q is not in %s, where the secrets were looked for:\n%.2000s", sign, where, places[where])
		}
	}
}

// toolResults counts the results of tools in a prompt.
func toolResults(p dialogue.Prompt) (n int) {
	for _, m := range p.Messages {
		if m.Role == dialogue.RoleTool {
			n++
		}
	}
	return n
}

// found is the form, plain or in the usual clothes, in which a text holds a secret; "" for none.
func found(text, secret string) string {
	quoted, _ := json.Marshal(secret)
	forms := []string{secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte(secret))[:len(secret)/3*4]}
	for _, form := range forms {
		if strings.Contains(text, form) {
			return form
		}
	}
	return ""
}

// dump is all that the database holds: SQLite's files as they are, PostgreSQL's rows as text.
func dump(t *testing.T, s *binary.Server, databaseURL string) string {
	t.Helper()
	var all bytes.Buffer
	if databaseURL == "" {
		err := filepath.WalkDir(s.Dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			all.Write(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all.String()
	}
	db, err := database.Open(t.Context(), databaseURL, "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
		var tables, rows []string
		if err := tx.NewRaw("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").Scan(ctx, &tables); err != nil {
			return err
		}
		for _, table := range tables {
			rows = rows[:0]
			if err := tx.NewRaw(`SELECT r::text FROM "`+table+`" r`).Scan(ctx, &rows); err != nil {
				return err
			}
			for _, row := range rows {
				all.WriteString(strings.ReplaceAll(row, `""`, `"`) + "\n")
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// get is the body of a GET with the demo tenant's key.
func get(t *testing.T, s *binary.Server, path string) []byte {
	t.Helper()
	var body record
	follow(t.Context(), s, path, &body)
	return []byte(body.String())
}

// follow copies what a path answers, until it ends or the context does.
func follow(ctx context.Context, s *binary.Server, path string, to io.Writer) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		panic(err) // of an address of this file
	}
	request.Header.Set("X-API-Key", s.Key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return // the missing result fails the test
	}
	defer response.Body.Close()
	_, _ = io.Copy(to, response.Body)
}

// record keeps what is written to it, by several writers.
type record = binary.Buffer
