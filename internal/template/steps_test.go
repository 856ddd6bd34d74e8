package template

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// hostile is the largest context that a request may bring, in shapes that cost most.
func hostile() Scope {
	words, numbers := make([]any, 8000), make([]any, 16_000)
	for i := range words {
		words[i] = fmt.Sprint(i)
	}
	for i := range numbers {
		numbers[i] = json.Number("1")
	}
	pair := map[string]any{strings.Repeat("k", 20_000): true}
	return Scope{"user": map[string]any{
		"words": words, "numbers": numbers, "text": strings.Repeat("a", 60_000), "line": strings.Repeat("a", maxMatchedLength),
		"n": json.Number(strings.Repeat("1", 28_000)), "m": json.Number(strings.Repeat("1", maxNumberLength)), "digits": strings.Repeat("1", maxNumberLength),
		"pair": pair, "pairs": []any{map[string]any{strings.Repeat("k", 20_000): false}, map[string]any{strings.Repeat("k", 20_000): false}},
	}}
}

// What a hostile condition costs is bounded, whatever it multiplies.
func TestStepsAreBounded(t *testing.T) {
	scope := hostile()
	for _, expression := range []string{
		strings.Repeat(`user.text+`, 45) + `user.text == "a"`,
		strings.Repeat(`user.words in [user.words, user.words, user.numbers] && false || `, 10) + `false`,
		strings.Repeat(`user.digits in user.numbers || `, 20) + `false`,
		`user.line matches "(a?){100}b"`,
		strings.Repeat(`user.pair in user.pairs || `, 20) + `false`,
		strings.Repeat(`"{{user.text}}x" == "a" || `, 45) + `false`,
		strings.Repeat(`string(user) == "a" || `, 20) + `false`,
		strings.Repeat(`lower(user.text) == "a" || `, 20) + `false`,
		strings.Repeat(`user[user.text] == 1 || `, 20) + `false`,
		strings.Repeat(`user.text contains user.line && false || `, 15) + `false`,
	} {
		c, err := Compile(expression)
		if err != nil {
			t.Errorf("Compile(%.60s): %v", expression, err)
			continue
		}
		steps, evaluations := NewSteps(t.Context()), 0
		for ; err == nil && evaluations < 200; evaluations++ {
			var holds bool
			if holds, err = c.Holds(steps, scope); holds {
				t.Errorf("%.60s holds", expression)
			}
		}
		if !errors.Is(err, ErrSteps) {
			t.Errorf("%.60s: %v after %d evaluations", expression, err, evaluations)
		}
	}
}

// A number of any length costs a list what it costs once, and one beyond maxNumberLength is none.
func TestLongNumbersInLists(t *testing.T) {
	for expression, most := range map[string]int{
		`user.n in user.numbers`: 40 * 16_000, `user.m in user.numbers`: 40 * 16_000, `user.n == user.m`: 100_000, `user.n > user.m`: 100_000, `user.n + 1 > 0`: 100_000,
	} {
		c, err := Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		steps := NewSteps(t.Context())
		if holds, err := c.Holds(steps, hostile()); holds || err != nil || MaxSteps-steps.left > most {
			t.Errorf("%s: %v, %v, %d steps", expression, holds, err, MaxSteps-steps.left)
		}
	}
}

// An evaluation ends with its context.
func TestStepsEndWithTheContext(t *testing.T) {
	c, err := Compile(strings.Repeat(`user.text contains "b" || `, 20) + `true`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	steps := NewSteps(ctx)
	cancel()
	if holds, err := c.Holds(steps, hostile()); holds || !errors.Is(err, context.Canceled) || MaxSteps-steps.left > 2*stepsPerCheck {
		t.Errorf("%v, %v, after %d steps", holds, err, MaxSteps-steps.left)
	}
}

func BenchmarkHostileCondition(b *testing.B) {
	scope := hostile()
	for _, expression := range []string{
		strings.Repeat(`user.digits in user.numbers || `, 20) + `false`, strings.Repeat(`user.numbers in [user.numbers, user.words] && false || `, 12) + "false",
		`user.line matches "(a?){100}b"`, strings.Repeat(`user.line matches "(a|aa|b*a)*[ab]{20}c" || `, 12) + `false`,
		strings.Repeat(`-(-(-(-user.m))) == 1 || `, 15) + "false", strings.Repeat(`"{{user.numbers}}x" == "a" || `, 40) + "false",
	} {
		c, err := Compile(expression)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(expression[:30], func(b *testing.B) {
			for b.Loop() {
				_, _ = c.Holds(NewSteps(b.Context()), scope)
			}
		})
	}
}
