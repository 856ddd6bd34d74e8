// Package hook asks a tenant's backend about a call before it begins: who calls, which agent answers, or whether to reject it.
package hook

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"parley/internal/fault"
	"parley/internal/netguard"
)

// CallHook is the request that a phone number, a workflow or an agent makes before its calls.
type CallHook struct {
	URL       string `json:"url" minLength:"1" maxLength:"2048" doc:"URL that is asked with POST, https. Templates are not filled in." example:"https://example.com/parley/call"`
	TimeoutMS int    `json:"timeout_ms,omitempty" minimum:"100" maximum:"4000" doc:"Timeout of the answer, in milliseconds. Default: 1500." example:"1500"`
	OnFailure string `json:"on_failure,omitempty" enum:"default,reject" doc:"What happens without a valid answer. default: the call begins as it would without the hook; reject: it is rejected. Default: default." example:"default"`
}

// The values of CallHook.OnFailure.
const (
	OnFailureDefault = "default"
	OnFailureReject  = "reject"
)

// Limits of hooks and their answers.
const (
	maxURL         = 2048 // bytes
	minTimeout     = 100  // milliseconds
	maxTimeout     = 4000 // milliseconds: the caller hears the phone ring meanwhile
	defaultTimeout = 1500 * time.Millisecond
	maxAnswer      = 256 << 10 // bytes
	maxContext     = 64 << 10  // bytes of user_context and of metadata, as of a dispatch
	maxGreeting    = 100_000   // characters, as of an agent
	maxName        = 100       // bytes of a slug or an agent's name
)

// Faults returns the errors in a hook, with the path of its field.
func (h *CallHook) Faults(path string) (faults []fault.Detail) {
	if h == nil {
		return nil
	}
	add := func(field, message string) {
		faults = append(faults, fault.Detail{Field: path + "." + field, Message: message})
	}
	switch {
	case h.URL == "":
		add("url", "is required")
	case len(h.URL) > maxURL:
		add("url", "is too long")
	default:
		// Whether private addresses are permitted is checked when the hook is asked.
		if problem := netguard.CheckURL(h.URL, true); problem != "" {
			add("url", problem)
		}
	}
	if h.TimeoutMS != 0 && (h.TimeoutMS < minTimeout || h.TimeoutMS > maxTimeout) {
		add("timeout_ms", fmt.Sprintf("must be from %d to %d", minTimeout, maxTimeout))
	}
	if h.OnFailure != "" && !slices.Contains([]string{OnFailureDefault, OnFailureReject}, h.OnFailure) {
		add("on_failure", "must be one of default, reject")
	}
	return faults
}

func (h *CallHook) timeout() time.Duration {
	if h.TimeoutMS == 0 {
		return defaultTimeout
	}
	return time.Duration(h.TimeoutMS) * time.Millisecond
}

// Question is the body of the request.
type Question struct {
	CallID    string  `json:"call_id"`
	Direction string  `json:"direction"`
	CallType  string  `json:"call_type"`
	From      *string `json:"from"` // E.164, or as the network wrote it; null if withheld
	To        *string `json:"to"`   // the number that was dialled, E.164
	// SIPHeaders are those of the trunk's headers_in that the INVITE has.
	SIPHeaders  map[string]string `json:"sip_headers"`
	UserContext json.RawMessage   `json:"user_context,omitempty"` // of a dispatch
	Metadata    json.RawMessage   `json:"metadata,omitempty"`     // of a dispatch
}

// Answer is what the backend says about the call. Empty fields change nothing.
type Answer struct {
	UserContext  json.RawMessage `json:"user_context"` // a JSON object, merged into that of the dispatch
	Metadata     json.RawMessage `json:"metadata"`     // a JSON object, merged likewise
	WorkflowSlug string          `json:"workflow_slug"`
	AgentName    string          `json:"agent_name"`
	Greeting     string          `json:"greeting"`
	Reject       *Rejection      `json:"reject"`
}

// Rejection is the backend's wish that a call does not begin.
type Rejection struct {
	SIPStatus int `json:"sip_status"` // of a phone call: 400 to 699; 603 if 0
}

// Sets returns the names of the fields that an answer has.
func (a Answer) Sets() (names []string) {
	for _, field := range []struct {
		name string
		set  bool
	}{
		{"user_context", a.UserContext != nil}, {"metadata", a.Metadata != nil}, {"workflow_slug", a.WorkflowSlug != ""},
		{"agent_name", a.AgentName != ""}, {"greeting", a.Greeting != ""}, {"reject", a.Reject != nil},
	} {
		if field.set {
			names = append(names, field.name)
		}
	}
	return names
}
