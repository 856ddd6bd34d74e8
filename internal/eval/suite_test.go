package eval

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	got, err := Parse("file", []byte(`
- name: all
  workflow: w
  user_context: {name: Ada, age: 36, tags: [a], deep: {x: 1.5, y: null}}
  greeting: {words: hello}
  turns:
    - say: one
      expect: {words: [a b, c], not_words: d, tools: [], agent: x, ended: false}
    - say: two
      expect: {tool: t, ended: true}
    - say: 3
- {name: least, agent: a, turns: [{say: hi}]}
- name: only a greeting
  agent: a
  greeting: {tools: [t, u]}
`))
	if err != nil {
		t.Fatal(err)
	}
	yes, no := true, false
	want := &Suite{Name: "file", Conversations: []Conversation{
		{Name: "all", Workflow: "w", User: map[string]any{"name": "Ada", "age": json.Number("36"), "tags": []any{"a"}, "deep": map[string]any{"x": json.Number("1.5"), "y": nil}},
			Greeting: &Expect{Words: []string{"hello"}}, Turns: []Turn{
				{Say: "one", Expect: Expect{Words: []string{"a b", "c"}, NotWords: []string{"d"}, Tools: []string{}, Agent: "x", Ended: &no}},
				{Say: "two", Expect: Expect{Tools: []string{"t"}, Ended: &yes}},
				{Say: "3"},
			}},
		{Name: "least", Agent: "a", Turns: []Turn{{Say: "hi"}}},
		{Name: "only a greeting", Agent: "a", Greeting: &Expect{Tools: []string{"t", "u"}}},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want (-), got (+):\n%s", d)
	}
}

