package tool

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// place is the position of a template in a text.
var place = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// ownNumber reports whether the number of a transfer is independent of the language model and the caller: it is literal, or comes
// from the user context, and there not from the SIP headers of the caller (user.sip).
func (a Action) ownNumber() bool {
	for _, p := range place.FindAllStringSubmatch(a.PhoneNumber, -1) {
		if !strings.HasPrefix(p[1], "user.") || p[1] == "user.sip" || strings.HasPrefix(p[1], "user.sip.") || strings.HasPrefix(p[1], "user.sip[") {
			return false
		}
	}
	return !strings.Contains(place.ReplaceAllString(a.PhoneNumber, ""), "{{")
}

// allows reports whether a transfer to a number is permitted.
func (a Action) allows(number string) bool {
	if a.AllowedNumbers == nil {
		return a.ownNumber()
	}
	return slices.ContainsFunc(a.AllowedNumbers, func(allowed string) bool {
		if prefix, open := strings.CutSuffix(allowed, "*"); open {
			return strings.HasPrefix(number, prefix)
		}
		return number == allowed
	})
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
	if a.AllowedNumbers == nil && !a.ownNumber() {
		i.Warn(path+".allowed_numbers", "is missing: the language model has a part in phone_number, and no call will be transferred")
	}
}
