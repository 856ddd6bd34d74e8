package template

import (
	"runtime"
	"strings"
	"testing"
)

// holds evaluates a condition, whose steps must suffice.
func holds(t testing.TB, c *Condition, scope Scope) bool {
	t.Helper()
	got, err := c.Holds(NewSteps(t.Context()), scope)
	if err != nil {
		t.Error(err)
	}
	return got
}

func TestConditionHolds(t *testing.T) {
	scope := scopeOf(t, someone)
	for _, test := range []struct {
		expression string
		want       bool
	}{
		// Paths, bare and in braces.
		{`flags.verified`, true},
		{`{{user.none | "gold"}} == "gold"`, true},
		{`{{user.plan | "silver"}} == "gold"`, true},
		{`"{{user.none | 'gold'}}" == user.plan`, true},
		{`{{flags.verified}}`, true},
		{`{{ flags.verified }} and {{ user.vip }}`, true},
		{`{{ flags.verified && user.age > 30 }}`, true},
		{`{{user.first-name}} == "Augusta"`, true},
		{`{{user.orders[1].id}} == 8`, true},
		{`{{user.orders.1.id}} == 8`, true},
		{`user.orders[1].id == 8`, true},
		{`user.orders[params.index].id == 8`, true},
		{`user?.address?.city == "Köln"`, true},
		{`user["plan"] == 'gold'`, true},
		{`"{{user.plan}}" == "gold"`, true},
		{`"{{user.plan}}/{{user.age}}" == "gold/36"`, true},
		{`"{{user.evil}}" startsWith "{{"`, true},

		// What is missing is false, at any depth, compared or not.
		{`flags.none`, false},
		{`{{flags.none}}`, false},
		{`user.none.deeper.still`, false},
		{`user.name.not.an.object`, false},
		{`user.orders[9].id`, false},
		{`user.orders[-1].id == 8`, false},
		{`user.nothing`, false},
		{`user.none > 3`, false},
		{`user.none < 3`, false},
		{`3 >= user.none.deeper`, false},
		{`user.none == "gold"`, false},
		{`user.none.deeper == 0`, false},
		{`user.none == false`, true},
		{`user.none == nil`, true},
		{`user.none == null`, true},
		{`user.none != "gold"`, true},
		{`not flags.none`, true},
		{`!flags.none.deeper`, true},
		{`flags.none or user.vip`, true},
		{`user.none > 3 || user.vip`, true},
		{`user.none + 1 > 0`, false},
		{`-user.none < 1`, false},
		{`len(user.none) == 0`, true},
		{`lower(user.none) == "x"`, false},
		{`user.none in ["a"]`, false},
		{`"a" in user.none`, false},
		{`user.none contains "a"`, false},
		{`user.none matches "a"`, false},
		{`(user.none ?? "gold") == "gold"`, true},
		{`user.none ? true : user.vip`, true},
		{`"{{user.none}}" == "gold"`, false},

		// Truth.
		{`user.name`, true},
		{`user.debt`, false},
		{`user.age`, true},
		{`user.empty`, false},
		{`user.orders`, true},
		{`user.address`, true},
		{`flags.refused`, false},
		{`flags.written`, false},
		{`not flags.written`, true},
		{`"0"`, false},
		{`""`, false},
		{`true`, true},

		// Operators.
		{`user.age == 36 and user.age != 37`, true},
		{`user.age >= 36 and user.age <= 36`, true},
		{`user.age / 0`, false},
		{`(user.age + 4) * 2 == 80 and user.age % 5 == 1 and 2 ** 3 == 8 and 2 ^ 3 == 8`, true},
		{`18 < user.age < 65`, true},
		{`user.balance == 12.5`, true},
		{`workflow.score > 5`, true},
		{`workflow.score == 7`, true},
		{`workflow.score == "7"`, true},
		{`flags.written == false`, true},
		{`user.plan == "gold" or user.plan == "silver"`, true},
		{`user.plan in ["silver", "gold"]`, true},
		{`user.plan not in ["silver", "gold"]`, false},
		{`"city" in user.address`, true},
		{`user.name contains "d" and user.name startsWith "A" and user.name endsWith "a"`, true},
		{`user.name matches "^[A-Z]da$"`, true},
		{`not (user.name matches "x")`, true},
		{`upper(user.plan) == "GOLD" and trim(" a ") == "a" and len(user.orders) == 2 and len("Köln") == 4`, true},
		{`int("3") == 3 and float("1.5") == 1.5 and string(3) == "3" and abs(-2) == 2`, true},
		{`min(3, 1, 2) == 1 and max(user.age, 40) == 40 and round(1.5) == 2 and ceil(1.2) == 2 and floor(1.8) == 1`, true},
		{`user.plan | upper() == "GOLD"`, true},
		{`user.vip ? user.age > 30 : false`, true},
		{`if user.vip { user.age > 30 } else { false }`, true},
		{`user.name > 3`, false},
		{`user.orders == [1]`, false},
		{`[1, "a"] == [1, "a"]`, true},
		{`user.address > user.orders`, false},
	} {
		c, err := Compile(test.expression)
		if err != nil {
			t.Errorf("Compile(%s): %v", test.expression, err)
			continue
		}
		if got := holds(t, c, scope); got != test.want {
			t.Errorf("%s holds: %v, want %v", test.expression, got, test.want)
		}
		holds(t, c, nil) // must not panic where everything is missing
	}
}

