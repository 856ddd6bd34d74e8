package template_test

import (
	"context"
	"fmt"

	"parley/internal/template"
)

func ExampleRender() {
	scope := template.Scope{"user": map[string]any{"name": "Ann {{user.secret}}"}}
	text, missing := template.Render("Hello {{user.name}}, your order is {{workflow.order.id}}.", scope)
	fmt.Println(text) // a value is never filled in again
	fmt.Println(missing)
	// Output:
	// Hello Ann {{user.secret}}, your order is .
	// [workflow.order.id]
}

func ExampleCompile() {
	condition, err := template.Compile(`user.plan in ["gold", "silver"] and {{workflow.people}} > 4`)
	if err != nil {
		fmt.Println(err)
		return
	}
	scope := template.Scope{
		"user":     map[string]any{"plan": "gold"},
		"workflow": map[string]any{"people": "6"}, // a text that holds a number compares as one
	}
	fmt.Println(condition.Holds(template.NewSteps(context.Background()), scope))
	_, err = template.Compile("user.plan == gold")
	fmt.Println(err)
	// Output:
	// true <nil>
	// names gold, but a condition sees only user, call, workflow, flags, vars, now, today
}
