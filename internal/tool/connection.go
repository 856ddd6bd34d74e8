package tool

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"parley/internal/fault"
	"parley/internal/transfer"
)

// Limits of a transfer to a person.
const (
	MaxTargets     = 5
	MinRing        = 5   // seconds
	MaxRing        = 120 // seconds
	MinAccept      = 5   // seconds
	MaxAccept      = 120 // seconds
	MaxSummary     = 2000
	MaxSIPHeaders  = 20
	maxHeaderBytes = 1024
)

// The values of Connection.CallerID.
const (
	OwnCallerID     = "own"    // the trunk's
	CallersCallerID = "caller" // the caller's number
)

// The values of Connection.After.
const (
	AfterLeave  = "leave"  // the agent hears nothing of what caller and person say
	AfterListen = "listen" // it writes down what both say
)

// AutoSummary has the agent's language model write the summary.
const AutoSummary = "auto"

// Connection is how transfer_call connects the caller with a person whose phone is dialled into the call. The trunk has no part in it
// besides the call to the person.
type Connection struct {
	Mode          transfer.Mode `json:"mode,omitempty" enum:"refer,bridge,announce,consult" doc:"For transfer_call: how the caller is handed over. refer: the trunk of a phone call connects it with the number; the call ends. bridge: the person is dialled into the call, and connected once they have answered. announce: the person hears summary first. consult: the person hears summary and accepts with key 1 or in words, or declines with key 2 or in words. Default: refer." example:"consult"`
	To            []string      `json:"to,omitzero" minItems:"1" maxItems:"5" doc:"For transfer_call in another mode than refer, in place of phone_number: up to five phone numbers in E.164 format, or SIP URIs of a trunk with allow_uris, which are dialled one after the other until one accepts; agent: and the name of an agent hands the caller over to that agent." example:"[\"+4930123456\",\"agent:night-desk\"]"`
	RingSeconds   *int          `json:"ring_seconds,omitempty" minimum:"5" maximum:"120" doc:"For transfer_call in another mode than refer: how long each phone rings, in seconds. Default: 30." example:"30"`
	AcceptSeconds *int          `json:"accept_seconds,omitempty" minimum:"5" maximum:"120" doc:"For transfer_call in mode consult: how long the person may consider after the summary, in seconds. Default: 30." example:"30"`
	CallerID      string        `json:"caller_id,omitempty" enum:"own,caller" doc:"For transfer_call in another mode than refer: number that the person sees: own (the trunk's) or caller (the caller's, where the trunk allows it). Default: own." example:"own"`
	After         string        `json:"after,omitempty" enum:"leave,listen" doc:"For transfer_call in another mode than refer: what the agent does once caller and person are connected. leave: it hears nothing of them. listen: it is silent and goes on with the transcript, of what both say. Default: leave." example:"listen"`
	Summary       string        `json:"summary,omitempty" maxLength:"2000" doc:"For transfer_call in the modes announce and consult: what the person hears, a text with templates, or auto for a summary by the language model; with page also in mode bridge: what the page shows. Default: auto." example:"auto"`
	Page          bool          `json:"page,omitempty" doc:"For transfer_call in another mode than refer: make a page with the summary, the live transcript and the user_context for each person who is dialled; webhooks with filter.include_page carry its link, which opens it once within 15 minutes." example:"true"`
}

// Transfer is a transfer to a person, with its templates filled in.
type Transfer struct {
	Mode     transfer.Mode
	Targets  []string // E.164 numbers, SIP URIs, or agents (AgentTarget)
	Ring     time.Duration
	Accept   time.Duration
	CallerID string // OwnCallerID or CallersCallerID
	After    string // AfterLeave or AfterListen
	Headers  map[string]string
	Summary  string // AutoSummary, or a text
	Page     bool   // each person gets a page
}

