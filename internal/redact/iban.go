package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ibanLengths are the lengths of bank account numbers by country (ISO 13616, the registry of SWIFT).
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22,
	"CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22,
	"GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30,
	"KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20,
	"MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22,
	"RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26,
	"UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}

// ibans redacts bank account numbers, in groups or read out, whose check digits are valid.
func ibans(s string, by replace) string {
	var out strings.Builder
	done := 0
	before := ' '
	for i, r := range s {
		if i >= done && isLatin(r) && !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			if end := ibanEnd(s, i); end > 0 {
				out.WriteString(s[done:i])
				out.WriteString(by(IBAN, s[i:end]))
				done = end
			}
		}
		before = r
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// ibanEnd returns the end of the bank account number that begins at from; 0 for none.
func ibanEnd(s string, from int) int {
	var account []byte
	length := 0
	for i := from; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsDigit(r):
			account = append(account, '0'+digit(r))
			i += size
		case isLatin(r):
			end := i
			for end < len(s) && isLatin(rune(s[end])) {
				end++
			}
			if value, is := numerals[fold(s[i:end])]; is {
				account = append(account, '0'+value)
			} else {
				account = append(account, strings.ToUpper(s[i:end])...)
			}
			i = end
		case unicode.IsLetter(r): // of a numeral such as fünf
			end := i
			for end < len(s) {
				if r, size = utf8.DecodeRuneInString(s[end:]); !unicode.IsLetter(r) {
					break
				}
				end += size
			}
			value, is := numerals[fold(s[i:end])]
			if !is {
				return 0
			}
			account = append(account, '0'+value)
			i = end
		case (r == ' ' || r == '-' || r == '\u00a0' || r == turnEnd) && i+size < len(s):
			i += size
			continue
		default:
			return 0
		}
		if length == 0 && len(account) >= 2 {
			if length = ibanLengths[string(account[:2])]; length == 0 {
				return 0
			}
		}
		if len(account) < 4 || length == 0 {
			continue
		}
		after, _ := utf8.DecodeRuneInString(s[i:])
		switch {
		case account[2] > '9' || account[3] > '9' || len(account) > length:
			return 0
		case len(account) == length && i < len(s) && (unicode.IsLetter(after) || unicode.IsDigit(after)):
			return 0
		case len(account) == length && ibanValid(account):
			return i
		case len(account) == length:
			return 0
		}
	}
	return 0
}

// ibanValid checks the check digits (ISO 7064, MOD 97-10).
func ibanValid(account []byte) bool {
	rest := 0
	for _, c := range append(append([]byte{}, account[4:]...), account[:4]...) {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return rest == 1
}

func isLatin(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
