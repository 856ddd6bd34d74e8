package useragent

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"
)

// Digit is a key of the phone.
type Digit struct {
	Key      byte          // 0 to 9, *, # or A to D
	Duration time.Duration // 0 if the phone does not say
}

// keypad are the keys by their events (RFC 4733 3.2).
const keypad = "0123456789*#ABCD"

// maxDigit bounds how long a key may be said to last.
const maxDigit = 10 * time.Second

// digitTypes are the contents of INFO that are keys.
var digitTypes = []string{"application/dtmf-relay", "application/dtmf"}

// handleINFO takes keys. An INFO without content only shows that the peer is there.
func (c *Call) handleINFO(r *sip.Request, t *serverTx) {
	kind := contentType(r)
	switch {
	case len(r.Body()) == 0:
		t.respond(c.responseTo(r, t, 200, nil))
	case !slices.Contains(digitTypes, kind):
		t.respond(c.responseTo(r, t, 415, nil, sip.NewHeader("Accept", strings.Join(digitTypes, ", "))))
	default:
		digit, ok := parseDigit(string(r.Body()))
		if !ok {
			t.respond(c.responseTo(r, t, 400, nil))
			return
		}
		t.respond(c.responseTo(r, t, 200, nil))
		if c.options.Handler.Digits != nil {
			c.options.Handler.Digits(digit)
		}
	}
}

// parseDigit reads "Signal=5" with "Duration=160", or the key alone. Signals may be numbers of events.
func parseDigit(body string) (d Digit, ok bool) {
	signal := ""
	for line := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == '\r' || r == '\n' }) {
		name, v, found := strings.Cut(line, "=")
		v = strings.TrimSpace(v)
		switch {
		case strings.TrimSpace(line) == "":
		case !found && signal == "":
			signal = strings.TrimSpace(line)
		case strings.EqualFold(strings.TrimSpace(name), "Signal"):
			signal = v
		case strings.EqualFold(strings.TrimSpace(name), "Duration"):
			if n, err := strconv.ParseUint(v, 10, 20); err == nil {
				d.Duration = min(time.Duration(n)*time.Millisecond, maxDigit)
			}
		}
	}
	if n, err := strconv.ParseUint(signal, 10, 8); err == nil && n < uint64(len(keypad)) {
		d.Key = keypad[n]
		return d, true
	}
	if len(signal) != 1 || !strings.Contains(keypad, strings.ToUpper(signal)) {
		return d, false
	}
	d.Key = strings.ToUpper(signal)[0]
	return d, true
}
