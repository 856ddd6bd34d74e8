package redact_test

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"parley/internal/redact"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// Phone numbers
		{"call +15551234567 now", "call [phone] now"},
		{"It's +1 (555) 123-4567.", "It's [phone]."},
		{"+49 (0) 170 1234567", "[phone]"},
		{"+49-170-1234567 oder +49 170 7654321", "[phone] oder [phone]"},
		{"0049 170 1234567", "[phone]"},
		{"meine Nummer ist 0170 1234567", "meine Nummer ist [phone]"},
		{"0170/1234567", "[phone]"},
		{"(030) 1234567", "[phone]"},
		{"06 12 34 56 78", "[phone]"},
		{"06.12.34.56.78", "[phone]"},
		{"020 7946 0958 is ours", "[phone] is ours"},
		{"415-555-1234", "[phone]"},
		{"(415) 555-1234", "[phone]"},
		{"(4155551234)", "([phone])"},
		{"415.555.1234", "[phone]"},
		{"4155551234", "[phone]"},
		{"1-415-555-1234", "[phone]"},
		{"555-1234", "[phone]"},
		{"my number is 5551234", "my number is [phone]"},
		{"You can reach me at 6123 4567", "You can reach me at [phone]"},
		{"612 345 678", "[phone]"},
		{"4 1 5 5 5 5 1 2 3 4", "[phone]"},
		{"it is 4 1 5, 5 5 5, 1 2 3 4.", "it is [phone]."},
		{"four one five five five five one two three four", "[phone]"},
		{"null eins sieben null eins zwei drei vier fünf sechs sieben", "[phone]"},
		{"seis uno dos tres cuatro cinco seis siete ocho", "[phone]"},
		{"415 555 1234 10 minutes", "[phone] 10 minutes"},
		{"电话13812345678号", "电话[phone]号"},
		{"٠١٧٠١٢٣٤٥٦٧", "[phone]"},
		{"＋４９１７０１２３４５６７", "[phone]"},
		{"415\u00a0555\u20111234", "[phone]"},
		{"My order is late. Call me at 415 555 1234", "My order is late. Call me at [phone]"},
		{"0170 1234567 / 0171 7654321", "[phone] / [phone]"},
		{"tel:+4915112345678", "tel:[phone]"},

		// E-mail addresses
		{"write to jane.doe+x@mail.example.co.uk.", "write to [email]."},
		{"<jane@example.com>,bob@example.org", "<[email]>,[email]"},
		{"müller@bücher.example", "[email]"},
		{"邮箱是zhang@example.com。", "邮箱是[email]。"},
		{"john dot smith at example dot com", "[email]"},
		{"it's j o h n at gmail dot com", "it's [email]"},
		{"John Punkt Schmidt ät Beispiel Punkt de", "[email]"},
		{"jane_doe at example.com please", "[email] please"},
		{"john at example hyphen shop dot co dot uk", "[email]"},

		// Card numbers
		{"4111 1111 1111 1111", "[card]"},
		{"4111-1111-1111-1111 thanks", "[card] thanks"},
		{"4111111111111111", "[card]"},
		{"3782 822463 10005", "[card]"},
		{"it is 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "it is [card]"},
		{"4111 1111, 1111 1111", "[card]"},
		{"4111 1111 1111 1111 12 27 123", "[card]"},
		{"order 4111111111111111", "order [card]"},
		{"four one one one one one one one one one one one one one one one", "[card]"},
		{"4222222222222", "[card]"},
		{"６０１１ １１１１ １１１１ １１１７", "[card]"},

		// None of them
		{"4111 1111 1111 1112", "4111 1111 1111 1112"},
		{"0000 0000 0000 0000", "0000 0000 0000 0000"},
		{"order 4155551234 is late", "order 4155551234 is late"},
		{"your order number is 0170 1234567", "your order number is 0170 1234567"},
		{"Bestellnummer 0301234567", "Bestellnummer 0301234567"},
		{"ticket #4155551234", "ticket #4155551234"},
		{"on 2026-11-21 at 15:30", "on 2026-11-21 at 15:30"},
		{"2026-11-21T15:30:00.123456Z", "2026-11-21T15:30:00.123456Z"},
		{"21.11.2026 bis 24.12.2026", "21.11.2026 bis 24.12.2026"},
		{"call me on 11 21 2026", "call me on 11 21 2026"},
		{"11/21/26 14 30 15 45", "11/21/26 14 30 15 45"},
		{"from 1990 - 2026", "from 1990 - 2026"},
		{"$1234567.89", "$1234567.89"},
		{"1.234.567,89 €", "1.234.567,89 €"},
		{"4155551234 dollars", "4155551234 dollars"},
		{"1,234,567 people", "1,234,567 people"},
		{"call at 10 30 or 11 45", "call at 10 30 or 11 45"},
		{"1 2 3 4 5 6 7 8 9 10", "1 2 3 4 5 6 7 8 9 10"},
		{"10, 20, 30, 40", "10, 20, 30, 40"},
		{"one two three four five six seven eight", "one two three four five six seven eight"},
		{"192.168.100.200", "192.168.100.200"},
		{"0.123456789", "0.123456789"},
		{"3.14159265358979", "3.14159265358979"},
		{"1732201234", "1732201234"},
		{"https://shop.example/item/4155551234", "https://shop.example/item/4155551234"},
		{"3f2504e0-4f89-41d3-9a0c-0305e82c3301", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"},
		{"room 12, floor 3, 45 people", "room 12, floor 3, 45 people"},
		{"visit us at example dot com", "visit us at example dot com"},
		{strings.Repeat("we met at noon ", 50) + "john dot smith at example dot com" + strings.Repeat(" or at nine", 50), strings.Repeat("we met at noon ", 50) + "[email]" + strings.Repeat(" or at nine", 50)},
		{strings.Repeat("word ", 200) + "jane at example dot org" + strings.Repeat(" word", 200) + " jim at example dot de", strings.Repeat("word ", 200) + "[email]" + strings.Repeat(" word", 200) + " [email]"},
		{"look at example.com", "look at example.com"},
		{"@everyone meet @ noon", "@everyone meet @ noon"},
		{"a@b", "a@b"},
		{"I have one, two or three", "I have one, two or three"},
		{"the number of visitors was 1200345", "the number of visitors was 1200345"},
		{"the number of my phone is 1200345", "the number of my phone is [phone]"},
		{"ZIP 90210-1234", "ZIP 90210-1234"},
		{"I was born on the 3rd of May 1987 at 10 45", "I was born on the 3rd of May 1987 at 10 45"},
		{"that makes 12.50 and 1,299.00, 1311.50 in all", "that makes 12.50 and 1,299.00, 1311.50 in all"},
		{"open 9 to 5, Monday to Friday, 10 to 2 on Saturday", "open 9 to 5, Monday to Friday, 10 to 2 on Saturday"},
		{"tracking 1Z999AA10123456784", "tracking 1Z999AA10123456784"},
		{"", ""},
	} {
		if got := redact.Text(c.text); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{``, ``},
		{`null`, `null`},
		{`{"b": 1,  "a": "x <y>"}`, `{"b": 1,  "a": "x <y>"}`},
		{`{"phone": "5551234", "nested": [{"text": "mail a@b.example <x>"}]}`, `{"nested":[{"text":"mail [email] <x>"}],"phone":"[phone]"}`},
		{`{"order_id": "4155551234", "callbackNumber": "4155551234"}`, `{"callbackNumber":"[phone]","order_id":"4155551234"}`},
		{`{"card": 4111111111111111}`, `{"card":"[card]"}`},
		{`{"phone_number": 4155551234, "amount": 4155551234}`, `{"amount":4155551234,"phone_number":"[phone]"}`},
		{`{"created": 1732201234000, "n": 12345678901234567890}`, `{"created": 1732201234000, "n": 12345678901234567890}`},
		{`{"+15551234567": true}`, `{"[phone]":true}`},
		{`"+15551234567"`, `"[phone]"`},
		{`no json, +15551234567`, `"no json, [phone]"`},
		{`{"a":1}{"b":"+15551234567"}`, `"{\"a\":1}{\"b\":\"[phone]\"}"`},
	} {
		if got := string(redact.JSON([]byte(c.json))); got != c.want {
			t.Errorf("%s becomes %s, want %s", c.json, got, c.want)
		}
	}
}