func TestCompileRefuses(t *testing.T) {
	for expression, reason := range map[string]string{
		``:                                 "is empty",
		`  `:                               "is empty",
		`user.`:                            "unexpected",
		`user.age >`:                       "unexpected",
		`(user.age`:                        "unexpected",
		`{{user.age`:                       "without",
		`user.age }} > 3`:                  "unexpected",
		`customer.vip`:                     "names customer",
		`{{customer.vip}}`:                 "names customer",
		`"{{customer.vip}}" == "x"`:        "names customer",
		`env("PATH")`:                      "calls env",
		`all(user.orders, #.id > 1)`:       "calls all",
		`filter(user.orders, true)`:        "calls filter",
		`map(1..100000000, # * 2)`:         "calls map",
		`1..100000000`:                     "operator ..",
		`repeat("a", 100000000)`:           "calls repeat",
		`let x = user.name; x + x == "aa"`: "variables",
		`user.age; user.name`:              "variables",
		`user.orders[0:1]`:                 "slices",
		`{"a": 1}`:                         "object literals",
		`user.name.upper()`:                "method",
		`len()`:                            "0 arguments",
		`len(1, 2)`:                        "2 arguments",
		`user.name matches user.plan`:      "quoted pattern",
		`user.name matches "{{user.x}}"`:   "quoted pattern",
		`user.name matches "("`:            "bad pattern",
		`user.name matches "x{900}"`:       "too large",
		`user.name matches "` + strings.Repeat("a{1000}", 250) + `"`:                       "too large",
		`user.name matches "(` + strings.Repeat("a", 1900) + `){1000}"`:                    "too large",
		`user.name matches "(?i)` + strings.Repeat(`[\\pL\\PN]`, 11) + `"`:                 "too large",
		strings.Repeat(`user.name matches "`+strings.Repeat("a", 60)+`" || `, 9) + "false": "too large",
		`user.name matches "` + strings.Repeat("a*", 501) + `"`:                            "too large",
		strings.Repeat("a", 2001):       "longer than 2000",
		strings.Repeat("1+", 200) + "1": "nodes",
	} {
		if _, err := Compile(expression); err == nil {
			t.Errorf("Compile(%.60s) succeeded", expression)
		} else if !strings.Contains(err.Error(), reason) {
			t.Errorf("Compile(%.60s): %q does not say %q", expression, err, reason)
		}
	}
}

// A pattern is measured before anything is built from it.
func TestHugePatternsAreNotCompiled(t *testing.T) {
	for _, pattern := range []string{strings.Repeat("a{1000}", 250), "(" + strings.Repeat("a", 1900) + "){1000}", "(?i)" + strings.Repeat(`[\\pL\\PN]`, 150)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Compile(`user.x matches "` + pattern + `"`)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; err == nil || used > 2<<20 {
			t.Errorf("%.20s: %v, with %d bytes", pattern, err, used)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{`{{user.age}} > 3 and "x" in user.tags`, `user["a"][0]?.b ?? 3`, `{{'}}`, `len(user.a) ? 1 : [2]`, `"\{{`} {
		f.Add(seed)
	}
	scope := scopeOf(f, someone)
	f.Fuzz(func(t *testing.T, expression string) {
		if c, err := Compile(expression); err == nil {
			if first := holds(t, c, scope); holds(t, c, scope) != first {
				t.Errorf("%q holds and does not", expression)
			}
		}
	})
}
