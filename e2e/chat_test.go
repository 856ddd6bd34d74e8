package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/client"
	"parley/internal/chat"
)

// command runs a command that needs no server, on the data of the shared one, and returns what it printed.
func command(t *testing.T, code int, args ...string) (out, log string) {
	t.Helper()
	return commandOn(t, shared(t).Dir, code, args...)
}

// commandOn is command on other data.
func commandOn(t *testing.T, dir string, code int, args ...string) (out, log string) {
	t.Helper()
	p, err := launch(map[string]string{"PARLEY_DATA_DIR": dir}, args...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	got, err := p.Wait(ctx)
	if err != nil || got != code {
		t.Fatalf("parley %s: exit code %d, want %d (%v)\n%s%s", strings.Join(args, " "), got, code, err, p.Out.String(), p.Log.String())
	}
	return p.Out.String(), p.Log.String()
}

func TestChat(t *testing.T) {
	t.Parallel()
	out, log := command(t, 0, "chat", "--workflow", "demo", "--json", "--say", "What are your opening hours?", "--say", "a table please", "--say", "no thank you")
	var got chat.Result
	if err := json.Unmarshal([]byte(out), &got); err != nil || log != "" {
		t.Fatalf("%v\n%s%s", err, out, log)
	}
	none := []chat.Tool{}
	want := []chat.Turn{
		{Said: "", Replied: "Hello, this is the Parley demo. How can I help you?", Agent: "demo", Tools: none},
		{Said: "What are your opening hours?", Replied: "We are open every day from eleven in the morning to ten in the evening.", Agent: "demo", Tools: none},
		{Said: "a table please", Agent: "demo-booking", Tools: []chat.Tool{{Name: "handoff_to_demo-booking", Arguments: json.RawMessage("{}")}},
			Replied: "I will connect you with our booking desk. This is the booking desk. For how many people would you like a table?"},
		{Said: "no thank you", Replied: "We look forward to your visit. Goodbye!", Agent: "demo-booking", Tools: []chat.Tool{{Name: "end_call", Arguments: json.RawMessage("{}")}}},
	}
	if len(got.Turns) != len(want) || got.End != "agent_ended" || got.Agent != "demo-booking" || len(got.Unsaid) != 0 {
		t.Fatalf("%s", out)
	}
	for i, turn := range got.Turns {
		if turn.Said != want[i].Said || turn.Replied != want[i].Replied || turn.Agent != want[i].Agent || len(turn.Problems) != 0 || !cmp.Equal(turn.Tools, want[i].Tools) {
			t.Errorf("turn %d: %+v, want %+v", i, turn, want[i])
		}
	}
}

func TestChatThatCannotBeHeld(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--agent", "nobody"}, "parley: agent nobody: agent not found\n"},
		{[]string{"--workflow", "nowhere"}, "parley: workflow nowhere: workflow not found\n"},
		{[]string{"--tenant", "nobody", "--agent", "demo"}, "parley: tenant nobody: tenant not found\n"},
		{[]string{"--agent", "demo", "--user-context", "[]"}, "parley: --user-context: not a JSON object:"},
		{[]string{"--agent", "demo", "--say", "?!"}, `parley: say "?!": a line needs a letter or a digit` + "\n"},
		{[]string{"--agent", "demo", "--say", "goodbye", "--say", "one more thing"}, `parley: the agent ended the conversation before "one more thing" was said` + "\n"},
	} {
		_, log := command(t, 1, append([]string{"chat"}, test.args...)...)
		if !strings.HasPrefix(log, test.want) || strings.Count(log, "\n") != 1 {
			t.Errorf("%v: %q, want one line that begins with %q", test.args, log, test.want)
		}
	}
}

// Lines come from standard input without --say, and its end is a good end.
func TestTypedChat(t *testing.T) {
	t.Parallel()
	c := exec.CommandContext(t.Context(), program, "chat", "--agent", "demo", "--data-dir", shared(t).Dir)
	c.Env = []string{"PATH=" + os.Getenv("PATH")}
	c.Stdin = strings.NewReader("what are your opening hours\n\n ?\nwhere are you located\n")
	out, err := c.CombinedOutput()
	const want = `  demo    Hello, this is the Parley demo. How can I help you?
  demo    We are open every day from eleven in the morning to ten in the evening.
  demo    You find us at twelve Main Street, next to the library.
`
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}

func TestEval(t *testing.T) {
	t.Parallel()
	report := filepath.Join(t.TempDir(), "report.xml")
	out, log := command(t, 0, "eval", "../docs/examples/demo.yaml", "--junit", report)
	if !strings.HasSuffix(out, "3 of 3 conversations as expected\n") || log != "" {
		t.Errorf("%s%s", out, log)
	}
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	if err := xml.Unmarshal([]byte(content(t, report)), &suites); err != nil || suites.Tests != 3 || suites.Failures+suites.Errors != 0 {
		t.Errorf("%+v, %v", suites, err)
	}
}