// Whatever the text, masking keeps it valid, ends, and finds nothing in its own result.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"call +1 (555) 123-4567", "a@b.example", "4111 1111 1111 1111", "john dot smith at example dot com", "٠١٧٠ eins zwei", "1 2\xff3@@..@"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		masked := redact.Text(s)
		if utf8.ValidString(s) && !utf8.ValidString(masked) {
			t.Errorf("%q becomes the invalid %q", s, masked)
		}
		for _, sure := range []string{"+15551234567", "x.y@mail.example", "4111 1111 1111 1111"} {
			if with := redact.Text(s + " ; " + sure + " ; " + s); strings.Contains(with, sure) {
				t.Errorf("%q is still in %q", sure, with)
			}
		}
	})
}

// The time grows with the length, not with its square: each text is such that looking ahead or back without bounds
// would cost.
func TestLongTexts(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, piece := range map[string]string{
		"digits": "4", "groups": "4 ", "words": "four ", "counting": "1 22 ", "at": "@", "addresses": "a@", "dots": "a.", "local": "a", "spelled": "a dot ",
		"spelled at": "a at ", "letters": "j o h n ", "spaces": "1234567        ", "plus": "+(", "dates": "21.11.2026 ", "commas": "5, ", "cards": "4111 1111 1111 1112 ",
	} {
		took := func(n int) time.Duration {
			s := strings.Repeat(piece, n/len(piece))
			began := processorTime(t)
			redact.Text(s)
			return processorTime(t) - began
		}
		short, long := min(took(16_000), took(16_000), took(16_000)), min(took(128_000), took(128_000))
		if long > 40*short+500*time.Millisecond { // 8 times as long; 64 were a square
			t.Errorf("%s: 16 kB take %v, 128 kB %v", name, short, long)
		}
	}
}

// processorTime is what this thread had of the processor; other programs do not add to it.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
