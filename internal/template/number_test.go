package template

import "testing"

// Numbers of a context as a client wrote them.
const written = `{
	"user": {"big": 9007199254740993, "id": 1234567890123456789, "beyond": 123456789012345678901234567890, "tiny": 1e-400, "tinier": 1e-401,
		"huge": 1e400, "tenth": 0.1, "padded": 0.10, "scientific": 1E5, "minus": -0, "zero": 0.00, "price": 19.99, "negative": -9007199254740993,
		"absurd": 1e99999999999999999999, "half": -2.5, "list": [1E0, {"n": 1.0}], "index": 1.0, "third": 0.3333333333333333333333333},
	"flags": {"id": "9007199254740993"}
}`

func TestRenderKeepsDigits(t *testing.T) {
	scope := scopeOf(t, written)
	for text, want := range map[string]string{
		"{{user.big}} {{user.id}} {{user.beyond}}":                   "9007199254740993 1234567890123456789 123456789012345678901234567890",
		"{{user.tiny}} {{user.huge}} {{user.tenth}} {{user.padded}}": "1e-400 1e400 0.1 0.10",
		"{{user.scientific}} {{user.minus}} {{user.zero}}":           "1E5 -0 0.00",
		"{{user.list}}": `[1E0,{"n":1.0}]`,
	} {
		if got, missing := Render(text, scope); got != want || missing != nil {
			t.Errorf("%s renders %q, missing %v, want %q", text, got, missing, want)
		}
	}
}

func TestConditionsOverNumbers(t *testing.T) {
	scope := scopeOf(t, written)
	for expression, want := range map[string]bool{
		// Integers beyond 2^53 are compared with all their digits.
		`user.big == 9007199254740993`:                      true,
		`user.big == 9007199254740992`:                      false,
		`user.big != 9007199254740992`:                      true,
		`user.big > 9007199254740992`:                       true,
		`user.big < 9007199254740994`:                       true,
		`user.big >= 9007199254740994`:                      false,
		`user.negative < -9007199254740992`:                 true,
		`user.negative == -user.big`:                        true,
		`user.id == 1234567890123456789`:                    true,
		`user.id == 1234567890123456788`:                    false,
		`{{user.id}} in [1234567890123456788]`:              false,
		`user.beyond == 123456789012345678901234567890`:     true,
		`user.beyond == 123456789012345678901234567891`:     false,
		`user.beyond == -(-123456789012345678901234567890)`: true,
		`user.big == "9007199254740993"`:                    true,
		`user.big == "9007199254740992"`:                    false,
		`flags.id == 9007199254740992`:                      false,
		`flags.id == user.big`:                              true,
		`user.big == 9_007_199_254_740_993`:                 true,
		`user.big == 0x20000000000001`:                      true,
		`string(user.big) == "9007199254740993"`:            true,
		`"{{user.big}}/x" == "9007199254740993/x"`:          true,
		// However a number is written, its value counts.
		`user.scientific == 100000`:                  true,
		`user.scientific == "1e+05"`:                 true,
		`user.padded == user.tenth`:                  true,
		`user.tenth == 0.1`:                          true,
		`user.minus == 0`:                            true,
		`user.minus < 0`:                             false,
		`user.zero == user.minus`:                    true,
		`user.list[user.index].n == 1`:               true,
		`user.list[1] == user.list[1.0]`:             true,
		`user.list[0] == 1`:                          true,
		`user.third == 0.3333333333333333`:           false,
		`user.third == 0.33333333333333333333333330`: true,
		// Beyond the range of a double.
		`user.tiny`:                 true,
		`user.tiny > 0`:             true,
		`user.tiny > user.tinier`:   true,
		`user.tiny == 1e-400`:       true,
		`user.tiny == 1e-401`:       false,
		`user.huge > user.beyond`:   true,
		`user.absurd > user.huge`:   true,
		`-user.absurd < -user.huge`: true,
		`user.minus`:                false,
		`user.zero`:                 false,
		// Arithmetic is exact as long as it can be.
		`user.big + 1 == 9007199254740994`:         true,
		`user.big - 9007199254740992 == 1`:         true,
		`user.big * 2 == 18014398509481986`:        true,
		`user.big * 2 / 2 == user.big`:             true,
		`user.big % 10 == 3`:                       true,
		`user.tenth + 0.2 == 0.3`:                  true,
		`user.price * 3 == 59.97`:                  true,
		`-user.price % 1 == -0.99`:                 true,
		`1 / 3 > 0.333 and 1 / 3 < 0.334`:          true,
		`user.huge * user.huge > user.huge`:        true,
		`user.absurd * user.absurd >= user.absurd`: true,
		`2 ** 5000`:                   false,
		`user.big / 0`:                false,
		`user.big % 0`:                false,
		`user.absurd + user.tiny > 0`: false,
		`2 ** 10 == 1024`:             true,
		`int(user.big) == user.big and round(user.id) == user.id`:   true,
		`abs(user.negative) == user.big`:                            true,
		`floor(user.half) == -3 and ceil(user.half) == -2`:          true,
		`round(user.half) == -3 and int(user.half) == -2`:           true,
		`floor(0.999) == 0 and ceil(0.001) == 1`:                    true,
		`ceil(99.5) == 100 and round(-0.5) == -1`:                   true,
		`round(user.tiny) == 0 and ceil(user.tiny) == 1`:            true,
		`max(user.big, 9007199254740992) == user.big`:               true,
		`float("9007199254740993") == user.big`:                     true,
		`string(0.5 + 0.25) == "0.75" and string(10 * 10) == "100"`: true,
		// A text that is no number is none.
		`"Infinity" == user.huge`: false,
		`"0x10" == 16`:            false,
		`"" == 0`:                 false,
	} {
		c, err := Compile(expression)
		if err != nil {
			t.Errorf("Compile(%s): %v", expression, err)
			continue
		}
		if got := holds(t, c, scope); got != want {
			t.Errorf("%s holds: %v, want %v", expression, got, want)
		}
		holds(t, c, nil)
	}
}

