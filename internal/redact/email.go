package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxLocal  = 256 // bytes before the @ that are looked at; RFC 5321 has 64
	maxDomain = 255 // likewise after it; RFC 5321 4.5.3.1.2
)

// emails redacts e-mail addresses, written and spelled out.
func emails(s string, by replace) string {
	if strings.IndexByte(s, '@') >= 0 {
		s = written(s, by)
	}
	return spelled(s, by)
}

// written redacts addresses with an @.
func written(s string, by replace) string {
	var out strings.Builder
	done := 0 // of s, that is in out
	for at := strings.IndexByte(s, '@'); at >= 0; {
		from, to := localStart(s, max(done, at-maxLocal), at), domainEnd(s, at+1)
		next := at + 1
		if from < at && to > at+1 {
			out.WriteString(s[done:from])
			out.WriteString(by(Email, s[from:to]))
			done, next = to, to
		}
		i := strings.IndexByte(s[next:], '@')
		if i < 0 {
			break
		}
		at = next + i
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// localStart returns the start of the local part, not before least.
func localStart(s string, least, at int) int {
	start := at
	ascii := at > 0 && s[at-1] < utf8.RuneSelf
	for start > least {
		r, size := utf8.DecodeLastRuneInString(s[least:start])
		// Scripts without spaces between words have none before an address either.
		if !local(r) || ascii && unspaced(r) {
			break
		}
		start -= size
	}
	for start < at && (s[start] == '.' || s[start] == '\'') { // a quote or an ellipsis before it
		start++
	}
	return start
}

func local(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r < utf8.RuneSelf && strings.ContainsRune(".!#$%&'*+/=?^_`{|}~-", r)
}

// domainEnd returns the end of a domain that starts at from, or from without one: labels separated by dots, the
// last with two letters or more.
func domainEnd(s string, from int) int {
	end := from
	label, letters, dots := 0, 0, 0
	for i, r := range s[from:min(len(s), from+maxDomain)] {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			label, letters = label+1, letters+1
		case unicode.IsDigit(r) || r == '-':
			label++
		case r == '.' && label > 0:
			dots, label, letters = dots+1, 0, 0
		default:
			return end
		}
		if dots > 0 && letters >= 2 {
			end = from + i + utf8.RuneLen(r)
		}
	}
	return end
}

// spoken matches addresses that were spelled out, as recognisers write them.
var spoken = regexp.MustCompile(`(?i)(?:^|[^\pL\pN_'’])((?:[\pL\pN][ -]){0,40}([\pL\pN_]+(?:(?: (?:dot|underscore|dash|hyphen|minus|punkt|punto|point) |[._-])[\pL\pN_]+){0,8}) (?:at|ät|arroba|arobase) ` +
	`[\pL\pN]+(?:(?: (?:dash|hyphen|minus|dot|punkt|punto|point) |[.-])[\pL\pN]+){0,5}(?: (?:dot|punkt|punto|point) |\.)` +
	`(?:com|net|org|edu|gov|info|biz|io|ai|app|dev|me|co|eu|de|at|ch|fr|es|it|nl|be|pl|uk|ie|se|dk|no|fi|pt|us|ca|mx|br|ar|in|jp|cn|au|nz))\b`)

// ats is a fast filter for spoken.
var ats = regexp.MustCompile(`(?i) (?:at|ät|arroba|arobase) `)

// places are words before "at" that are not part of an address: "visit us at".
var places = set(`us me him her them you it look looking shop shopping buy order online website site page web available here there
		visit found find more information info account profile works work working employed now today tomorrow later arrive store directly up is are was`)

// reach limits the text read before and after an "at", in bytes.
const reach = 300

// spelled redacts addresses without an @, around each "at".
func spelled(s string, by replace) string {
	found := ats.FindAllStringIndex(s, -1)
	if found == nil {
		return s
	}
	var out strings.Builder
	done := 0
	for len(found) > 0 {
		from, to := max(done, found[0][0]-reach), found[0][1]
		n := 0
		for ; n < len(found) && found[n][0] <= to+reach; n++ {
			to = min(len(s), found[n][1]+reach)
		}
		found = found[n:]
		for from > done && s[from] != ' ' {
			from--
		}
		for to < len(s) && s[to] != ' ' {
			to++
		}
		out.WriteString(s[done:from])
		spelledIn(s[from:to], &out, by)
		done = to
	}
	out.WriteString(s[done:])
	return out.String()
}

func spelledIn(s string, out *strings.Builder, by replace) {
	done := 0
	for _, m := range spoken.FindAllStringSubmatchIndex(s, -1) {
		if places[fold(s[m[4]:m[5]])] {
			continue
		}
		out.WriteString(s[done:m[2]])
		out.WriteString(by(Email, s[m[2]:m[3]]))
		done = m[3]
	}
	out.WriteString(s[done:])
}