// ParseTransfer returns the transfer of a transfer_call with this mode and these targets, whose texts are not templates. The error is a
// validation error.
func ParseTransfer(a Action, mode string, to []string) (*Next, error) {
	a.Type, a.Mode = TransferCall, transfer.Mode(mode)
	var i validation
	switch {
	case a.dials():
		a.To = to
	case len(to) == 1:
		a.PhoneNumber = to[0]
	default:
		i.Fault("to", "must have one item with mode refer")
	}
	i.literal("message", a.Message)
	i.literal("summary", a.Summary)
	for n, target := range to {
		i.literal(fmt.Sprintf("to[%d]", n), target)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Headers)) {
		i.literal("headers."+name, a.Headers[name])
	}
	if len(i.Faults) == 0 {
		i.connection("", a)
	}
	for n := range i.Faults {
		f := &i.Faults[n]
		f.Field, f.Message = strings.TrimPrefix(f.Field, "."), strings.TrimSuffix(f.Message, ", or a template")
		if f.Field == "phone_number" {
			f.Field = "to[0]"
		}
	}
	if err := fault.Invalid(i.Faults); err != nil {
		return nil, err
	}
	next := &Next{Action: TransferCall, Number: to[0], Message: a.Message}
	if a.dials() {
		next.Transfer = a.transferTo(to, a.Headers, a.summaryText())
	}
	return next, nil
}

// literal checks that a text is no template.
func (i *validation) literal(path, text string) {
	if strings.Contains(text, "{{") {
		i.Fault(path, "must not contain templates")
	}
}

// transferTo returns the action's transfer to a person, with its templates filled in.
func (a Action) transferTo(targets []string, headers map[string]string, summary string) *Transfer {
	return &Transfer{Mode: a.Mode, Targets: targets, Ring: duration(a.RingSeconds, defaultSeconds), Accept: duration(a.AcceptSeconds, defaultSeconds),
		CallerID: cmp.Or(a.CallerID, OwnCallerID), After: cmp.Or(a.After, AfterLeave), Headers: headers, Summary: summary, Page: a.Page}
}

// dials reports whether the action dials a person instead of asking the trunk for a transfer.
func (a Action) dials() bool { return a.Mode != "" && a.Mode != transfer.Refer }

// targets returns whom the action dials, as templates.
func (a Action) targets() []string {
	if a.To != nil {
		return a.To
	}
	return []string{a.PhoneNumber}
}

// uriForm is the form of the SIP URIs of targets; the trunk has a part in what is allowed.
var uriForm = regexp.MustCompile(`^(?i:sip):[A-Za-z0-9.+_-]{1,64}@([A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:.]+\])(:[0-9]{1,5})?$`)

// AgentTarget returns the agent to whom a target hands the caller over; "" for a target that is dialled.
func AgentTarget(target string) (agent string) {
	agent, found := strings.CutPrefix(target, agentPrefix)
	if !found {
		return ""
	}
	return agent
}

const agentPrefix = "agent:"

// isTarget reports whether a text is an E.164 number or a SIP URI.
func isTarget(text string) bool { return numberForm.MatchString(text) || uriForm.MatchString(text) }

// summaryText returns the summary's template.
func (a Action) summaryText() string {
	if a.Summary == "" {
		return AutoSummary
	}
	return a.Summary
}

