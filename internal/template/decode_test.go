package template

import "testing"

func TestDecode(t *testing.T) {
	value, err := Decode([]byte(` {"a": [9007199254740993, 1e-400, -0, 1E5, "x", null, true]} `))
	if err != nil || Text(value) != `{"a":[9007199254740993,1e-400,-0,1E5,"x",null,true]}` {
		t.Errorf("decoded %s, %v", Text(value), err)
	}
	for _, text := range []string{``, `{`, `1 2`, `{} x`, `1]`, `01`} {
		if value, err := Decode([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, value)
		}
	}
	if object, err := DecodeObject([]byte(`null`)); err != nil || object != nil {
		t.Errorf("null is %v, %v", object, err)
	}
	for _, text := range []string{`[]`, `1`, `"{}"`, `{`} {
		if object, err := DecodeObject([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, object)
		}
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[2]}`, ` {"b": [2.0], "a": 1e0}`, true},
		{`9007199254740993`, `9007199254740992`, false},
		{`1e-400`, `0`, false},
		{`-0`, `0.0`, true},
		{`1`, `"1"`, false},
		{`[{"b":1,"a":"1"}]`, `[{"a":"1","b":1.0}]`, true},
		{`100000000000000000000`, `1e20`, true},
		{`1e21`, `1e+21`, true},
		{`1`, `true`, false},
		{`null`, `null`, true},
		{`{"a":null}`, `{"b":null}`, false},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`[1]`, `[1,2]`, false},
		{`[1]`, `{}`, false},
		{`{`, `{`, true},
		{`{`, `{}`, false},
		{`{}`, `{`, false},
	} {
		if got := Same([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s and %s are the same: %v", c.a, c.b, got)
		}
	}
}

func TestPlainAndWholeNumbers(t *testing.T) {
	for text, want := range map[string]struct {
		plain string
		whole bool
	}{
		"1E5": {"100000", true}, "0.10": {"0.1", false}, "-0": {"0", true}, "9007199254740993": {"9007199254740993", true}, "-12.50": {"-12.5", false},
		"3.0": {"3", true}, "1e-400": {"1e-400", false}, "1e400": {"1e400", true}, "9007199254740993.5": {"9007199254740993.5", false},
	} {
		if plain, ok := PlainNumber(text); !ok || plain != want.plain || WholeNumber(text) != want.whole {
			t.Errorf("%s is %s, whole: %v", text, plain, WholeNumber(text))
		}
	}
	for _, text := range []string{"", "x", "1x", "-", ".", "1e", "0x1", "Inf", "NaN", "1_0", "1 "} {
		if _, ok := PlainNumber(text); ok || WholeNumber(text) {
			t.Errorf("%q is a number", text)
		}
	}
}
