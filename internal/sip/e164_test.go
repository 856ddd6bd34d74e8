package sip

import (
	"slices"
	"testing"

	"github.com/emiago/sipgo/sip"
)

// Callers' numbers are read by the rules of the trunk's country. What is no number, such as an extension, stays none.
func TestE164(t *testing.T) {
	for _, test := range []struct{ text, country, want string }{
		{"+4930123456", "", "+4930123456"},
		{"004930123456", "", "+4930123456"},
		{"+49-30-(123)456", "", "+4930123456"},
		{"+49 30 123/456", "", "+4930123456"},
		{"+49 (0) 30 123456", "", "+4930123456"},
		{"+4930000000", "", "+4930000000"}, // unknown to libphonenumber: the trunk says whether it exists
		{"4930123456", "", ""},             // an extension, for all that is known
		{"4155551234", "", ""},
		{"4155551234", "US", "+14155551234"},
		{"14155551234", "US", "+14155551234"},
		{"(415) 555-1234", "US", "+14155551234"},
		{"0114930123456", "US", "+4930123456"},
		{"004930123456", "US", "+4930123456"},
		{"4930123456", "US", "+4930123456"},
		{"1001234", "US", ""},
		{"1001", "US", ""},
		{"5551234", "US", ""}, // without the area code
		{"030123456", "DE", "+4930123456"},
		{"4930123456", "DE", "+4930123456"},
		{"14155551234", "DE", "+14155551234"},
		{"0612345678", "IT", "+390612345678"}, // the zero belongs to the number
		{"anonymous", "US", ""},
		{"1800FLOWERS", "US", ""},
		{"", "US", ""},
		{"+", "", ""},
		{"+0123456789", "", ""},
		{"+493012345678901234", "", ""},
	} {
		if got := E164(test.text, test.country); got != test.want {
			t.Errorf("%q in %q: got %q, want %q", test.text, test.country, got, test.want)
		}
	}
}

// The number of an INVITE is found with or without its +, and in the form of the trunk's country.
func TestDialledNumber(t *testing.T) {
	for _, test := range []struct {
		text, country string
		want          []string
	}{
		{"+14155550100", "", []string{"+14155550100"}},
		{"+14155550100", "DE", []string{"+14155550100"}},
		{"14155550100", "", []string{"+14155550100"}},
		{"0014155550100", "", []string{"+14155550100"}},
		{"4155550100", "", []string{"+4155550100"}},
		{"4155550100", "US", []string{"+14155550100"}},
		{"4930987654", "US", []string{"+4930987654"}},
		{"+49030123456", "", []string{"+4930123456", "+49030123456"}}, // stored as it was written
		{"1001", "US", nil},
		{"alice", "US", nil},
	} {
		if got := dialledAs(test.text, test.country); !slices.Equal(got, test.want) {
			t.Errorf("%q in %q: got %q, want %q", test.text, test.country, got, test.want)
		}
	}
}

func TestSpellings(t *testing.T) {
	for _, test := range []struct {
		number, country string
		want            []string
	}{
		{"+14155550100", "US", []string{"14155550100", "4155550100"}},
		{"+14155550100", "", []string{"14155550100"}},
		{"+4155550100", "", []string{"4155550100"}},
		{"+4155550100", "US", nil}, // such a text means a number of the USA there
		{"+4930123456", "DE", []string{"4930123456", "30123456", "030123456"}},
	} {
		if got := spellings(test.number, test.country); !slices.Equal(got, test.want) {
			t.Errorf("%s in %q: got %q, want %q", test.number, test.country, got, test.want)
		}
	}
}

// Numbers of requests are stored in E.164. One that could mean two is refused.
func TestReadNumber(t *testing.T) {
	const ambiguous = "is ambiguous without a country: begin it with + and the country code, such as +4930123456, or set default_country of the trunk"
	for _, test := range []struct{ text, country, want, problem string }{
		{"+4930123456", "", "+4930123456", ""},
		{"+49 (0)30 123456", "US", "+4930123456", ""},
		{"4155550100", "US", "+14155550100", ""},
		{"(415) 555-0100", "US", "+14155550100", ""},
		{"4155550100", "", "", ambiguous},
		{"004930123456", "", "", ambiguous},
		{"1001", "US", "", "is no number in US, the trunk's default_country: begin it with + and the country code, such as +4930123456"},
		{"alice", "US", "", numberHint},
		{"+12", "US", "", numberHint},
		{"", "", "", numberHint},
	} {
		if got, problem := readNumber(test.text, test.country); got != test.want || problem != test.problem {
			t.Errorf("%q in %q: got %q, %q", test.text, test.country, got, problem)
		}
	}
}

func TestDialString(t *testing.T) {
	for text, want := range map[string]string{
		"sip:+14155551234@a.example":                            "+14155551234",
		"sip:+14155551234;verstat=x;ext=9@a.example;user=phone": "+14155551234",
		"sip:%2B14155551234@a.example":                          "+14155551234",
		"tel:+1-415-555-1234;ext=99;isub=7":                     "+1-415-555-1234",
		"tel:4155551234;phone-context=+1":                       "+14155551234",
		"tel:555-1234;isub=7;phone-context=+1-415":              "+1415555-1234",
		"tel:7042;phone-context=pbx.example":                    "7042",
		"sip:alice@pbx.example":                                 "alice",
		"sip:a.example":                                         "",
	} {
		var address sip.Uri
		if err := sip.ParseUri(text, &address); err != nil {
			t.Fatal(err)
		}
		if got := dialString(address); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
