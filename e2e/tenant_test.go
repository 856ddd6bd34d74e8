package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// How long a tenant's transcripts are kept, and whether they are masked, is set from the command line.
func TestTenantSettings(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	run := func(args ...string) (code int, out, log string) {
		t.Helper()
		p, err := launch(map[string]string{"PARLEY_DATA_DIR": dir}, args...)
		if err != nil {
			t.Fatal(err)
		}
		if code, err = p.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		return code, p.Out.String(), p.Log.String()
	}
	for _, command := range []string{"tenant create Acme", "user delete --email a@example.com", "chat --agent demo --say hello"} {
		code, _, log := run(strings.Fields(command)...)
		if _, err := os.Stat(dir); code == 0 || !strings.Contains(log, "there is no installation in "+dir) || !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s without an installation: exit code %d, %s; the folder: %v", command, code, log, err)
		}
	}
	if code, _, log := run("migrate"); code != 0 {
		t.Fatalf("exit code %d: %s", code, log)
	}
	if code, _, log := run("tenant", "create", "Acme"); code != 0 {
		t.Fatalf("exit code %d: %s", code, log)
	}
	for _, step := range []struct {
		args string
		want map[string]any
	}{
		{"", map[string]any{"retention_days": nil, "redact": false, "listening": true, "timezone": "", "limits": map[string]any{}, "budgets": map[string]any{}}},
		{"--retention-days 30 --redact", map[string]any{"retention_days": 30.0, "redact": true, "listening": true, "timezone": "", "limits": map[string]any{}, "budgets": map[string]any{}}},
		{"--no-redact", map[string]any{"retention_days": 30.0, "redact": false, "listening": true, "timezone": "", "limits": map[string]any{}, "budgets": map[string]any{}}},
		{"--retention-days off", map[string]any{"retention_days": nil, "redact": false, "listening": true, "timezone": "", "limits": map[string]any{}, "budgets": map[string]any{}}},
		{"--retention-days=7", map[string]any{"retention_days": 7.0, "redact": false, "listening": true, "timezone": "", "limits": map[string]any{}, "budgets": map[string]any{}}},
		{"--limit agents=10 --limit sse_streams=0", map[string]any{"retention_days": 7.0, "redact": false, "listening": true, "timezone": "", "limits": map[string]any{"agents": 10.0, "sse_streams": 0.0}, "budgets": map[string]any{}}},
		{"--limit agents=default --limit sse_streams=default", map[string]any{"retention_days": 7.0, "redact": false, "listening": true, "timezone": "", "limits": map[string]any{}, "budgets": map[string]any{}}},
		{"--budget-day 50USD --budget-month=999.5USD", map[string]any{"retention_days": 7.0, "redact": false, "listening": true, "timezone": "", "limits": map[string]any{},
			"budgets": map[string]any{"day": map[string]any{"amount": "50", "currency": "USD"}, "month": map[string]any{"amount": "999.5", "currency": "USD"}}}},
		{"--budget-day off --budget-month off", map[string]any{"retention_days": 7.0, "redact": false, "listening": true, "timezone": "", "limits": map[string]any{}, "budgets": map[string]any{}}},
		{"--timezone Europe/Berlin", map[string]any{"retention_days": 7.0, "redact": false, "listening": true, "timezone": "Europe/Berlin", "limits": map[string]any{}, "budgets": map[string]any{}}},
		{"--timezone=", map[string]any{"retention_days": 7.0, "redact": false, "listening": true, "timezone": "", "limits": map[string]any{}, "budgets": map[string]any{}}},
		{"--no-listening", map[string]any{"retention_days": 7.0, "redact": false, "listening": false, "timezone": "", "limits": map[string]any{}, "budgets": map[string]any{}}},
		{"--listening", map[string]any{"retention_days": 7.0, "redact": false, "listening": true, "timezone": "", "limits": map[string]any{}, "budgets": map[string]any{}}},
		{"--retention-days 0", map[string]any{"retention_days": nil, "redact": false, "listening": true, "timezone": "", "limits": map[string]any{}, "budgets": map[string]any{}}},
	} {
		code, out, log := run(append([]string{"tenant", "set", "Acme", "--json"}, strings.Fields(step.args)...)...)
		var set map[string]any
		if err := json.Unmarshal([]byte(out), &set); err != nil || code != 0 || set["name"] != "Acme" || set["id"] == "" {
			t.Fatalf("%s: exit code %d, %v\n%s%s", step.args, code, err, out, log)
		}
		for name := range set { // the phone's have their own test
			if name == "name" || name == "id" || strings.HasPrefix(name, "phone_") {
				delete(set, name)
			}
		}
		if diff := cmp.Diff(step.want, set); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.args, diff)
		}
	}
	if _, out, _ := run("tenant", "set", "Acme", "--retention-days", "3", "--redact"); !strings.Contains(out, "kept until 3 days after the call's end; phone numbers, e-mail addresses and card numbers are masked") {
		t.Errorf("it says: %s", out)
	}
	for _, wrong := range []struct{ args, want string }{
		{"Nobody --redact", "parley: tenant Nobody: tenant not found\n"},
		{"Acme --retention-days soon", "parley: --retention-days: want 1 to 36500 days, or 0 or off to keep for ever, not \"soon\"\n"},
		{"Acme --retention-days=-1", "parley: --retention-days: want 1 to 36500 days, or 0 or off to keep for ever, not \"-1\"\n"},
		{"Acme --limit agent=1", "parley: --limit: there is no limit \"agent\", see docs/limits.md\n"},
		{"Acme --limit agents=-1", "parley: --limit: want agents=N with 0 to 1000000000, or default, not \"-1\"\n"},
		{"Acme --retention-days 36501", "parley: --retention-days: want 1 to 36500 days, or 0 or off to keep for ever, not \"36501\"\n"},
	} {
		if code, out, log := run(append([]string{"tenant", "set"}, strings.Fields(wrong.args)...)...); code != 1 || log != wrong.want || out != "" {
			t.Errorf("%s: exit code %d, says %q and %q, want %q", wrong.args, code, log, out, wrong.want)
		}
	}
}
