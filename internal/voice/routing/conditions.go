package routing

import (
	"context"
	"fmt"

	"parley/internal/template"
)

// conditions evaluates the conditions of one routing decision over the same data, each once, all within
// template.MaxSteps.
type conditions struct {
	router *Router
	scope  template.Scope
	steps  *template.Steps
	known  map[string]bool // results
}

func (r *Router) conditions() *conditions {
	return &conditions{r, r.fullScope(), template.NewSteps(context.Background()), map[string]bool{}}
}

// evaluate reports whether a condition holds; empty is the result without one. One that cannot be evaluated is false
// and is reported by Warnings, once in a call.
func (c *conditions) evaluate(condition string, empty bool) bool {
	if condition == "" {
		return empty
	}
	holds, known := c.known[condition]
	if !known {
		compiled, err := c.router.compile(condition)
		if err == nil {
			holds, err = compiled.Holds(c.steps, c.scope)
		}
		if err != nil {
			c.router.reportCondition(condition, err)
		}
		c.known[condition] = holds
	}
	return holds
}

// compile compiles a condition of the plan, once in a call.
func (r *Router) compile(condition string) (*template.Condition, error) {
	compiled, known := r.compiled[condition]
	if !known {
		var err error
		if compiled, err = template.Compile(condition); err != nil {
			return nil, err
		}
		r.compiled[condition] = compiled
	}
	return compiled, nil
}

// maxShown is how much of a condition a warning repeats, in characters.
const maxShown = 100

// reportCondition adds a warning about a condition that cannot be evaluated.
func (r *Router) reportCondition(condition string, err error) {
	if !r.reportedConditions[condition] {
		r.reportedConditions[condition] = true
		r.brokenConditions = append(r.brokenConditions, fmt.Sprintf("the condition %.*s is taken as false: it %v", maxShown, condition, err))
	}
}
