package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"parley/client"
)

// Tenants, users and keys are listed; keys are revoked, passwords changed and tenants deleted, while a server runs.
func TestListRevokeDelete(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	run := func(want int, args ...string) string {
		t.Helper()
		p, err := launch(map[string]string{"PARLEY_DATA_DIR": dir}, args...)
		if err != nil {
			t.Fatal(err)
		}
		code, err := p.Wait(t.Context())
		if err != nil || code != want {
			t.Fatalf("parley %q: exit code %d, %v\n%s", args, code, err, p.Log.String())
		}
		return p.Out.String() + p.Log.String()
	}
	list := func(args ...string) (items []map[string]any) {
		t.Helper()
		text := run(0, append(args, "--json")...)
		if err := json.Unmarshal([]byte(text), &items); err != nil {
			t.Fatalf("parley %q prints %s: %v", args, text, err)
		}
		return items
	}
	run(0, "migrate")
	for command, want := range map[string]string{"tenant list": "there is no tenant", "user list": "there is no user", "key list": "there is no API key"} {
		if out := run(0, strings.Fields(command)...); !strings.Contains(out, want) {
			t.Errorf("%s of an empty database: %s", command, out)
		}
	}
	for _, name := range []string{"Acme", "Globex"} {
		run(0, "tenant", "create", name)
		run(0, "user", "create", "--tenant", name, "--email", name+"@example.com", "--password", "correct horse battery")
	}
	var made struct{ ID, Key string }
	if err := json.Unmarshal([]byte(run(0, "key", "create", "--tenant", "Acme", "--name", "backend", "--scopes", "agents:read", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	if tenants := list("tenant", "list"); len(tenants) != 2 || tenants[0]["name"] != "Acme" || tenants[1]["name"] != "Globex" {
		t.Errorf("tenants: %v", tenants)
	}
	if users := list("user", "list", "--tenant", "Globex"); len(users) != 1 || users[0]["email"] != "Globex@example.com" || users[0]["tenant"] != "Globex" {
		t.Errorf("users: %v", users)
	}
	if out := run(0, "user", "list"); !strings.Contains(out, "Acme@example.com Acme *\nGlobex@example.com Globex *\n") {
		t.Errorf("users: %s", out)
	}
	keys := list("key", "list", "--tenant", "Acme")
	if len(keys) != 1 || keys[0]["id"] != made.ID || keys[0]["key"] != nil {
		t.Errorf("keys: %v", keys)
	}

	s := serve(t, dir, nil)
	mustFail := func(err error, want, when string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", when, err, want)
		}
	}
	session, err := s.API.Login(t.Context(), "Acme@example.com", "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	run(0, "key", "revoke", made.ID)
	_, err = client.New(s.URL, made.Key).Agents.List(t.Context(), client.ListOptions{})
	mustFail(err, "key_revoked", "a revoked key")
	for args, want := range map[string]string{
		"key revoke " + made.ID:                    "parley: key " + made.ID + ": API key not found\n",
		"key revoke svc_live_x":                    "parley: key svc_live_x: API key not found\n",
		"key list --tenant Nobody":                 "parley: tenant Nobody: tenant not found\n",
		"user list --tenant Nobody":                "parley: tenant Nobody: tenant not found\n",
		"tenant delete Nobody --yes":               "parley: tenant Nobody: tenant not found\n",
		"tenant delete Acme":                       "parley: --yes: want it where nobody can be asked, to delete tenant Acme with all its data\n",
		"user password --email nobody@example.com": "(password: must have at least 12 characters",
	} {
		if out := run(1, strings.Fields(args)...); !strings.Contains(out, want) {
			t.Errorf("%s says %s", args, out)
		}
	}

	if out := run(0, "tenant", "delete", "Acme", "--yes"); !strings.Contains(out, "tenant Acme deleted: ") {
		t.Errorf("it says %s", out)
	}
	_, err = s.API.Session(session.AccessToken).Me(t.Context())
	mustFail(err, "invalid_token", "a session of a deleted tenant")
	_, err = client.New(s.URL, made.Key).Agents.List(t.Context(), client.ListOptions{})
	mustFail(err, "authentication_error", "a key of a deleted tenant")
	if _, err := s.API.Login(t.Context(), "Globex@example.com", "correct horse battery"); err != nil {
		t.Errorf("the other tenant's user: %v", err)
	}
	if tenants := list("tenant", "list"); len(tenants) != 1 || tenants[0]["name"] != "Globex" {
		t.Errorf("tenants: %v", tenants)
	}
}
