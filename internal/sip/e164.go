package sip

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/emiago/sipgo/sip"
	"github.com/nyaruka/phonenumbers"
)

// digitsForm is a number without visual separators, international or not.
var digitsForm = regexp.MustCompile(`^\+?[0-9]+$`)

// separators are the visual separators of RFC 3966, and those that people write.
var separators = strings.NewReplacer("-", "", ".", "", "(", "", ")", "", " ", "", "/", "", "\u00a0", "")

// isCountry reports whether numbers of a country, ISO 3166 in upper case, can be read.
func isCountry(country string) bool { return phonenumbers.GetSupportedRegions()[country] }

// international returns the E.164 number that + and these digits are; "" for none. Numbers that libphonenumber does not know are kept
// as they are: whether one exists is the trunk's to say.
func international(digits string) string {
	number := "+" + digits
	if parsed, err := phonenumbers.Parse(number, ""); err == nil && phonenumbers.IsValidNumber(parsed) {
		number = phonenumbers.Format(parsed, phonenumbers.E164)
	}
	if !numberForm.MatchString(number) {
		return ""
	}
	return number
}

// national returns the E.164 number that a text is for who dials it in a country; "" if it is no valid number there.
func national(text, country string) string {
	parsed, err := phonenumbers.Parse(text, country)
	if err != nil || !phonenumbers.IsValidNumber(parsed) {
		return ""
	}
	return phonenumbers.Format(parsed, phonenumbers.E164)
}

// E164 reads a number as networks write it: with + or 00, or as it is dialled in the trunk's country, "" if that is not known. It
// returns "" if it is none, such as an extension.
func E164(text, country string) string {
	text = separators.Replace(text)
	if !digitsForm.MatchString(text) {
		return ""
	}
	digits, explicit := strings.CutPrefix(text, "+")
	if explicit {
		return international(digits)
	}
	if country != "" {
		if number := national(text, country); number != "" {
			return number
		}
	}
	if digits, explicit = strings.CutPrefix(text, "00"); explicit {
		return international(digits)
	}
	if country != "" { // of another country, without the + of its country code
		return national("+"+text, country)
	}
	return ""
}

// mayBeNumber reports whether a dialled text is long enough for a number, and not longer than one with a prefix.
func mayBeNumber(text string) bool {
	text = separators.Replace(text)
	return len(text) >= 7 && len(text) <= 20 && digitsForm.MatchString(text)
}

// dialledAs returns the E.164 numbers that a dialled text may mean on a trunk of a country, "" if that is not known. Unlike callers,
// who may be extensions, a number that was dialled is compared with known ones: it may lack its +, and is also compared as it stands.
func dialledAs(text, country string) (numbers []string) {
	text = separators.Replace(text)
	if !digitsForm.MatchString(text) {
		return nil
	}
	number := E164(text, country)
	if number != "" {
		numbers = append(numbers, number)
	}
	digits, explicit := strings.CutPrefix(text, "+")
	if !explicit && number != "" && !strings.HasPrefix(digits, "00") {
		return numbers
	}
	if literal := "+" + strings.TrimPrefix(digits, "00"); literal != number && numberForm.MatchString(literal) {
		numbers = append(numbers, literal)
	}
	return numbers
}

// spellings are the texts without + that reach a number on a trunk of a country.
func spellings(number, country string) (texts []string) {
	candidates := []string{strings.TrimPrefix(number, "+")}
	if parsed, err := phonenumbers.Parse(number, ""); err == nil {
		short := phonenumbers.GetNationalSignificantNumber(parsed)
		prefix := phonenumbers.GetNddPrefixForRegion(country, true)
		candidates = append(candidates, short, prefix+short)
	}
	for _, text := range candidates {
		if !slices.Contains(texts, text) && slices.Contains(dialledAs(text, country), number) {
			texts = append(texts, text)
		}
	}
	return texts
}

// readNumber returns the number that a customer wrote in E.164, or what is wrong with it. country is that of the trunk, "" if it is
// not known.
func readNumber(text, country string) (number, problem string) {
	plain := separators.Replace(text)
	digits, explicit := strings.CutPrefix(plain, "+")
	switch {
	case !digitsForm.MatchString(plain):
		return "", numberHint
	case explicit:
		if number = international(digits); number == "" {
			return "", numberHint
		}
		return number, ""
	case country == "":
		return "", "is ambiguous without a country: begin it with + and the country code, such as +4930123456, or set default_country of the trunk"
	}
	if number = national(plain, country); number == "" {
		return "", fmt.Sprintf("is no number in %s, the trunk's default_country: begin it with + and the country code, such as +4930123456", country)
	}
	return number, ""
}

// maxDialString limits the user part of an address that is kept, in bytes.
const maxDialString = 128

// dialString returns whom a SIP or tel address names: the user, or the number, without parameters. The phone-context of a local
// number (RFC 3966) completes it if it is the beginning of an international one. It returns "" for an address of unusual length.
func dialString(address sip.Uri) string {
	text := address.User
	if address.Scheme == "tel" {
		text = address.Raw()
	}
	text, rest, _ := strings.Cut(text, ";")
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	for parameter := range strings.SplitSeq(rest, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(name, "phone-context") && strings.HasPrefix(value, "+") && !strings.HasPrefix(text, "+") {
			text = separators.Replace(value) + text
		}
	}
	if len(text) > maxDialString {
		return ""
	}
	return text
}