// Numbers of a user_context keep the digits that the file has; what only YAML
// knows becomes what JSON has for it.
func TestNumbersOfTheUserContext(t *testing.T) {
	suite, err := Parse("f", []byte(`
- name: a
  agent: b
  user_context:
    big: 9007199254740993
    beyond: 123456789012345678901234567890
    tiny: 1e-400
    list: [1E5, -0, 0.10, "7"]
    hex: 0x10
    plus: +5
    base: &base {id: 9007199254740993, gone: null}
    more: {<<: *base, day: 2024-05-01}
    same: *base
  turns: [{say: hi}]
`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(suite.Conversations[0].User)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"base":{"gone":null,"id":9007199254740993},"beyond":123456789012345678901234567890,"big":9007199254740993,"hex":16,"list":[1E5,-0,0.10,"7"],` +
		`"more":{"day":"2024-05-01T00:00:00Z","gone":null,"id":9007199254740993},"plus":5,"same":{"gone":null,"id":9007199254740993},"tiny":1e-400}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFaultyFiles(t *testing.T) {
	tests := []struct{ content, want string }{
		{"", "f: holds no conversation"},
		{"# nothing\n", "f: holds no conversation"},
		{"[]", "f: holds no conversation"},
		{"a: [", "f: line 1: did not find expected node content"},
		{"- {name: a, agent: b, turns: [{say: x}]}\n---\n- {}", "f: holds more than one document"},
		{"name: a", "f:1: the file must be a list"},
		{"- a", "f:1: a conversation must be an object"},
		{"- agent: b", "f:1: a conversation needs a name"},
		{"- name: a\n  turns: [{say: x}]", `f:1: conversation "a": name either an agent or a workflow`},
		{"- {name: a, agent: b, workflow: c, turns: [{say: x}]}", `f:1: conversation "a": name either an agent or a workflow`},
		{"- name: a\n  agent: b", `f:1: conversation "a": there are no turns`},
		{"- name: a\n  agent: b\n  turn: []", `f:3: a conversation has no field "turn"; there are agent, analyses, greeting, name, turns, user_context, workflow`},
		{"- name: a\n  name: b", `f:2: a conversation has "name" twice`},
		{"- name: [a]", "f:1: name must be a text"},
		{"- name:", "f:1: name must be a text"},
		{"- name: a\n  turns: x", "f:2: turns must be a list"},
		{"- name: a\n  user_context: x", "f:2: user_context must be an object"},
		{"- name: a\n  user_context: {1: {.nan : .inf}}", "f:2: user_context must be an object that JSON can hold"},
		{"- name: a\n  turns:\n    - says: x", `f:3: a turn has no field "says"; there are expect, say`},
		{"- name: a\n  turns:\n    - say: '…'", "f:3: a turn needs words to say"},
		{"- name: a\n  turns:\n    - say: x\n      expect: {wrods: y}", `f:4: expect has no field "wrods"; there are agent, ended, not_words, tool, tools, words`},
		{"- name: a\n  turns:\n    - say: x\n      expect: {ended: maybe}", "f:4: ended must be true or false"},
		{"- name: a\n  turns:\n    - say: x\n      expect:\n        words: [{}]", "f:5: words must be a text"},
		{"- name: a\n  turns:\n    - say: x\n      expect: {words: '…'}", "f:4: words must be words, each with a letter or digit"},
		{"- name: a\n  analyses: outcome", "f:2: analyses must be an object"},
		{"- name: a\n  analyses: {outcome: {}}", "f:2: outcome expects nothing"},
		{"- name: a\n  analyses:\n    outcome: {booked: perhaps}", `f:3: booked must be yes, no, unknown, a number, or a comparison such as ">= 7"`},
		{"- name: a\n  analyses:\n    outcome:\n      polite: '>= many'", `f:4: polite: "many" is no number`},
		{"- name: a\n  analyses:\n    outcome:\n      booked: yes\n      booked: no", `f:5: outcome has "booked" twice`},
		{"- &c {name: a, agent: b, turns: [{say: x}]}\n- *c", `f:2: there is another conversation named "a"`},
		{"- {name: a, agent: b, turns: [{say: x}]}\n- {name: a, agent: b, turns: [{say: x}]}", `f:2: there is another conversation named "a"`},
	}
	for _, test := range tests {
		_, err := Parse("f", []byte(test.content))
		var wrong *FileError
		if !errors.As(err, &wrong) || err.Error() != test.want {
			t.Errorf("%q:\n got %v\nwant %s", test.content, err, test.want)
		}
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none.yaml")); err == nil || !strings.HasSuffix(err.Error(), "none.yaml: no such file or directory") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("- name: a\n  agent: b\n  turns: [{say: x, expect: {words: y}}]"))
	f.Add([]byte("- &a [*a]"))
	f.Fuzz(func(t *testing.T, content []byte) {
		s, err := Parse("f", content)
		var wrong *FileError
		if (s == nil) == (err == nil) || err != nil && (!errors.As(err, &wrong) || wrong.Problem == "") {
			t.Errorf("suite %v, error %v", s, err)
		}
	})
}

func TestCheck(t *testing.T) {
	yes := true
	tests := []struct {
		name   string
		expect Expect
		turn   string
		tools  []string
		ended  bool
		want   []string
	}{
		{"nothing expected", Expect{}, "Anything.", []string{"t"}, true, nil},
		{"words", Expect{Words: []string{"don't open", "NINE"}}, "We don’t open, at nine!", nil, false, nil},
		{"part of a word", Expect{Words: []string{"nine"}}, "Nineteen.", nil, false, []string{`want "nine" said, got "Nineteen."`}},
		{"another order", Expect{Words: []string{"at nine"}}, "Nine at.", nil, false, []string{`want "at nine" said, got "Nine at."`}},
		{"not words", Expect{NotWords: []string{"sorry"}}, "Sorry!", nil, false, []string{`want "sorry" not said, got "Sorry!"`}},
		{"tools", Expect{Tools: []string{"a", "b"}}, "", []string{"b", "c"}, false, []string{"want tool a called, got b, c"}},
		{"no tool called", Expect{Tools: []string{"a"}}, "", nil, false, []string{"want tool a called, got none"}},
		{"no tools", Expect{Tools: []string{}}, "", []string{"a"}, false, []string{"want no tool called, got a"}},
		{"agent", Expect{Agent: "other"}, "", nil, false, []string{"want agent other, got me"}},
		{"ended", Expect{Ended: &yes}, "", nil, false, []string{"want the conversation ended, got the opposite"}},
		{"going on", Expect{Ended: new(bool)}, "", nil, true, []string{"want the conversation to go on, got the opposite"}},
		{"all at once", Expect{Words: []string{"a"}, Agent: "x", Ended: &yes}, "b", nil, false,
			[]string{`want "a" said, got "b"`, "want agent x, got me", "want the conversation ended, got the opposite"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := test.expect.check(turnOf(test.turn, "me", test.tools...), test.ended)
			if d := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("want (-), got (+):\n%s", d)
			}
		})
	}
}
