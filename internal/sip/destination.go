package sip

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/emiago/sipgo/sip"
	"github.com/nyaruka/phonenumbers"
)

var (
	// extensionForm is the form of extensions: too short for a number, and none of the codes with which networks are configured.
	extensionForm = regexp.MustCompile(`^[1-9][0-9]{0,6}$`)
	// uriForm is the form of SIP URIs that are dialled: nothing but user, host and port.
	uriForm = regexp.MustCompile(`^(?i:sip):([A-Za-z0-9.+_-]{1,64})@([A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:.]+\])(?::([0-9]{1,5}))?$`)
)

// Destination returns whom the phone_number of a dispatch names: a number in E.164, or, if the trunk allows it, an extension or SIP
// URI; or what is wrong with it. A URI whose user is a number is that number, so that the rules of numbers hold for it. The host of
// a URI is the trunk's address or from_domain.
func (r OutboundRoute) Destination(text string) (destination, problem string) {
	text = strings.TrimSpace(text)
	user, isURI := text, false
	if scheme, _, ok := strings.Cut(text, ":"); ok && strings.EqualFold(scheme, "sip") {
		m := uriForm.FindStringSubmatch(text)
		switch {
		case !r.AllowURIs:
			return "", "is a SIP URI, which allow_uris of the trunk does not allow"
		case m == nil:
			return "", "must be a SIP URI such as sip:alice@pbx.example, without parameters"
		case !r.serves(m[2], m[3]):
			return "", "must be at the trunk's address or from_domain"
		}
		user, isURI = m[1], true
	}
	plain := separators.Replace(user)
	switch {
	case isURI && !digitsForm.MatchString(plain):
		return "sip:" + text[len("sip:"):], ""
	case r.AllowURIs && extensionForm.MatchString(plain) && national(plain, r.country()) == "":
		if isEmergency(plain, r.country()) {
			return "", "is an emergency number, which may not be dialled"
		}
		if isURI {
			return "sip:" + text[len("sip:"):], ""
		}
		return plain, ""
	}
	return readNumber(user, r.country())
}

// Referred returns whom a Refer-To names, as Destination does. The host of a number or an extension does not matter: exchanges write
// their own there, or this machine's.
func (r OutboundRoute) Referred(target sip.Uri) (destination, problem string) {
	dialled := dialString(target)
	if number := E164(dialled, r.country()); number != "" {
		return number, ""
	}
	if !digitsForm.MatchString(separators.Replace(dialled)) {
		dialled = "sip:" + dialled + "@" + target.Host
		if target.Port != 0 {
			dialled += ":" + strconv.Itoa(target.Port)
		}
	}
	return r.Destination(dialled)
}

// serves reports whether a SIP URI's host and port are those of the trunk.
func (r OutboundRoute) serves(host, port string) bool {
	own, ownPort := r.hostPort()
	same := func(other string) bool {
		return strings.EqualFold(strings.TrimSuffix(host, "."), strings.TrimSuffix(other, "."))
	}
	if !same(uriHost(own)) && !same(valueOrEmpty(r.FromDomain)) {
		return false
	}
	return port == "" || port == strconv.Itoa(int(portOf(ownPort, r.Transport)))
}

// internationalEmergency are emergency numbers that networks of many countries connect.
var internationalEmergency = []string{"112", "911"}

// isEmergency reports whether a short number is an emergency number, of a country if it is known. Networks connect one once it is
// complete and ignore further digits.
func isEmergency(number, country string) bool {
	return slices.ContainsFunc(internationalEmergency, func(known string) bool { return strings.HasPrefix(number, known) }) ||
		country != "" && phonenumbers.ConnectsToEmergencyNumber(number, country)
}

// target returns the request URI of a destination; the host is the trunk's unless the destination is a URI.
func (d DialRequest) target() (sip.Uri, *DialError) {
	host, port := d.Trunk.hostPort()
	to := sip.Uri{Scheme: "sip", User: d.Number, Host: uriHost(host), Port: int(port)}
	if strings.HasPrefix(d.Number, "+") {
		return to, nil
	}
	if again, problem := d.Trunk.Destination(d.Number); problem != "" || again != d.Number { // the trunk has changed since the dispatch
		return to, &DialError{Cause: InvalidNumber, Detail: fmt.Sprintf("The trunk does not allow this destination: it %s.", problem)}
	}
	if m := uriForm.FindStringSubmatch(d.Number); m != nil {
		to.User, to.Host = m[1], m[2]
		to.Port, _ = strconv.Atoi(m[3]) // 0 for none
	}
	return to, nil
}
