package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/hook"
	"parley/internal/mergepatch"
)

// Hooks asks the tenants' backends about calls before they begin. Its errors are worded for the tenant.
type Hooks interface {
	Ask(ctx context.Context, tenantID string, h hook.CallHook, q hook.Question) (hook.Answer, error)
}

// hookService is the service of call hooks in the error log.
const hookService = "call_hook"

const (
	sipDecline     = 603 // the backend rejects a call without a status
	sipUnavailable = 480 // a hook fails whose on_failure is reject
)

// hookOutcome is what a call hook made of a request.
type hookOutcome struct {
	asked    bool
	problem  *ErrorItem // nil for a valid answer
	rejected int        // SIP status; 0 for a call that begins
}

// decide asks the hook of a request, if it has one, and loads the plan of what the hook answers. A web call has the hook of its workflow or
// agent, an inbound phone call that of its number, an outbound one none. A web call that is rejected is a conflict; service_unavailable if
// the hook failed.
func (s *Service) decide(ctx context.Context, r *Request) (p loadedPlan, err error) {
	own := r.Hook
	if r.CallType == VoIP {
		if p, err = s.readPlan(ctx, *r); err != nil {
			return p, err
		}
		own = p.hook(*r)
	}
	if own == nil || s.options.Hooks == nil {
		if r.CallType != VoIP {
			p, err = s.readPlan(ctx, *r)
		}
		return p, err
	}
	changed := *r
	problem, err := s.askHook(ctx, &changed, *own)
	if err != nil {
		return p, err
	}
	if problem == "" {
		p, err = s.readPlan(ctx, changed)
		if problem = missingTarget(*r, changed, err); problem == "" {
			*r = changed
			return p, err
		}
	}
	if err := r.hookFailed(*own, problem); err != nil {
		return p, err
	}
	return s.readPlan(ctx, *r)
}

// missingTarget returns why the workflow or agent that a hook has chosen cannot take the call; "" for any other error, and none.
func missingTarget(before, changed Request, err error) string {
	var coded *fault.Error
	if before.WorkflowSlug == changed.WorkflowSlug && before.AgentName == changed.AgentName || !errors.As(err, &coded) ||
		coded.Code != fault.NotFound && coded.Code != fault.Conflict {
		return ""
	}
	return "answered with a workflow or agent that cannot take the call: " + coded.Message
}

// hook returns the hook of the request's workflow or agent; nil for none.
func (l loadedPlan) hook(r Request) *hook.CallHook {
	if l.workflow != nil {
		return l.workflow.Config.CallHook
	}
	return l.Agents[r.AgentName].CallHook
}

// askHook asks a hook and applies its answer to the request. A problem is why there is no valid answer.
func (s *Service) askHook(ctx context.Context, r *Request, own hook.CallHook) (problem string, err error) {
	q := hook.Question{CallID: r.id, Direction: Inbound, CallType: r.CallType, From: r.PhoneNumber, SIPHeaders: r.InviteHeaders}
	if q.From == nil {
		q.From = r.Caller.From
	}
	if r.Inbound {
		q.To = &r.Dialled
	} else {
		q.UserContext, q.Metadata = r.UserContext, r.Metadata
	}
	answer, err := s.options.Hooks.Ask(ctx, r.TenantID, own, q)
	if ctx.Err() != nil {
		return "", fmt.Errorf("ask a call hook: %w", ctx.Err())
	}
	if err != nil {
		return err.Error(), nil //nolint:nilerr // it is the problem
	}
	return "", r.applyHook(answer)
}

// applyHook applies the valid answer of a hook.
func (r *Request) applyHook(answer hook.Answer) (err error) {
	r.hooked = hookOutcome{asked: true}
	if reject := answer.Reject; reject != nil {
		if r.CallType == VoIP {
			return fault.New(fault.Conflict, "the call hook rejected the call")
		}
		r.hooked.rejected = sipDecline
		if reject.SIPStatus != 0 {
			r.hooked.rejected = reject.SIPStatus
		}
	}
	if r.UserContext, err = merged(r.UserContext, answer.UserContext); err != nil {
		return err
	}
	if r.Metadata, err = merged(r.Metadata, answer.Metadata); err != nil {
		return err
	}
	if answer.WorkflowSlug != "" || answer.AgentName != "" {
		r.WorkflowSlug, r.AgentName, r.Config = answer.WorkflowSlug, answer.AgentName, nil
	}
	if answer.Greeting != "" {
		r.Settings.Greeting = answer.Greeting
	}
	return nil
}

// merged returns an object with the changes of a hook, a JSON Merge Patch.
func merged(object, changes json.RawMessage) (json.RawMessage, error) {
	if changes == nil {
		return object, nil
	}
	if object == nil {
		object = json.RawMessage("{}")
	}
	patched, err := mergepatch.Apply(object, changes)
	if err != nil {
		return nil, fmt.Errorf("merge the answer of a call hook: %w", err)
	}
	return patched, nil
}

// hookFailed applies what the hook says about its failure.
func (r *Request) hookFailed(own hook.CallHook, problem string) error {
	message, level := "the call hook failed: "+problem, LevelWarning
	if own.OnFailure == hook.OnFailureReject {
		if r.CallType == VoIP {
			return fault.Later(fault.ServiceUnavailable, retryAfter, "%s", message)
		}
		r.hooked.rejected, level = sipUnavailable, LevelError
	}
	r.hooked.asked, r.hooked.problem = true, &ErrorItem{Service: hookService, Level: level, Message: message}
	return nil
}

// writeHook records what a hook did, in the transaction of the call's dispatch. A call that it rejects ends.
func (s *Service) writeHook(ctx context.Context, tx database.Tx, c *Call, hooked hookOutcome) error {
	if !hooked.asked {
		return nil
	}
	records := Records{Incidents: []Incident{{Type: HookAnswered, CreatedAt: tx.Now()}}}
	if hooked.problem != nil {
		problem := *hooked.problem
		problem.CreatedAt = tx.Now()
		records = Records{Incidents: []Incident{{Type: HookFailed, CreatedAt: tx.Now()}}, Errors: []ErrorItem{problem}}
	}
	if err := s.writeRecords(ctx, tx, c, records); err != nil {
		return fmt.Errorf("record a call hook: %w", err)
	}
	if hooked.rejected == 0 {
		return nil
	}
	c.SIPStatus = &hooked.rejected
	return s.endCall(ctx, tx, c, HookRejected)
}
