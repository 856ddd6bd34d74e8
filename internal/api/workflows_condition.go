package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/template"
)

type evaluateConditionIn struct {
	Body struct {
		Condition string `json:"condition" minLength:"1" maxLength:"2000" doc:"Condition: an expression over user, call, workflow, flags and vars." example:"user.age >= 18"`
		Context   object `json:"context,omitempty" doc:"Sample context with user, call, workflow and flags; also vars, in place of the tenant's variables, and now, a time (RFC 3339). At most 64 KiB." example:"{\"user\":{\"age\":30}}"`
	}
}

type conditionBody struct {
	Holds    bool     `json:"holds" doc:"Whether the condition is true in the context." example:"true"`
	Warnings []string `json:"warnings" doc:"Possible mistakes in the accepted request." example:"[]"`
}

func (s *Server) registerConditions() {
	wire.Register(s.router, wire.Operation{
		ID: "evaluate-condition", Method: http.MethodPost, Unaudited: true, Path: "/api/v1/workflows/evaluate-condition", Tag: "Workflows", Scope: "workflows:read",
		Summary:     "Evaluate a condition",
		Description: "Returns the result that a call with this context would get. Nothing is stored.",
	}, s.evaluateCondition)
}

func (s *Server) evaluateCondition(ctx context.Context, who auth.Principal, in *evaluateConditionIn) (*wire.Answer[conditionBody], error) {
	var faults []fault.Detail
	condition, err := template.Compile(in.Body.Condition)
	if err != nil {
		faults = append(faults, fault.Detail{Field: "condition", Message: err.Error()})
	}
	scope := template.Scope{}
	if size := len(in.Body.Context); size > maxContext {
		faults = append(faults, fault.Detail{Field: "context", Message: fmt.Sprintf("has %d bytes, at most %d are allowed", size, maxContext)})
	} else if in.Body.Context != nil {
		sample, err := template.DecodeObject(in.Body.Context)
		if err != nil {
			faults = append(faults, fault.Detail{Field: "context", Message: "must be an object"})
		}
		maps.Copy(scope, sample)
	}
	delete(scope, "params") // empty in the conditions of a workflow
	if err := fault.Invalid(faults); err != nil {
		return nil, err
	}
	if err := s.addSettings(ctx, who, scope); err != nil {
		return nil, err
	}
	holds, err := condition.Holds(template.NewSteps(ctx), scope)
	if errors.Is(err, template.ErrSteps) {
		return nil, fault.Invalid([]fault.Detail{{Field: "condition", Message: err.Error()}})
	} else if err != nil {
		return nil, fmt.Errorf("evaluate a condition: %w", err)
	}
	return wire.NewAnswer(conditionBody{holds, append([]string{}, condition.Warnings()...)}), nil
}