// connection checks the fields of a transfer by its mode.
func (i *validation) connection(path string, a Action) {
	switch {
	case a.Mode != "" && !transfer.IsMode(string(a.Mode)):
		i.Fault(path+".mode", "must be one of refer, bridge, announce, consult")
		return
	case !a.dials():
		i.referral(path, a)
		return
	case a.To == nil && a.PhoneNumber == "":
		i.Fault(path+".to", "is required, or phone_number")
	case a.To != nil && a.PhoneNumber != "":
		i.Fault(path+".to", "takes the place of phone_number: give one of them")
	case a.To != nil && len(a.To) == 0:
		i.Fault(path+".to", "must have at least one item")
	}
	if i.Count(path+".to", len(a.To), MaxTargets) {
		for n, to := range a.To {
			at := fmt.Sprintf("%s.to[%d]", path, n)
			if agent := AgentTarget(to); agent != "" {
				i.form(at, agent, agentForm, "must have the name of an agent behind "+agentPrefix)
				i.targets = append(i.targets, target{at, agent})
				continue
			}
			i.person(at, to)
		}
	}
	if a.PhoneNumber != "" {
		i.person(path+".phone_number", a.PhoneNumber)
	}
	i.seconds(path+".ring_seconds", a.RingSeconds, MinRing, MaxRing)
	i.seconds(path+".accept_seconds", a.AcceptSeconds, MinAccept, MaxAccept)
	if a.AcceptSeconds != nil && a.Mode != transfer.Consult {
		i.Fault(path+".accept_seconds", "is only for mode consult")
	}
	if a.Summary != "" && a.Mode == transfer.Bridge && !a.Page {
		i.Fault(path+".summary", "is only for the modes announce and consult, or with page")
	}
	i.Text(path+".summary", a.Summary, MaxSummary)
	i.template(path+".summary", a.Summary)
	if a.CallerID != "" && a.CallerID != OwnCallerID && a.CallerID != CallersCallerID {
		i.Fault(path+".caller_id", "must be own or caller")
	}
	if a.After != "" && a.After != AfterLeave && a.After != AfterListen {
		i.Fault(path+".after", "must be leave or listen")
	}
	i.sipHeaders(path+".headers", a.Headers)
}

// referral checks a transfer by the trunk.
func (i *validation) referral(path string, a Action) {
	if a.PhoneNumber == "" {
		i.Fault(path+".phone_number", "is required")
	} else if !strings.Contains(a.PhoneNumber, "{{") {
		i.form(path+".phone_number", a.PhoneNumber, numberForm, "must be an E.164 number such as +4930123456, or a template")
	}
	i.template(path+".phone_number", a.PhoneNumber)
	for _, field := range []struct {
		name  string
		given bool
	}{
		{"to", a.To != nil}, {"ring_seconds", a.RingSeconds != nil}, {"accept_seconds", a.AcceptSeconds != nil}, {"caller_id", a.CallerID != ""}, {"after", a.After != ""},
		{"summary", a.Summary != ""}, {"headers", a.Headers != nil}, {"page", a.Page},
	} {
		if field.given {
			i.Fault(path+"."+field.name, "is not for mode refer")
		}
	}
}

// person checks a target.
func (i *validation) person(path, target string) {
	if !strings.Contains(target, "{{") && !isTarget(target) {
		i.Fault(path, "must be an E.164 number such as +4930123456, a SIP URI such as sip:alice@pbx.example, or a template")
	}
	i.template(path, target)
}

func (i *validation) seconds(path string, value *int, from, to int) {
	if value != nil && (*value < from || *value > to) {
		i.Fault(path, "must be from %d to %d", from, to)
	}
}

// sipHeaders checks the headers of an INVITE to a person.
func (i *validation) sipHeaders(path string, headers map[string]string) {
	if len(headers) > MaxSIPHeaders {
		i.Fault(path, "must have at most %d entries", MaxSIPHeaders)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		at, value := path+"."+name, headers[name]
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			i.Fault(at, "is not a header name")
		case !strings.HasPrefix(strings.ToLower(name), "x-") && !strings.EqualFold(name, "User-to-User"):
			i.Fault(at, "must begin with X-, or be User-to-User")
		case len(value) > maxHeaderBytes:
			i.Fault(at, "must have at most %d bytes", maxHeaderBytes)
		case !httpguts.ValidHeaderFieldValue(value):
			i.Fault(at, "must not hold control characters")
		default:
			i.template(at, value)
		}
	}
}

// duration returns optional seconds.
func duration(seconds *int, otherwise int) time.Duration {
	if seconds != nil {
		otherwise = *seconds
	}
	return time.Duration(otherwise) * time.Second
}
