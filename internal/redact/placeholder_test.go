package redact

import (
	"slices"
	"testing"
)

// A value has one placeholder, however it is said and written, also where it goes on in the next turn.
func TestPlaceholders(t *testing.T) {
	var p Placeholders
	said := []string{
		"My card is four two four two 4242 4242 4242.", "Call me at 030 1234567.", "That was 030 1234567, or plus 49 89 7654321.",
		"Write to john dot smith at example dot com", "My card is 5555 5555", "5555 4444, please", "The order is 4711003.",
		"The IBAN is de 89 3704 0044 0532 0130 00", "Again: DE89370400440532013000.", "It is D E eight nine 3704 0044",
	}
	want := []string{
		"My card is [card_1].", "Call me at [phone_1].", "That was [phone_1], or plus [phone_2].",
		"Write to [email_1]", "My card is [card_2]", "[card_2], please", "The order is 4711003.",
		"The IBAN is [iban_1]", "Again: [iban_1].", "It is D E eight nine 3704 0044",
	}
	for range 2 { // the second time with all of them known
		if got := p.Replace(said); !slices.Equal(got, want) {
			for n := range want {
				if got[n] != want[n] {
					t.Errorf("%q became %q, want %q", said[n], got[n], want[n])
				}
			}
		}
	}
	for _, tc := range [][2]string{
		{"To [email_1] with [card_1] and [card_9].", "To john.smith@example.com with 4242424242424242 and [card_9]."},
		{"[PHONE_1] [iban_1]", "030 1234567 de89370400440532013000"},
		{"[card_2]", "5555 5555 5555 4444"},
	} {
		if got := p.Restore(tc[0]); got != tc[1] {
			t.Errorf("%q became %q, want %q", tc[0], got, tc[1])
		}
	}
	if got := string(p.RestoreJSON([]byte(`{"to": "[email_1]", "n": 1}`))); got != `{"to": "john.smith@example.com", "n": 1}` {
		t.Error(got)
	}
	answer := `{"customer": "+49301234567", "branch": "+49 30 9999999", "card": "4242424242424242", "order": "0301234567"}`
	if got, want := p.ReplaceKnown(answer), `{"customer": "+[phone_1]", "branch": "+49 30 9999999", "card": "[card_1]", "order": "[phone_1]"}`; got != want && got != `{"customer": "[phone_1]", "branch": "+49 30 9999999", "card": "[card_1]", "order": "[phone_1]"}` {
		t.Error(got)
	}
	var other Placeholders
	other.Add(p.List())
	if got := other.Replace([]string{"030 1234567 and +1 415 555 2671"}); got[0] != "[phone_1] and [phone_3]" {
		t.Error(got)
	}
}

// Digits that are said once for several, and numbers that go on over three turns.
func TestPlaceholdersOfSpeech(t *testing.T) {
	var p Placeholders
	got := p.Replace([]string{"call me on oh seven seven double oh nine double oh one two three", "my number is", "415 555", "26", "71.", "it is a double room for 2"})
	want := []string{"call me on [phone_1]", "my number is", "[phone_2]", "[phone_2]", "[phone_2].", "it is a double room for 2"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := p.Restore("[phone_1] [phone_2]"); got != "07700900123 415 555 26 71" {
		t.Errorf("%q", got)
	}
}

// Spans are those of the text alone, in bytes.
func TestSpans(t *testing.T) {
	for _, tc := range []struct {
		before, text string
		want         []string
	}{
		{"", "when do you open", nil},
		{"call me", "für 030 1234567, oder john at example dot com, bitte", []string{"030 1234567", "john at example dot com"}},
		{"my card is 5555 5555", "5555 4444, please", []string{"5555 4444"}},
		{"call 030 1234567", "do you hear [phone_0] me", nil},
	} {
		var got []string
		for _, span := range Spans(tc.before, tc.text) {
			got = append(got, tc.text[span[0]:span[1]])
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%q: %q, want %q", tc.text, got, tc.want)
		}
	}
}

// What may become personal data with the next words is recognised before.
func TestMayGrow(t *testing.T) {
	for text, want := range map[string]bool{"": false, "when do you open": false, "my card is 4242": true, "four two": true, "john at": true, "a@": true} {
		if MayGrow(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}

func TestIBAN(t *testing.T) {
	for text, want := range map[string]string{
		"GB82 WEST 1234 5698 7654 32 is mine":       "[iban] is mine",
		"my account, NL91ABNA0417164300.":           "my account, [iban].",
		"de 12 a 15 personas":                       "de 12 a 15 personas",
		"It is AT61 1904 3002 3457 3201 and thanks": "It is [iban] and thanks",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// A recogniser's end marks within a number do not keep it from being found.
func TestNumbersWithEndMarks(t *testing.T) {
	for said, want := range map[string]string{
		"My phone number is 415. 555. 2671.":                                   "My phone number is [phone_1].",
		"My phone number is four one five. Five five five. Two six seven one.": "My phone number is [phone_1].",
		"My card is 4111. 1111. 1111. 1111.":                                   "My card is [card_1].",
		"My number is 4155552671. 3 tickets please.":                           "My number is [phone_1]. 3 tickets please.",
	} {
		if got := new(Placeholders).Replace([]string{said}); got[0] != want {
			t.Errorf("%q is %q, want %q", said, got[0], want)
		}
		if len(Spans("", said)) == 0 {
			t.Errorf("%q has no span", said)
		}
	}
}
