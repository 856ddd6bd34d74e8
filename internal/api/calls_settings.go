package api

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"parley/internal/call"
	"parley/internal/fault"
)

// CallSettings are the fields of a dispatch that apply to its call only. It is exported for the description, which has the fields of
// exported embedded structs.
type CallSettings struct {
	TrunkID               string `json:"trunk_id,omitempty" minLength:"1" maxLength:"100" doc:"Unique identifier of the SIP trunk that the number is dialled through. Only with call_type sip. Default: the tenant's default trunk." example:"019a3f5c-7b21-7c3e-8f50-0d6f3f6f3a11"`
	CallerID              string `json:"caller_id,omitempty" pattern:"^\\+[1-9][0-9]{1,14}$" doc:"Caller ID shown to the callee, in E.164 format. Through the platform's trunk, a number that is assigned to the tenant. Only with call_type sip. Default: the trunk's." example:"+4930123456"`
	RingTimeoutSeconds    int    `json:"ring_timeout_seconds,omitempty" minimum:"5" maximum:"120" doc:"How long the phone may ring, in seconds. Only with call_type sip. Default: the server's (45)." example:"30"`
	MaxDurationSeconds    int    `json:"max_duration_seconds,omitempty" minimum:"10" maximum:"86400" doc:"How long the call may be active, in seconds, at most what the server allows. Default: the server's." example:"600"`
	SilenceTimeoutSeconds int    `json:"silence_timeout_seconds,omitempty" minimum:"5" maximum:"3600" doc:"Silence of both sides that ends the call, in seconds. Default: the server's (300)." example:"60"`
	Greeting              string `json:"greeting,omitempty" minLength:"1" maxLength:"5000" doc:"Greeting of the call's first agent, in place of its own. May contain templates. Encrypted at rest." example:"Hello {{user.name}}, this is about your order."`
	GreetingMode          string `json:"greeting_mode,omitempty" enum:"speak,wait" doc:"Whether the first agent speaks at once, or waits for the first words of the caller (at most 10 s), which its greeting then answers. Default: speak." example:"wait"`
	MaxCost               string `json:"max_cost,omitempty" pattern:"^([1-9][0-9]{0,5}([.][0-9]{1,12})?|0[.][0-9]{0,5}[1-9][0-9]{0,6})$" doc:"Cost that ends the call, in the currency of the price list: the agent says a sentence, and the call ends with the reason budget. The lower one of this and the agent's counts." example:"0.50"`
	Recording             *bool  `json:"recording,omitempty" doc:"Whether the call is recorded, in place of the agents' own setting." example:"true"`
	Microphone            *bool  `json:"microphone,omitempty" doc:"Whether the caller has a microphone. With false, a caller who only writes, the conversation begins when they have joined; otherwise it waits up to 3 s for the microphone. Only with call_type voip. Default: true." example:"false"`
}

func (s CallSettings) settings() call.Settings {
	return call.Settings{TrunkID: s.TrunkID, CallerID: s.CallerID, RingSeconds: s.RingTimeoutSeconds, MaxSeconds: s.MaxDurationSeconds, SilentSeconds: s.SilenceTimeoutSeconds,
		Greeting: s.Greeting, GreetingMode: s.GreetingMode, Recording: s.Recording, MaxCost: s.MaxCost, Microphone: s.Microphone}
}

// faults returns the faults of settings that no schema says. notPhone is the message about those that apply to phone calls only, in a
// request for another call; "" in one for a phone call.
func (s CallSettings) faults(notPhone string) (details []fault.Detail) {
	if s.TrunkID != "" && (len(s.TrunkID) != uuidLength || uuid.Validate(s.TrunkID) != nil) {
		details = append(details, fault.Detail{Field: "trunk_id", Message: "must be a UUID"})
	}
	if notPhone == "" {
		if s.Microphone != nil {
			details = append(details, fault.Detail{Field: "microphone", Message: "is only for calls whose call_type is voip"})
		}
		return details
	}
	for _, setting := range []struct {
		field string
		given bool
	}{{"trunk_id", s.TrunkID != ""}, {"caller_id", s.CallerID != ""}, {"ring_timeout_seconds", s.RingTimeoutSeconds != 0}} {
		if setting.given && !slices.ContainsFunc(details, func(d fault.Detail) bool { return d.Field == setting.field }) {
			details = append(details, fault.Detail{Field: setting.field, Message: notPhone})
		}
	}
	return details
}

// uuidLength is that of the one form in which answers have them; package uuid reads others.
const uuidLength = 36

// checkDuration returns the fault of a call's duration beyond the installation's; nil if it is within, or not set.
func (s *Server) checkDuration(own call.Settings) error {
	if own.MaxSeconds == 0 || own.MaxDuration(s.deps.Calls.MaxDuration()) == time.Duration(own.MaxSeconds)*time.Second {
		return nil
	}
	most := int64(s.deps.Calls.MaxDuration() / time.Second)
	return fault.Invalid([]fault.Detail{{Field: "max_duration_seconds", Message: fmt.Sprintf("must be at most %d on this server", most)}})
}
