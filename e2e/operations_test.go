package e2e

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/page"
	"parley/internal/database/databasetest"
)

// administer runs a command of the binary and returns its standard output; want is part of the line with which it has to
// fail, "" if it has to succeed.
func administer(t *testing.T, settings map[string]string, want string, args ...string) string {
	t.Helper()
	p, err := launch(settings, args...)
	if err != nil {
		t.Fatal(err)
	}
	code, err := p.Wait(t.Context())
	switch {
	case err != nil:
		t.Fatal(err)
	case want == "" && code != 0, want != "" && (code != 1 || !strings.Contains(p.Log.String(), want)):
		t.Fatalf("parley %v: exit code %d, want %q: %s", args, code, want, p.Log.String())
	}
	return p.Out.String()
}

// A database is backed up during a call, which continues. The backup is restored on another machine, which has the keys:
// calls, transcripts, recordings, analyses with their versions, results and runs are there, pending deliveries are sent, and the call that was
// active is ended.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		backupAndRestore(t, func(*testing.T) map[string]string { return map[string]string{} })
	})
	t.Run("postgres", func(t *testing.T) {
		backupAndRestore(t, func(t *testing.T) map[string]string {
			return map[string]string{"DATABASE_URL": databasetest.EmptyPostgresURL(t), "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32), "PARLEY_DEMO": "true"}
		})
	})
}

