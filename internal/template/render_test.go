package template

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func scopeOf(t testing.TB, text string) Scope {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var scope Scope
	if err := decoder.Decode(&scope); err != nil {
		t.Fatal(err)
	}
	return scope
}

const someone = `{
	"user": {"name": "Ada", "age": 36, "vip": true, "debt": 0, "balance": 12.50, "nothing": null, "first-name": "Augusta",
		"evil": "{{user.name}} {{flags.x}}", "big": 9007199254740993, "html": "<a&b>",
		"address": {"city": "Köln"}, "orders": [{"id": 7}, {"id": 8}], "empty": [], "plan": "gold"},
	"workflow": {"step": "intake", "score": "7"},
	"flags": {"verified": true, "refused": false, "written": "false"},
	"params": {"index": 1, "größe": 3}
}`

func TestRender(t *testing.T) {
	scope := scopeOf(t, someone)
	for _, test := range []struct {
		text, want string
		missing    []string
	}{
		{"Hello {{user.name}}.", "Hello Ada.", nil},
		{"{{ user.name }}{{\tuser.name\n}}", "AdaAda", nil},
		{"{{user.age}} {{user.vip}} {{user.balance}} {{user.big}}", "36 true 12.50 9007199254740993", nil},
		{"[{{user.nothing}}]", "[]", nil},
		{"{{user.address}} {{user.orders}} {{user.empty}}", `{"city":"Köln"} [{"id":7},{"id":8}] []`, nil},
		{"{{user.html}}", "<a&b>", nil},
		{"{{user.orders[1].id}} {{user.orders.0.id}}", "8 7", nil},
		{"{{user.first-name}} {{params.größe}}", "Augusta 3", nil},
		{"{{user.evil}}", "{{user.name}} {{flags.x}}", nil},
		{"a{{user.none}}b{{user.none.deeper}}c{{user.none}}", "abc", []string{"user.none", "user.none.deeper"}},
		{"{{user.orders[2].id}}{{user.orders.x}}{{user.name.x}}{{customer.name}}{{name}}", "", []string{"user.orders[2].id", "user.orders.x", "user.name.x", "customer.name", "name"}},
		{`{"a":{{user.age}}} {{{user.age}}}`, `{"a":36} {36}`, nil},
		{"{{}} {{ }} {{#if user.vip}} {{user name}} {{user.}} {{.x}} {{user.name", "{{}} {{ }} {{#if user.vip}} {{user name}} {{user.}} {{.x}} {{user.name", nil},
		{"", "", nil},
		{`Hello {{user.name | "there"}}, {{user.none | "there"}}, {{user.nothing|'du'}}!`, "Hello Ada, there, du!", nil},
		{`{{user.none | ""}}{{user.empty | "some"}}{{user.debt | "some"}}`, "[]0", nil},
		{`{{user.none | 'a "word"'}} {{user.none | "it's"}}`, `a "word" it's`, nil},
		{`{{user.none | there}} {{user.none | "a}}`, `{{user.none | there}} {{user.none | "a}}`, nil},
	} {
		got, missing := Render(test.text, scope)
		if got != test.want {
			t.Errorf("Render(%q) = %q, want %q", test.text, got, test.want)
		}
		if d := cmp.Diff(test.missing, missing); d != "" {
			t.Errorf("Render(%q): missing paths (-want +got):\n%s", test.text, d)
		}
	}
}

func TestRenderWithoutScope(t *testing.T) {
	if got, missing := Render("x{{user.name}}", nil); got != "x" || len(missing) != 1 {
		t.Errorf("got %q, missing %v", got, missing)
	}
}

func TestRenderIsBounded(t *testing.T) {
	scope := Scope{"user": map[string]any{"large": strings.Repeat("x", 60_000), "empty": ""}}
	got, missing := Render(strings.Repeat("{{user.large}}{{user.empty}}", 5_000), scope)
	if len(got) > MaxRendered || len(got) < MaxRendered/2 {
		t.Errorf("rendered %d bytes, want at most and nearly %d", len(got), MaxRendered)
	}
	if d := cmp.Diff([]string{"user.large", "user.empty"}, missing); d != "" {
		t.Errorf("missing (-want +got):\n%s", d)
	}
}

func TestRenderFunc(t *testing.T) {
	scope := scopeOf(t, someone)
	quote := func(path string, value any) (string, error) { return path + "=" + Text(value), nil }
	got, missing, err := RenderFunc(NewBudget(len("user.name=Ada")), "<{{user.name}}|{{user.none}}>", scope, quote)
	if err != nil || got != "<user.name=Ada|>" || len(missing) != 1 {
		t.Errorf("got %q, %v, %v", got, missing, err)
	}
	refused := errors.New("refused")
	if _, _, err := RenderFunc(NewBudget(100), "{{user.name}}", scope, func(string, any) (string, error) { return "", refused }); !errors.Is(err, refused) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

// A rendering stops where its budget ends: later values are not requested.
func TestRenderFuncStopsAtTheBudget(t *testing.T) {
	scope, asked := Scope{"user": map[string]any{"x": "12345"}}, 0
	write := func(_ string, value any) (string, error) {
		asked++
		return Text(value), nil
	}
	budget := NewBudget(22)
	if _, _, err := RenderFunc(budget, strings.Repeat("{{user.x}}", 60_000), scope, write); !errors.Is(err, ErrBudget) || asked != 5 {
		t.Errorf("%v, after %d references", err, asked)
	}
	if _, _, err := RenderFunc(budget, "{{user.x}}", scope, write); !errors.Is(err, ErrBudget) {
		t.Errorf("the next text: %v", err)
	}
}

func TestSize(t *testing.T) {
	scope := scopeOf(t, `{"user":{"a":[1,22,"x"],"b":{"c":null,"d":true}}}`)
	user := scope["user"]
	exact := len(Text(user))
	if got := Size(user, 1000); got < exact || got > exact+10 {
		t.Errorf("size %d of %s, which has %d bytes", got, Text(user), exact)
	}
	deep := any("x")
	for range 50 {
		deep = []any{deep, deep} // 2^50 values
	}
	if got := Size(deep, 1000); got <= 1000 {
		t.Errorf("size %d", got)
	}
}

func TestPaths(t *testing.T) {
	got := Paths("{{user.a}} {{ flags.b[0] }} {{user.a}} {{not a path}}")
	if d := cmp.Diff([]string{"user.a", "flags.b[0]"}, got); d != "" {
		t.Errorf("paths (-want +got):\n%s", d)
	}
}

func TestPath(t *testing.T) {
	for text, want := range map[string]string{
		"workflow.name": "workflow.name", " {{ user.a[0].b }} ": "user.a[0].b",
		"": "", "user.": "", "a b": "", "{{user.a}} x": "", "{{user.a": "", "[0]": "",
	} {
		if got, ok := Path(text); got != want || ok != (want != "") {
			t.Errorf("Path(%q) = %q, %v", text, got, ok)
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add("{{user.name}} {{user.orders[1].id}} {{x")
	scope := scopeOf(f, someone)
	f.Fuzz(func(t *testing.T, text string) {
		rendered, missing := Render(text, scope)
		if len(missing) > len(Paths(text)) {
			t.Errorf("%q: more paths missing than there are", text)
		}
		if len(Paths(text)) == 0 && rendered != text {
			t.Errorf("%q changed to %q without a path", text, rendered)
		}
	})
}
