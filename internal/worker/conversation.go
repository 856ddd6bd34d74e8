package worker

import (
	"context"
	"time"

	"parley/internal/call"
	"parley/internal/voice"
)

// newConversation creates the voice session of the call's plan.
func (s *session) newConversation(ctx context.Context) (*conversation, error) {
	p, err := s.w.plans.decode(s.call.PlanHash, s.call.Plan)
	if err != nil {
		return nil, voice.Problem{Service: voice.Workflow, Critical: true, Message: err.Error(), At: time.Now()}
	}
	s.plan, s.call.Plan = p, nil
	s.recorder.configure(*p, s.settings.Recording)
	user, err := s.w.options.Calls.UserContext(s.call)
	if err != nil {
		return nil, err
	}
	line := newLine(&s.recorder)
	s.line = line
	options := voice.Options{
		Plan: *p, Line: line, Providers: s.meter.of(s.w.options.Providers(ctx, s.call.TenantID)), Journal: s.journal, Tools: s.w.options.Tools, UserContext: user, Call: callFacts(s.call), SaveSnapshot: s.journal.saveSnapshot,
		Listener: newListener(s.w.options.VADModel), SilenceTimeout: s.settings.SilenceTimeout(s.w.options.SilenceTimeout), Log: s.log,
		Controls: s.controls, Spent: s.spent, Greeting: s.settings.Greeting, GreetingWaits: s.settings.GreetingMode == call.GreetingWaits,
	}
	if s.w.options.Sounds != nil {
		options.Sounds = sounds{s.w.options.Sounds, s.call.TenantID}
	}
	if s.recorder.redacts {
		options.Recording = &s.recorder
	}
	if s.w.options.ToolTenant != nil {
		options.Tenant = s.w.options.ToolTenant(s.call.TenantID)
	}
	options.DetectAnswer = s.isOutbound() && s.call.AnsweredBy == nil
	if s.call.CallType == call.SIP {
		options.Phone = leg{s, line}
	}
	options.Persons = &persons{s: s, line: line}
	if err := s.resumeConversation(ctx, &options); err != nil {
		return nil, err
	}
	session, err := voice.New(options)
	language, _ := user["language"].(string)
	return &conversation{session, line, language}, err
}

// callFacts returns what templates see of a call.
func callFacts(c *call.Call) voice.CallFacts {
	text := func(field *string) string {
		if field == nil {
			return ""
		}
		return *field
	}
	started := c.StartedAt
	if started.IsZero() { // it becomes active now
		started = time.Now()
	}
	return voice.CallFacts{
		ID: c.ID, Direction: c.Direction, Type: c.CallType, StartedAt: started, Metadata: c.Metadata,
		PhoneNumber: text(c.PhoneNumber), From: text(c.From), CallerName: text(c.CallerName), Verstat: text(c.Verstat), Attestation: text(c.Attestation), Trunk: text(c.Trunk),
	}
}

// conversation is a voice session with its line.
type conversation struct {
	*voice.Session
	line           *line
	callerLanguage string // "" if it is not known
}