func backupAndRestore(t *testing.T, newDatabase func(*testing.T) map[string]string) {
	t.Parallel()
	settings := newDatabase(t)
	settings["PARLEY_DATA_DIR"] = filepath.Join(t.TempDir(), "data")
	s := serve(t, settings["PARLEY_DATA_DIR"], settings, "--without=delivery")
	ask(t, s, "PUT", "/api/v1/agents/demo", object{"config": object{"recording": true}}, nil)
	if _, err := s.API.Sounds.Create(t.Context(), toneFile(t, holdTone, 50*time.Second), client.UploadOptions{Name: "waiting"}); err != nil {
		t.Fatal(err)
	}
	heldBefore, err := s.API.Sounds.Audio(t.Context(), "waiting")
	if err != nil {
		t.Fatal(err)
	}
	analysed := analysedCall(t, s)
	analyses := analysesOf(t, s, s.Key, analysed)
	w := receive(t)
	hook, err := s.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: w.URL})
	if err != nil {
		t.Fatal(err)
	}
	w.use(hook.Secret)
	calls := begunCalls(t, s, 3)
	if _, err := s.API.Calls.End(t.Context(), calls[0]); err != nil {
		t.Fatal(err)
	}

	// A call with a caller, during which the backup is made.
	release := acquireLine()
	caller, err := launch(map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_API_KEY": s.Key}, "call", "--agent", "demo", "--say", "what are your opening hours", "--say", "thank you very much goodbye")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Kill)
	var during string
	await(t, "the call is active", func() bool {
		page, err := s.API.Calls.List(t.Context(), client.CallQuery{Status: "active"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Items {
			during = c.ID
		}
		return during != ""
	})
	await(t, "sound of the call is written", func() bool {
		parts, err := filepath.Glob(filepath.Join(s.Dir, "recordings", "*", during+"-1.ogg"))
		if err != nil || len(parts) == 0 {
			return false
		}
		info, err := os.Stat(parts[0])
		return err == nil && info.Size() > 0
	})
	file := filepath.Join(t.TempDir(), "parley.zip")
	if out := administer(t, settings, "", "backup", file); !strings.Contains(out, "backed up") {
		t.Errorf("backup prints %q", out)
	}
	administer(t, settings, "exists", "backup", file)
	if code, err := caller.Wait(t.Context()); code != 0 || err != nil {
		t.Errorf("the call during the backup ended with %d, %v: %s", code, err, caller.Log.String())
	}
	release()
	if settings["DATABASE_URL"] == "" {
		administer(t, settings, "another server uses", "restore", file, "--replace")
	} else {
		other := maps.Clone(settings)
		other["PARLEY_DATA_DIR"] = t.TempDir()
		administer(t, other, "other connections", "restore", file, "--replace")
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}

	fresh := newDatabase(t)
	fresh["PARLEY_DATA_DIR"] = filepath.Join(t.TempDir(), "restored")
	wrong := maps.Clone(fresh)
	wrong["ENCRYPTION_KEY"], wrong["PARLEY_DATA_DIR"] = strings.Repeat("x", 32), t.TempDir()
	administer(t, wrong, "ENCRYPTION_KEY: is not the key", "restore", file)
	if fresh["DATABASE_URL"] == "" {
		administer(t, fresh, "ENCRYPTION_KEY: is not set", "restore", file)
		if err := os.Mkdir(fresh["PARLEY_DATA_DIR"], 0o700); err != nil {
			t.Fatal(err)
		}
		copyFiles(t, settings["PARLEY_DATA_DIR"], fresh["PARLEY_DATA_DIR"], "encryption-key", "jwt-secret")
	}
	administer(t, fresh, "", "restore", file)
	administer(t, fresh, "--replace is not given", "restore", file)
	administer(t, fresh, "", "restore", "--replace", file)
	restored := serve(t, fresh["PARLEY_DATA_DIR"], fresh)
	restored.API = client.New(restored.URL, s.Key)
	hasCalls(t, restored, s.Key, append(calls, during))
	for path, was := range analyses {
		if is := analysesOf(t, restored, s.Key, analysed)[path]; is != was {
			t.Errorf("%s was\n%s\nand is\n%s", path, was, is)
		}
	}
	if held, err := restored.API.Sounds.Audio(t.Context(), "waiting"); err != nil || !bytes.Equal(held, heldBefore) {
		t.Errorf("the sound has %d bytes, want the %d that it had: %v", len(held), len(heldBefore), err)
	}
	tracedOnce(t, restored, s.Key, "database.restore")
	w.delivered(t, calls[0], client.CallStarted)
	await(t, "the call that went on is over", func() bool {
		c, err := restored.API.Calls.Get(t.Context(), during)
		return err == nil && c.Terminal()
	})
	if sound, _ := fetch(t, restored.URL+"/api/v1/calls/"+during+"/recording", s.Key, "", http.StatusOK); !bytes.HasPrefix(sound, []byte("OggS")) {
		t.Errorf("its recording begins with %.4q", sound)
	}
}

// analysedCall has a call analysed at its end, and again by a run with a new version of the analysis, and returns its id.
func analysedCall(t *testing.T, s *binary.Server) (id string) {
	t.Helper()
	ask(t, s, http.MethodPost, "/api/v1/analyses", object{
		"name": "achieved", "schema": object{"type": "object", "properties": object{"service": object{"type": "string"}}},
		"criteria": []object{{"name": "greeted", "question": "Did the agent greet the caller?"}}, "instructions": "- how can i help you => greeted: yes",
	}, nil)
	var demo client.Agent
	ask(t, s, http.MethodGet, "/api/v1/agents/demo", nil, &demo)
	demo.Config.Analyses = []string{"achieved"}
	ask(t, s, http.MethodPost, "/api/v1/agents", object{"name": "analysed", "config": demo.Config}, nil)
	r, problem := converseOnce(t, s, []string{hours}, nil, "--agent", "analysed", "--hang-up")
	if problem != "" {
		t.Log(problem) // it is analysed all the same
	}
	await(t, "the call is analysed", func() bool {
		analyses, err := s.API.Calls.Analyses(t.Context(), r.CallID)
		if err != nil {
			t.Fatal(err)
		}
		return len(analyses) == 1 && analyses[0].Status == client.AnalysisDone
	})
	ask(t, s, http.MethodPut, "/api/v1/analyses/achieved", object{"instructions": `- how can i help you => data.service: "help"` + "\n- how can i help you => greeted: yes"}, nil)
	run, err := s.API.Analyses.StartRun(t.Context(), "achieved", client.RunAnalysis{})
	if err != nil || run.Calls != 1 {
		t.Fatalf("the run began as %+v, %v", run, err)
	}
	await(t, "the run is done", func() bool {
		if run, err = s.API.Analyses.Run(t.Context(), run.ID); err != nil {
			t.Fatal(err)
		}
		return run.Status == "done"
	})
	return r.CallID
}

// analysesOf returns what the API says of analyses, their versions and runs, and of the results of a call and its answers, by path.
func analysesOf(t *testing.T, s *binary.Server, key, call string) map[string]string {
	t.Helper()
	said := map[string]string{}
	for path, word := range map[string]string{
		"/api/v1/analyses": "achieved", "/api/v1/analyses/achieved": "data.service", "/api/v1/analyses/achieved/versions": "how can i help you",
		"/api/v1/calls/" + call + "/analyses": "evidence", "/api/v1/calls?result.achieved.greeted=yes": call, "/api/v1/analysis-runs": `"done":1`,
	} {
		body, _ := fetch(t, s.URL+path, key, "", http.StatusOK)
		if !strings.Contains(string(body), word) {
			t.Errorf("%s answers %s, want %s in it", path, body, word)
		}
		said[path] = string(body)
	}
	return said
}

func copyFiles(t *testing.T, from, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// commandsOf are the blocks of docs/operations.md that hold a word.
func commandsOf(t *testing.T, word string) string {
	t.Helper()
	for _, b := range page.Blocks(document(t, "docs/operations.md")) {
		if b.Language == "sh" && strings.Contains(b.Text, word) {
			return b.Text
		}
	}
	t.Fatalf("docs/operations.md has no commands with %q", word)
	return ""
}

// The commands of docs/operations.md, as they are written: backup and restoration of SQLite, its copy to PostgreSQL, on
// which a server has what there was and delivers what was not delivered, and the dump with PostgreSQL's own tools.
func TestCommandsOfOperations(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil, "--without=worker,delivery")
	calls := begunCalls(t, s, 3)
	w := receive(t)
	hook, err := s.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: w.URL})
	if err != nil {
		t.Fatal(err)
	}
	w.use(hook.Secret)
	calls = append(calls, begunCalls(t, s, 1)...)
	sh := newShell(t, s)
	sh.run(t, commandsOf(t, "parley backup"))
	sh.run(t, commandsOf(t, "migrate --dry-run"))
	if out := sh.run(t, commandsOf(t, "parley doctor"), "PARLEY_ADDR="+strings.TrimPrefix(s.URL, "http://")); !strings.Contains(out, "the running server is ready") {
		t.Errorf("the doctor says\n%s", out)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	sh.run(t, commandsOf(t, "parley restore"))
	url, empty := databasetest.PostgresURL(t), databasetest.EmptyPostgresURL(t)
	copying := commandsOf(t, "parley copy")
	if !strings.Contains(copying, "postgres://parley:…@db.example.com/parley") {
		t.Fatalf("the copy of docs/operations.md has another address: %s", copying)
	}
	out := sh.run(t, strings.NewReplacer("DATABASE_URL=postgres://parley:…@db.example.com/parley", "DATABASE_URL='"+url+"'", "parley copy", "parley copy --replace").Replace(copying))
	if !strings.Contains(out, "copied ") {
		t.Errorf("the copy prints %q", out)
	}
	env := map[string]string{"DATABASE_URL": url, "JWT_SECRET_FILE": filepath.Join(s.Dir, "jwt-secret"), "ENCRYPTION_KEY_FILE": filepath.Join(s.Dir, "encryption-key"), "PARLEY_DEMO": "true"}
	onPostgres := serve(t, filepath.Join(t.TempDir(), "other"), env, "--without=worker")
	hasCalls(t, onPostgres, s.Key, calls)
	tracedOnce(t, onPostgres, s.Key, "database.copy")
	w.delivered(t, calls[3], client.CallStarted)

	sh.run(t, commandsOf(t, "pg_dump"), "DATABASE_URL="+url)
	sh.run(t, commandsOf(t, "pg_restore"), "RESTORE_URL="+empty)
	env["DATABASE_URL"] = empty
	restored := serve(t, filepath.Join(t.TempDir(), "restored"), env, "--without=worker")
	hasCalls(t, restored, s.Key, calls)
	// Without the setting, row-level security hides every row; without the flag, pg_dump refuses.
	plain := strings.Replace(commandsOf(t, "pg_dump"), "PGOPTIONS='-c parley.tenant=system' ", "", 1)
	rows := sh.run(t, strings.NewReplacer("--format=custom --file=parley.dump", "--data-only --table=calls").Replace(plain), "DATABASE_URL="+url)
	if strings.Contains(rows, calls[0]) {
		t.Error("a dump without the setting has rows")
	}
	refused := exec.CommandContext(t.Context(), "pg_dump", "--table=calls", url)
	refused.Env = append(os.Environ(), "PGOPTIONS=")
	if err := refused.Run(); err == nil {
		t.Error("pg_dump with the role of the servers does not refuse")
	}
}

// tracedOnce checks that the audit log has one entry of an action.
func tracedOnce(t *testing.T, s *binary.Server, key, action string) {
	t.Helper()
	text, _ := fetch(t, s.URL+"/api/v1/audit-log?action="+action, key, "", http.StatusOK)
	if n := strings.Count(string(text), `"`+action+`"`); n != 1 {
		t.Errorf("the audit log has %d entries of %s: %s", n, action, text)
	}
}

// begunCalls dispatches calls and returns their ids.
func begunCalls(t *testing.T, s *binary.Server, n int) (ids []string) {
	t.Helper()
	for range n {
		ids = append(ids, begin(t, s).CallID)
	}
	return ids
}

// hasCalls checks that a server has calls, for the key of the server that it was restored from.
func hasCalls(t *testing.T, s *binary.Server, key string, ids []string) {
	t.Helper()
	api := client.New(s.URL, key)
	for _, id := range ids {
		if _, err := api.Calls.Get(t.Context(), id); err != nil {
			t.Errorf("call %s is not restored: %v", id, err)
		}
	}
}
