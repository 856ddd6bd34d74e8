package contract

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// linter is Redocly's, in the version that linter/package-lock.json pins.
const linter = "linter/node_modules/.bin/redocly"

// Redocly's linter finds no errors and no warnings in the served description, see linter/redocly.yaml.
func TestLint(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(linter); err != nil {
		t.Fatalf("the description's linter is not installed: run `npm ci` in e2e/contract/linter, as `make test` does: %v", err)
	}
	p := newPlatform(t, nil, "--without=worker,media")
	a, err := p.exchange(request{method: "GET", path: "/openapi.json"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(path, a.body, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), linter, "lint", "--config=linter/redocly.yaml", "--format=json", path)
	command.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true") // it asks nobody
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	failed := command.Run() // with errors of the description, too
	var found struct {
		Totals   *struct{ Errors, Warnings int }
		Problems []struct {
			RuleID, Severity, Message string
			Location                  []struct{ Pointer string }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &found); err != nil || found.Totals == nil {
		t.Fatalf("the linter did not run: %v, %v\n%s\n%s", failed, err, out.Bytes(), log.Bytes())
	}
	for _, problem := range found.Problems {
		t.Errorf("%s %s: %s %+v", problem.Severity, problem.RuleID, problem.Message, problem.Location)
	}
	if len(found.Problems) != found.Totals.Errors+found.Totals.Warnings || failed != nil && len(found.Problems) == 0 {
		t.Errorf("%+v, %v\n%s", *found.Totals, failed, log.Bytes())
	}
}
