package sip

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/emiago/sipgo/sip"
)

// Caller is what the network says about the caller of an inbound call. Texts are "" if it does not say it.
type Caller struct {
	Number string // E.164; "" if withheld, or no number
	From   string // as the network wrote it: a number, extension or user; "" if withheld
	Name   string // display name
	// Verstat is the result of verifying the number's signature (STIR/SHAKEN): TN-Validation-Passed, TN-Validation-Failed or
	// No-TN-Validation. Attestation is what the originating carrier attests: A, B or C.
	Verstat, Attestation string
	Headers              map[string]string // those of headers_in that the INVITE has, by headerVariable
}

// maxCallerName limits a caller's display name, in characters.
const maxCallerName = 128

// verstatForm is a verstat parameter (3GPP TS 24.229 7.2A.20), with an attestation as some carriers add it.
var verstatForm = regexp.MustCompile(`(?i);\s*verstat\s*=\s*"?(TN-Validation-Passed|TN-Validation-Failed|No-TN-Validation)(?:-([ABC]))?(?:"|[;>@\s]|$)`)

// verstats are the canonical forms of values.
var verstats = []string{"TN-Validation-Passed", "TN-Validation-Failed", "No-TN-Validation"}

// callerOf returns what an INVITE says about its caller, to a route.
func callerOf(r *sip.Request, route InboundRoute) (c Caller) {
	from := r.From()
	var asserted sip.Uri
	var assertedParams sip.HeaderParams
	assertedName, err := sip.ParseAddressValue(headerText(r, "P-Asserted-Identity"), &asserted, &assertedParams)
	if err != nil {
		asserted, assertedName = sip.Uri{}, ""
	}
	if user := dialString(from.Address); !strings.EqualFold(user, anonymous) && !strings.EqualFold(from.Address.Host, anonymousHost) {
		c.From, c.Number = cleanText(user, maxDialString), E164(user, route.Country)
	}
	private := strings.ToLower(headerText(r, "Privacy"))
	if !strings.Contains(private, "id") && !strings.Contains(private, "user") && !strings.Contains(private, "header") {
		if c.Name = cleanText(assertedName, maxCallerName); c.Name == "" && c.From != "" {
			c.Name = cleanText(from.DisplayName, maxCallerName)
		}
	}
	c.Verstat, c.Attestation = verstatOf(asserted, assertedParams)
	if c.Verstat == "" {
		c.Verstat, c.Attestation = verstatOf(from.Address, from.Params)
	}
	if indicator := strings.ToUpper(headerText(r, "P-Attestation-Indicator")); indicator == "A" || indicator == "B" || indicator == "C" {
		c.Attestation = indicator
	}
	for _, name := range route.HeadersIn {
		if value := cleanText(headerText(r, name), MaxHeaderValue); value != "" {
			if c.Headers == nil {
				c.Headers = map[string]string{}
			}
			c.Headers[headerVariable(name)] = value
		}
	}
	return c
}

// headerText returns the value of a request's first header of a name; "" without one.
func headerText(r *sip.Request, name string) string {
	if h := r.GetHeader(name); h != nil {
		return strings.TrimSpace(h.Value())
	}
	return ""
}

// verstatOf returns the verstat and attestation of an identity header. A display name, which the caller chooses, does not count.
func verstatOf(address sip.Uri, params sip.HeaderParams) (verstat, attestation string) {
	m := verstatForm.FindStringSubmatch(address.String() + ";" + params.ToString(';'))
	if m == nil {
		return "", ""
	}
	for _, known := range verstats {
		if strings.EqualFold(known, m[1]) {
			verstat = known
		}
	}
	return verstat, strings.ToUpper(m[2])
}

// cleanText returns a text of the network without control characters and invalid UTF-8, on one line, cut to a limit in characters.
func cleanText(text string, most int) string {
	text = strings.ToValidUTF8(text, "")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }), " ")
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most])
	}
	return text
}
