package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/page"
	"parley/internal/template"
	"parley/internal/voice/turn"
)

// document reads a file of the checkout.
func document(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shell runs the commands of documents beside a server.
type shell struct {
	*page.Shell
	s *binary.Server
}

func newShell(t *testing.T, s *binary.Server) shell {
	t.Helper()
	sh, err := page.NewShell(t.TempDir(), "..", program, s)
	if err != nil {
		t.Fatal(err)
	}
	return shell{sh, s}
}

// run returns the standard output of commands, which all have to succeed.
func (s shell) run(t *testing.T, commands string, env ...string) string {
	t.Helper()
	if strings.Contains(commands, "bin/parley call") {
		defer acquireLine()()
	}
	ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
	defer cancel()
	out, err := s.Run(ctx, commands, env...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// check runs commands of a page, which have to succeed, and compares what they print with the block that follows, if that
// shows it.
func (s shell) check(t *testing.T, name string, b, shown page.Block) {
	t.Helper()
	out := s.run(t, b.Text)
	answers, err := page.Accepted(out)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if strings.Contains(b.Text, "curl ") && answers == 0 {
		t.Errorf("%s: no answer to\n%s", name, b.Text)
	}
	if shown.Language == "text" && out != shown.Text {
		t.Errorf("%s:\n%s\nprints\n%s\nthe page shows\n%s", name, b.Text, out, shown.Text)
	}
}

// The commands of the documents run as they are written, one page after the other, and print what the page shows. Those that
// place calls run at the end, at the same time.
func TestCommandsOfDocuments(t *testing.T) {
	t.Parallel()
	sh := newShell(t, serve(t, filepath.Join(t.TempDir(), "data"), nil))
	// The tenant of docs/configuration.md, a user whose password is read from standard input, and an API key.
	for _, b := range page.Blocks(document(t, "docs/configuration.md")) {
		if strings.Contains(b.Text, "tenant create") {
			sh.run(t, "{\n"+b.Text+"} <<<'a password of the test'")
		}
	}
	for _, name := range []string{"README.md", "docs/agents.md", "docs/workflows.md", "docs/offline.md", "docs/evaluation.md", "docs/privacy.md", "docs/cost.md"} {
		ran := 0
		blocks := page.Blocks(document(t, name))
		for n, b := range blocks {
			if b.Language != "sh" || b.Text == "make run\n" {
				continue
			}
			ran++
			shown := page.Block{}
			if n+1 < len(blocks) {
				shown = blocks[n+1]
			}
			if strings.Contains(b.Text, "bin/parley call") {
				t.Run("call of "+name, func(t *testing.T) {
					t.Parallel()
					sh.check(t, name, b, shown)
				})
				continue
			}
			sh.check(t, name, b, shown)
		}
		if ran == 0 {
			t.Errorf("%s has no commands", name)
		}
	}
	for _, b := range page.Blocks(document(t, "docs/tools.md")) {
		if b.Language == "json" {
			var answer struct{ Warnings []string }
			ask(t, sh.s, "POST", "/api/v1/tools", json.RawMessage(b.Text), &answer)
			if len(answer.Warnings) > 0 {
				t.Errorf("the tool of docs/tools.md: %v", answer.Warnings)
			}
		}
	}
}

// The commands of docs/phone.md are accepted: a trunk, a dispatch, the tenant's limits, a number and its assignment, and the SIP
// messages of the call. Nothing is dialled, for the server has no worker.
func TestPhoneCommandsOfDocuments(t *testing.T) {
	t.Parallel()
	sh := newShell(t, serve(t, filepath.Join(t.TempDir(), "data"), nil, "--without=worker"))
	sh.run(t, "bin/parley tenant create Acme")
	env := []string{"KEY=" + sh.s.Key}
	for _, b := range page.Blocks(document(t, "docs/phone.md")) {
		if b.Language != "sh" {
			continue
		}
		out := sh.run(t, b.Text, env...)
		if _, err := page.Accepted(out); err != nil {
			t.Errorf("docs/phone.md: %s\n%v", b.Text, err)
		}
		var made struct {
			ID     string `json:"id"`
			CallID string `json:"call_id"`
		}
		if strings.Contains(b.Text, "curl") {
			if err := json.NewDecoder(strings.NewReader(out)).Decode(&made); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case strings.Contains(b.Text, `"name": "Carrier"`):
			env = append(env, "TRUNK="+made.ID)
		case made.CallID != "":
			env = append(env, "CALL="+made.CallID)
		}
	}
}

// What documents show as JSON is JSON.
func TestJSONOfDocuments(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, path := range pages {
		for _, b := range page.Blocks(document(t, filepath.Join("docs", filepath.Base(path)))) {
			if b.Language == "json" && !json.Valid([]byte(b.Text)) {
				t.Errorf("%s: not JSON:\n%s", path, b.Text)
			}
		}
	}
}

// rows are the cells of the rows of all tables of a document with this header, without code marks and escapes.
func rows(t *testing.T, text, header string) (found [][]string) {
	t.Helper()
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == header:
			inside = true
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && !strings.HasPrefix(line, "|---"):
			cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "\x00"), "|"), "|")
			for i, cell := range cells {
				cells[i] = strings.Trim(strings.ReplaceAll(strings.TrimSpace(cell), "\x00", "|"), "`")
			}
			found = append(found, cells)
		}
	}
	if len(found) == 0 {
		t.Fatalf("no table %s", header)
	}
	return found
}