// Names and quoted texts that hold digits stay as they are.
func TestLongDigitsThatAreNoLiterals(t *testing.T) {
	scope := Scope{"user": map[string]any{"x12345678901234567890": true, "12345678901234567890": "y", "t": "12345678901234567890"}}
	for _, expression := range []string{
		`user.x12345678901234567890`, `user["12345678901234567890"] == "y"`, `{{user.12345678901234567890}} == "y"`,
		`user.t == "12345678901234567890"`, `user.t == 12345678901234567890`, `user.t matches "^12345678901234567890$"`,
	} {
		if c, err := Compile(expression); err != nil || !holds(t, c, scope) {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

func FuzzDecimal(f *testing.F) {
	for _, seed := range []string{"9007199254740993", "-0", "1E5", "0.10", "1e-400", "99.95", ".5", "+7.", "111e99999999999999999999", "-0.01e-99999999999999999999"} {
		f.Add(seed, "0.1")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, ok := parseDecimal(a)
		if !ok {
			return
		}
		if again, ok := parseDecimal(x.value().String()); !ok || again != x {
			t.Errorf("%q is %v, which is read as %v", a, x.value(), again)
		}
		y, ok := parseDecimal(b)
		if !ok {
			return
		}
		if x.compare(y) != -y.compare(x) || (x.compare(y) == 0) != (x == y) {
			t.Errorf("%q and %q compare as %d and %d", a, b, x.compare(y), y.compare(x))
		}
		if sum, ok := exactly("+", x, y); ok {
			if back, ok := exactly("-", sum, y); ok && back != x {
				t.Errorf("%q + %q - %q is %v", a, b, b, back.value())
			}
		}
	})
}
