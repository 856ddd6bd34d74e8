package prompt

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/template"
)

func bodyOf(t *testing.T, text string) (b Body) {
	t.Helper()
	b.Category = DefaultCategory // as the API has it
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	b.tidy()
	return b
}

func scopeOf(t *testing.T, text string) (s template.Scope) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLanguages(t *testing.T) {
	full := bodyOf(t, `{"content":{"de":"d","en":"e","pt":"p","pt-BR":"b"}}`)
	for language, want := range map[string]string{"de": "de d", "": "en e", "fr": "en e", "pt-BR": "pt-BR b", "pt-br": "pt-BR b", "pt-PT": "pt p", "DE": "de d", "de-CH-1996": "de d"} {
		if used, text := full.Text(language); used+" "+text != want {
			t.Errorf("%q: got %s %s, want %s", language, used, text, want)
		}
	}
	if used, text := bodyOf(t, `{"content":{"fr":"f","es":"s"}}`).Text("de"); used != "es" || text != "s" {
		t.Errorf("without English: %s %s", used, text)
	}
}

func TestRender(t *testing.T) {
	const variables = `"variables":[{"name":"plan","type":"string","default":"basic"},{"name":"user.city.name","type":"string","default":"Bonn"},{"name":"order","type":"string","required":true}]`
	for _, test := range []struct{ text, scope, want, missing string }{
		{"Hello {{name}}", `{"name":"Ann"}`, "Hello Ann", "order"},
		{"Hello {{user.name}}", `{"user":{"name":"Ann","order":1}}`, "Hello Ann", ""},
		{"Hello {{name}}", `{"user":{"name":"Ann"}}`, "Hello Ann", "order"},
		{"{{name}}", `{"name":"direct","user":{"name":"Ann"}}`, "direct", "order"},
		{"{{plan}} {{user.city.name}}", `{}`, "basic Bonn", "order"},
		{"{{plan}} {{user.city.name}}", `{"plan":null,"user":{"city":{"zip":1}}}`, "basic Bonn", "order"},
		{"{{plan}} {{user.city.name}}", `{"plan":"pro","user":{"city":"Ulm"},"order":"7"}`, "pro ", "user.city.name"},
		{"{{order}} {{gone}} {{gone}}", `{}`, "  ", "order gone"},
		{"{{order}}", `{"order":"{{plan}}"}`, "{{plan}}", ""},
	} {
		b := bodyOf(t, `{`+variables+`}`)
		b.Content = map[string]string{"en": test.text}
		scope := scopeOf(t, test.scope)
		before, err := json.Marshal(scope)
		if err != nil {
			t.Fatal(err)
		}
		_, text, missing := b.Render("en", scope)
		if text != test.want || strings.Join(missing, " ") != test.missing {
			t.Errorf("%s with %s: %q, missing %v; want %q, missing %s", test.text, test.scope, text, missing, test.want, test.missing)
		}
		if after, err := json.Marshal(scope); err != nil || string(after) != string(before) {
			t.Errorf("the scope became %s", after)
		}
	}
}

// Defaults of one template are not seen by the next, and the data is copied once for all templates and variables.
func TestResolveCopiesOnce(t *testing.T) {
	user := map[string]any{"known": map[string]any{"a": "1"}}
	for i := range 16_000 {
		user[fmt.Sprint("k", i)] = true
	}
	bodies, slugs := Bodies{}, []string{}
	for n := range 20 {
		b := bodyOf(t, `{"content":{"en":"{{user.new.a}}{{user.known.a}}{{user.known.b}}{{other}}"}}`)
		for _, name := range []string{"user.new.a", "user.new.b", "user.known.b", "other"} {
			if n%2 == 0 {
				b.Variables = append(b.Variables, Variable{Name: name, Type: "string", Default: json.RawMessage(fmt.Sprintf("%q", name))})
			}
		}
		slugs = append(slugs, fmt.Sprint("t", n))
		bodies[slugs[n]] = b
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	values, missing := bodies.Resolve(slugs, "en", template.Scope{"user": user})
	runtime.ReadMemStats(&after)
	for n, slug := range slugs {
		want := "1"
		if n%2 == 0 {
			want = "user.new.a1user.known.bother"
		}
		if got := values[slug].(Value).String(); got != want {
			t.Errorf("%s: %s, want %s", slug, got, want)
		}
	}
	if len(missing) != 30 || len(user) != 16_001 || len(user["known"].(map[string]any)) != 1 {
		t.Errorf("missing %v, %d values of the user", missing, len(user))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 20<<20 {
		t.Errorf("%d bytes", used)
	}
}

func TestSlugs(t *testing.T) {
	got := Slugs("{{prompt.hello}} {{ prompt.hello.voice_speed }} {{user.prompt.x}}", "{{prompt.bye-bye.a.b}} {{prompt}} {{prompt.list[0]}} {{promptly.x}}")
	if d := cmp.Diff([]string{"hello", "bye-bye", "list"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestLanguageOfTheUser(t *testing.T) {
	for scope, want := range map[string]string{`{}`: "en", `{"user":{"language":"de"}}`: "de", `{"user":{"language":7}}`: "en", `{"user":null}`: "en"} {
		if got := Language(scopeOf(t, scope)); got != want {
			t.Errorf("%s: %s", scope, got)
		}
	}
}

func TestRules(t *testing.T) {
	for body, want := range map[string]string{
		`{}`: "name content",
		`{"name":"n","content":{"en":"Hi"},"category":"closing"}`:                                                                                                                             "",
		`{"name":" ","content":{"en":" ","english!":"x"},"category":"poem"}`:                                                                                                                  "name category content.en content.english!",
		`{"name":"n","content":{"en":"x"},"category":""}`:                                                                                                                                     "category",
		`{"name":"n","content":{"en":"a\u0000"},"description":"\u0000"}`:                                                                                                                      "description content.en",
		`{"name":"` + strings.Repeat("é", 255) + `","content":{"en":"x"}}`:                                                                                                                    "",
		`{"name":"` + strings.Repeat("é", 256) + `","content":{"en":"x"}}`:                                                                                                                    "name",
		`{"name":"n","content":{"en":"` + strings.Repeat("x", 100_001) + `"}}`:                                                                                                                "content.en",
		`{"name":"n","content":{"en":"x"},"metadata":{"k":"` + strings.Repeat("x", 65536) + `"}}`:                                                                                             "metadata",
		`{"name":"n","content":{"en":"x"},"variables":[{},{"name":"a b","type":"String"},{"name":"c","type":"string","default":1},{"name":"c","type":"date","default":1}]}`:                   "variables[0].name variables[0].type variables[1].name variables[1].type variables[2].default variables[3].name",
		`{"name":"n","content":{"en":"x"},"variables":[{"name":"a","type":"number","default":1.5},{"name":"b","type":"integer","default":1.5},{"name":"c","type":"boolean","default":null}]}`: "variables[1].default",
	} {
		var i validation
		i.body(bodyOf(t, body))
		var fields []string
		for _, f := range i.Faults {
			fields = append(fields, f.Field)
		}
		if got := strings.Join(fields, " "); got != want {
			t.Errorf("%.150s: faults in %q, want %q", body, got, want)
		}
	}
	for slug, ok := range map[string]bool{"a": true, "9-_": true, strings.Repeat("a", 100): true, strings.Repeat("a", 101): false, "": false, "-a": false, "A": false, "export": false, "import": false} {
		var i validation
		if i.slug(slug); (len(i.Faults) == 0) != ok {
			t.Errorf("slug %q: %v", slug, i.Faults)
		}
	}
}