// The table of expressions says which hold with the state above it.
func TestExpressionsOfDocuments(t *testing.T) {
	t.Parallel()
	text := document(t, "docs/workflows.md")
	var state template.Scope
	for _, b := range page.Blocks(text) {
		if b.Language == "json" {
			decoder := json.NewDecoder(strings.NewReader(b.Text))
			decoder.UseNumber()
			if err := decoder.Decode(&state); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, row := range rows(t, text, "| expression | holds | why |") {
		condition, err := template.Compile(row[0])
		if err != nil {
			t.Errorf("%s: %v", row[0], err)
			continue
		}
		value, err := condition.Holds(template.NewSteps(t.Context()), state)
		if holds := map[bool]string{true: "yes", false: "no"}[value]; err != nil || holds != row[1] {
			t.Errorf("%s holds: %s, the page says %s", row[0], holds, row[1])
		}
	}
}

// The workflows of the tables of rules are refused for the one fault that the tables name.
func TestFaultsOfDocuments(t *testing.T) {
	t.Parallel()
	s := shared(t)
	text := document(t, "docs/workflows.md")
	tables := append(rows(t, text, "| rule | `config` | `field` | `message` |"), rows(t, text, "| what | `config` | `field` | `message` |")...)
	for _, row := range tables {
		workflow := client.NewWorkflow{Slug: "faulty", Name: "Faulty"}
		if err := json.Unmarshal([]byte(row[1]), &workflow.Config); err != nil {
			t.Fatalf("%s: %v", row[1], err)
		}
		_, err := s.API.Workflows.Create(t.Context(), workflow)
		var refused *client.Error
		if !errors.As(err, &refused) || len(refused.Details) != 1 || refused.Details[0] != (client.Detail{Field: row[2], Message: row[3]}) {
			t.Errorf("%s: %+v", row[0], err)
		}
	}
}

// The settings of turn-taking have the defaults and bounds that the table shows.
func TestTurnSettingsOfDocuments(t *testing.T) {
	t.Parallel()
	d := turn.DefaultOptions
	defaults := map[string]time.Duration{
		"endpoint_complete_ms": d.EndpointComplete, "endpoint_default_ms": d.EndpointDefault, "endpoint_unfinished_ms": d.EndpointUnfinished,
		"endpoint_max_ms": d.EndpointMax,
		"pause_after_ms":  d.PauseAfter, "interrupt_after_ms": d.InterruptAfter, "duck_ms": d.DuckFor, "pause_limit_ms": d.PauseLimit, "resume_after_ms": d.ResumeAfter,
		"transcript_wait_ms": d.TranscriptWait, "filler_after_ms": d.FillerAfter, "answer_deadline_ms": d.AnswerDeadline, "silence_prompt_after_ms": d.SilencePromptAfter,
		"silence_prompts": time.Duration(d.SilencePrompts) * time.Millisecond, "budget_ms": d.Budget,
	}
	limits := regexp.MustCompile(`^(\d+)–(\d+)(; 0: \w+)?$`)
	seen := 0
	for _, row := range rows(t, document(t, "docs/turn-taking.md"), "| key | default | bounds | meaning |") {
		m := limits.FindStringSubmatch(strings.ReplaceAll(row[2], ",", ""))
		if m == nil {
			continue // a text
		}
		seen++
		if got := strconv.FormatInt(defaults[row[0]].Milliseconds(), 10); got != strings.ReplaceAll(row[1], ",", "") {
			t.Errorf("%s is %s by default, the page says %s", row[0], got, row[1])
		}
		least, _ := strconv.Atoi(m[1])
		most, _ := strconv.Atoi(m[2])
		for value, valid := range map[int]bool{least: true, most: true, least - 1: false, most + 1: false} {
			if faults := turn.Check(fmt.Appendf(nil, `{%q: %d}`, row[0], value)); (len(faults) == 0) != valid {
				t.Errorf("%s: %d: %v", row[0], value, faults)
			}
		}
	}
	if seen != len(defaults) {
		t.Errorf("the table has %d of %d settings", seen, len(defaults))
	}
}

// The phrases that the page promises are sentences of the recogniser's grammar.
func TestPhrasesOfDocuments(t *testing.T) {
	t.Parallel()
	phrase := sentences(t, document(t, "internal/provider/offline/grammar.jsgf"))
	for _, row := range rows(t, document(t, "docs/offline.md"), "| about | phrases |") {
		for _, p := range strings.Split(row[1], "`, `") {
			if !phrase.MatchString(strings.ReplaceAll(p, " ", "")) {
				t.Errorf("%q is no sentence of the grammar", p)
			}
		}
	}
}

var jsgfToken = regexp.MustCompile(`<[a-z_]+>|[a-z][a-z']*|[\[\](|)+]`)

// sentences matches the sentences of a JSGF grammar (https://www.w3.org/TR/jsgf/), written without spaces.
func sentences(t *testing.T, jsgf string) *regexp.Regexp {
	t.Helper()
	rules := map[string]string{}
	for _, rule := range strings.Split(jsgf, ";") {
		if name, body, ok := strings.Cut(rule, "="); ok {
			rules[strings.TrimPrefix(strings.TrimSpace(name), "public ")] = body
		}
	}
	var expand func(body string) string
	expand = func(body string) string {
		var b strings.Builder
		for _, token := range jsgfToken.FindAllString(body, -1) {
			switch {
			case token[0] == '<':
				b.WriteString("(?:" + expand(rules[token]) + ")")
			case token == "[" || token == "(":
				b.WriteString("(?:")
			case token == "]":
				b.WriteString(")?")
			default:
				b.WriteString(token)
			}
		}
		return b.String()
	}
	return regexp.MustCompile("^(?:" + expand(rules["<phrase>"]) + ")$")
}
