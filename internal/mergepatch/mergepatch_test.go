package mergepatch

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/fault"
)

// The test cases of RFC 7396, appendix A, and some numbers.
func TestApply(t *testing.T) {
	for _, test := range []struct{ document, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"a":9007199254740993}`, `{"b":0.10}`, `{"a":9007199254740993,"b":0.10}`},
	} {
		got, err := Apply([]byte(test.document), []byte(test.patch))
		if err != nil {
			t.Errorf("%s patched with %s: %v", test.document, test.patch, err)
			continue
		}
		if d := cmp.Diff(decoded(t, test.want), decoded(t, string(got))); d != "" {
			t.Errorf("%s patched with %s (-want +got):\n%s", test.document, test.patch, d)
		}
	}
}

func TestApplyRefusesWhatIsNoJSON(t *testing.T) {
	for _, texts := range [][2]string{{`{`, `{}`}, {`{}`, `{`}, {`{}`, ``}} {
		if got, err := Apply([]byte(texts[0]), []byte(texts[1])); err == nil {
			t.Errorf("%q patched with %q is %s, want an error", texts[0], texts[1], got)
		}
	}
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	value, err := decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestOnto(t *testing.T) {
	type thing struct {
		Name  string `json:"name"`
		Count *int   `json:"count,omitempty"`
		Inner struct {
			Flag bool `json:"flag"`
		} `json:"inner"`
	}
	three := 3
	before := thing{Name: "a", Count: &three}
	after := thing{Name: "of old"}
	if err := Onto(before, []byte(`{"name":null,"count":null,"inner":{"flag":true}}`), &after); err != nil {
		t.Fatal(err)
	}
	if after.Name != "of old" || after.Count != nil || !after.Inner.Flag || before.Name != "a" {
		t.Errorf("got %+v", after)
	}
	for patch, field := range map[string]string{`{`: "body", ``: "body", `[]`: "body", `{"name":1}`: "name", `{"inner":{"flag":"yes"}}`: "inner.flag"} {
		var wrong *fault.Error
		if err := Onto(before, []byte(patch), new(thing)); !errors.As(err, &wrong) || wrong.Code != fault.Validation || wrong.Details[0].Field != field {
			t.Errorf("patched with %q: %v, want a fault of %s", patch, err, field)
		}
	}
}
