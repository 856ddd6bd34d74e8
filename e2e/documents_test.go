package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/template"
	"parley/internal/voice/turn"
)

// block is a fenced block of a document.
type block struct{ language, text string }

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

// document reads a file of the checkout.
func document(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func blocksOf(text string) (found []block) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		found = append(found, block{m[1], m[2]})
	}
	return found
}

// shell runs the commands of documents as they are written, but for the server's address.
type shell struct {
	dir string // holds bin/parley, data and docs, as a checkout does
	s   *binary.Server
}

func newShell(t *testing.T, s *binary.Server) shell {
	t.Helper()
	dir := t.TempDir()
	docs, err := filepath.Abs("../docs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"bin/parley": program, "data": s.Dir, "docs": docs} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return shell{dir, s}
}

// curl adds to each answer a line with its status and the request's method.
const curl = `curl() { command curl -w '\nHTTP %{http_code} %{method}\n' "$@"; }` + "\n"

// run returns the standard output of commands, which all have to succeed.
func (s shell) run(t *testing.T, commands string, env ...string) string {
	t.Helper()
	if strings.Contains(commands, "bin/parley call") {
		defer acquireLine()()
	}
	ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", curl+strings.ReplaceAll(commands, "http://127.0.0.1:8080", s.s.URL))
	c.Dir, c.WaitDelay = s.dir, 5*time.Second
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "PARLEY_SERVER=" + s.s.URL}, env...)
	var log strings.Builder
	c.Stderr = &log
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s%s", err, commands, out, log.String())
	}
	return string(out)
}

// check runs commands of a page, which have to succeed, and compares what they print with the block that follows, if that
// shows it.
func (s shell) check(t *testing.T, page string, b, shown block) {
	t.Helper()
	out := s.run(t, b.text)
	if strings.Contains(b.text, "curl ") && !statusLine.MatchString(out) {
		t.Errorf("%s: no answer to\n%s", page, b.text)
	}
	accepted(t, out)
	if shown.language == "text" && out != shown.text {
		t.Errorf("%s:\n%s\nprints\n%s\nthe page shows\n%s", page, b.text, out, shown.text)
	}
}

var statusLine = regexp.MustCompile(`(?m)^HTTP (\d+) (\w+)$`)

// accepted checks that all requests of curl were accepted, and without warnings.
func accepted(t *testing.T, out string) {
	t.Helper()
	for _, m := range statusLine.FindAllStringSubmatch(out, -1) {
		if m[1] != "201" && (m[1] != "202" || m[2] != "POST") && (m[1] != "200" || m[2] == "POST") {
			t.Errorf("%s was answered with %s\n%s", m[2], m[1], out)
		}
	}
	if strings.Contains(out, `"warnings"`) {
		t.Errorf("warnings: %s", out)
	}
}

// The commands of the documents run as they are written, one page after the other, and print what the page shows. Those that
// place calls run at the end, at the same time.
func TestCommandsOfDocuments(t *testing.T) {
	t.Parallel()
	sh := newShell(t, serve(t, filepath.Join(t.TempDir(), "data"), nil))
	for _, page := range []string{"README.md", "docs/agents.md", "docs/workflows.md", "docs/offline.md"} {
		ran := 0
		blocks := blocksOf(document(t, page))
		for n, b := range blocks {
			if b.language != "sh" || b.text == "make run\n" {
				continue
			}
			ran++
			shown := block{}
			if n+1 < len(blocks) {
				shown = blocks[n+1]
			}
			if strings.Contains(b.text, "bin/parley call") {
				t.Run("call of "+page, func(t *testing.T) {
					t.Parallel()
					sh.check(t, page, b, shown)
				})
				continue
			}
			sh.check(t, page, b, shown)
		}
		if ran == 0 {
			t.Errorf("%s has no commands", page)
		}
	}
	for _, b := range blocksOf(document(t, "docs/tools.md")) {
		if b.language == "json" {
			var answer struct{ Warnings []string }
			ask(t, sh.s, "POST", "/api/v1/tools", json.RawMessage(b.text), &answer)
			if len(answer.Warnings) > 0 {
				t.Errorf("the tool of docs/tools.md: %v", answer.Warnings)
			}
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
	for _, page := range pages {
		for _, b := range blocksOf(document(t, filepath.Join("docs", filepath.Base(page)))) {
			if b.language == "json" && !json.Valid([]byte(b.text)) {
				t.Errorf("%s: not JSON:\n%s", page, b.text)
			}
		}
	}
}

// rows are the cells of the rows of all tables of a document with this header; code and escapes are taken off.
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
	for _, b := range blocksOf(text) {
		if b.language == "json" {
			decoder := json.NewDecoder(strings.NewReader(b.text))
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
		if holds := map[bool]string{true: "yes", false: "no"}[condition.Holds(state)]; holds != row[1] {
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

// The settings of turn-taking have the defaults and limits that the tables show.
func TestTurnSettingsOfDocuments(t *testing.T) {
	t.Parallel()
	d := turn.DefaultOptions
	defaults := map[string]time.Duration{
		"endpoint_complete_ms": d.EndpointComplete, "endpoint_default_ms": d.EndpointDefault, "endpoint_unfinished_ms": d.EndpointUnfinished,
		"pause_after_ms": d.PauseAfter, "interrupt_after_ms": d.InterruptAfter, "resume_after_ms": d.ResumeAfter,
		"transcript_wait_ms": d.TranscriptWait, "filler_after_ms": d.FillerAfter, "silence_prompt_after_ms": d.SilencePromptAfter,
		"silence_prompts": time.Duration(d.SilencePrompts) * time.Millisecond, "budget_ms": d.Budget,
	}
	limits := regexp.MustCompile(`^(\d+)–(\d+)(; 0: \w+)?$`)
	seen := 0
	tables := append(rows(t, document(t, "docs/agents.md"), "| setting | default | limits | meaning |"), rows(t, document(t, "docs/turn-taking.md"), "| key | default | bounds | meaning |")...)
	for _, row := range tables {
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
	if seen != 2*len(defaults) {
		t.Errorf("the tables have %d of %d settings", seen, 2*len(defaults))
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
