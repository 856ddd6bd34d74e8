package tool

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// place is the position of a template in a text.
var place = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// isOwn reports whether the target of a transfer is independent of the language model and the caller: it is literal, or comes
// from the user context, and there not from the SIP headers of the caller (user.sip).
func isOwn(target string) bool {
	for _, p := range place.FindAllStringSubmatch(target, -1) {
		if !strings.HasPrefix(p[1], "user.") || p[1] == "user.sip" || strings.HasPrefix(p[1], "user.sip.") || strings.HasPrefix(p[1], "user.sip[") {
			return false
		}
	}
	return !strings.Contains(place.ReplaceAllString(target, ""), "{{")
}

// allows reports whether a transfer to a number is permitted, which the text of a target has led to.
func (a Action) allows(target, number string) bool {
	if a.AllowedNumbers == nil {
		return isOwn(target)
	}
	return slices.ContainsFunc(a.AllowedNumbers, func(allowed string) bool {
		if prefix, open := strings.CutSuffix(allowed, "*"); open {
			return strings.HasPrefix(number, prefix)
		}
		return number == allowed
	})
}

// hasOwnTargets reports whether all targets of a transfer are independent of the language model and the caller.
func (a Action) hasOwnTargets() bool {
	return !slices.ContainsFunc(a.targets(), func(target string) bool { return !isOwn(target) })
}

func (i *validation) allowedNumbers(path string, a Action) {
	if i.Count(path+".allowed_numbers", len(a.AllowedNumbers), MaxAllowed) {
		for n, allowed := range a.AllowedNumbers {
			i.form(fmt.Sprintf("%s.allowed_numbers[%d]", path, n), allowed, allowedForm, "must be an E.164 number, or the beginning of one with * behind it, such as +4930*")
			if allowed == "" {
				i.Fault(fmt.Sprintf("%s.allowed_numbers[%d]", path, n), "must not be empty")
			}
		}
	}
	if a.AllowedNumbers == nil && !a.hasOwnTargets() {
		i.Warn(path+".allowed_numbers", "is missing: the language model has a part in whom to dial, and no call will be transferred there")
	}
}

// transfer has the call transferred after the answer.
func (u *run) transfer(a Action, f filled) {
	if a.dials() {
		u.connect(a, f)
		return
	}
	switch {
	case u.call.Phone == nil:
		u.impossible(a, "The call cannot be transferred: it is no phone call.")
	case u.isAllowed(a, a.PhoneNumber, f.number, numberForm.MatchString):
		u.next(Next{Action: TransferCall, Number: f.number, Message: f.message})
	}
}

// connect has a person dialled after the answer.
func (u *run) connect(a Action, f filled) {
	if !u.call.DialsPersons {
		u.warn("%s is not possible: nobody can be dialled here", a.Type)
		u.answers = append(u.answers, "The call cannot be transferred: nobody can be dialled here.")
		return
	}
	for n, target := range a.targets() {
		if AgentTarget(target) == "" && !u.isAllowed(a, target, f.targets[n], isTarget) {
			return
		}
	}
	u.next(Next{Action: TransferCall, Number: f.targets[0], Message: f.message, Transfer: a.transferTo(f.targets, f.headers, f.summary)})
}

// defaultSeconds is how long a person's phone rings, and how long the person may consider.
const defaultSeconds = 30

// isAllowed reports whether a filled target may be dialled; otherwise the model and the error log get the reason.
func (u *run) isAllowed(a Action, target, number string, hasForm func(string) bool) bool {
	switch {
	case !hasForm(number):
		u.fail("%s: what %s leads to is no E.164 number", a.Type, target)
		u.answers = append(u.answers, "The call cannot be transferred: the number is not valid.")
	case !a.allows(target, number):
		u.fail("%s: what %s leads to is none of allowed_numbers", a.Type, target)
		u.answers = append(u.answers, "The call cannot be transferred: the number is not one of those that are allowed.")
	default:
		return true
	}
	return false
}