// An analysis of the tenant is an expectation, judged by the real machinery: here by the rules of the offline provider.
func TestEvalWithAnalyses(t *testing.T) {
	t.Parallel()
	s := shared(t)
	name := "visit-" + strings.ToLower(rand.Text()[:8])
	_, err := s.API.Analyses.Create(t.Context(), client.NewAnalysis{
		Name: name, Schema: map[string]any{"type": "object", "properties": map[string]any{"people": map[string]any{"type": "string"}}},
		Criteria: []client.AnalysisCriterion{{Name: "booked", Question: "Was a table booked?", Evidence: "agent"}, {Name: "angry", Question: "Was the caller angry?"}},
		LLM:      &client.AnalysisLLM{Provider: "offline", Model: "scripted"}, Instructions: "- table is booked => booked: yes\n- four => data.people: \"four\"\n- * => angry: no\n- * => booked: no",
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "suite.yaml")
	write := func(expected string) {
		if err := os.WriteFile(file, []byte("- {name: a table, workflow: demo, turns: [{say: I would like to book a table}, {say: four}, {say: no thank you}], analyses: {"+expected+"}}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(name + ": {booked: yes, angry: no, data.people: four}")
	if out, log := command(t, 0, "eval", file); !strings.HasSuffix(out, "1 of 1 conversations as expected\n") || log != "" {
		t.Errorf("%s%s", out, log)
	}
	write(name + ": {booked: no, data.people: two}")
	out, _ := command(t, 1, "eval", file)
	for _, want := range []string{"      analysis " + name + ": want booked no, got yes", `; evidence: agent "`, "      analysis " + name + `: want data.people "two", got "four"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	write("not-there: {booked: yes}")
	if out, _ := command(t, 1, "eval", file); !strings.Contains(out, "      analysis not-there: analysis not found\n") {
		t.Error(out)
	}
}

// With redaction, an analysis receives the masked conversation, as it does after a call.
func TestEvalWithRedaction(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	_, err := s.API.Analyses.Create(t.Context(), client.NewAnalysis{
		Name: "contact", Criteria: []client.AnalysisCriterion{{Name: "told", Question: "Did the caller say their number?", Evidence: "any"}},
		LLM: &client.AnalysisLLM{Provider: "offline", Model: "scripted"}, Instructions: "- 4915112345678 => told: yes\n- * => told: no",
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "suite.yaml")
	for _, step := range []struct{ redaction, told string }{{"--no-redact", "yes"}, {"--redact", "no"}} {
		commandOn(t, s.Dir, 0, "tenant", "set", "demo", step.redaction)
		if err := os.WriteFile(file, []byte("- {name: a number, workflow: demo, turns: [{say: call me at +4915112345678}], analyses: {contact: {told: "+step.told+"}}}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		commandOn(t, s.Dir, 0, "eval", file)
	}
}

func TestEvalThatFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "suite.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`
- name: hours
  agent: demo
  turns:
    - say: what are your opening hours
      expect: {words: at noon, tool: look_up, ended: true}
- name: nobody
  agent: nobody
  turns: [{say: hi}]
- name: greeting
  agent: demo
  greeting: {words: hello}
`)
	out, log := command(t, 1, "eval", file)
	for _, want := range []string{
		`      "what are your opening hours": want "at noon" said, got "We are open every day`,
		`      "what are your opening hours": want tool look_up called, got none`,
		`      "what are your opening hours": want the conversation ended, got the opposite`,
		"      agent nobody: agent not found\n",
		"ok    greeting (",
		"1 of 3 conversations as expected\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if log != "parley: 2 of 3 conversations failed\n" {
		t.Error(log)
	}

	write("- name: hours\n  agent: demo\n  turns:\n    - say: hi\n      expect: {word: x}\n")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{file}, "parley: " + file + `:5: expect has no field "word"; there are `},
		{[]string{file + ".none"}, "parley: " + file + ".none: no such file or directory"},
		{[]string{}, `parley: expected "<file>"`},
		{[]string{"../docs/examples/demo.yaml", "--parallel", "0"}, "parley: --parallel and --patience must be above 0"},
		{[]string{"../docs/examples/demo.yaml", "--tenant", "nobody"}, "parley: tenant nobody: tenant not found"},
		{[]string{"../docs/examples/demo.yaml", "--junit", filepath.Join(file, "x.xml")}, "parley: --junit: "},
	} {
		if _, log := command(t, 2, append([]string{"eval"}, test.args...)...); !strings.HasPrefix(log, test.want) || strings.Count(log, "\n") != 1 {
			t.Errorf("%v: %q, want one line that begins with %q", test.args, log, test.want)
		}
	}
}
