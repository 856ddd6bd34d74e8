package offline

import "strings"

// longestClause limits a text for flite, in bytes, because flite analyses all of it before the first audio.
const longestClause = 400

// plain replaces typography by characters that flite reads. Others (other scripts, emoji) become a space.
var plain = strings.NewReplacer(
	"’", "'", "‘", "'", "“", `"`, "”", `"`, "–", ", ", "—", ", ", "…", "...", "\u00a0", " ",
	"ä", "a", "à", "a", "á", "a", "â", "a", "å", "a", "ã", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e",
	"í", "i", "ì", "i", "î", "i", "ï", "i", "ñ", "n", "ó", "o", "ò", "o", "ô", "o", "ö", "o", "õ", "o", "ø", "o",
	"ú", "u", "ù", "u", "û", "u", "ü", "u", "ý", "y", "ß", "ss", "æ", "ae", "œ", "oe",
	"Ä", "A", "Å", "A", "É", "E", "Ö", "O", "Ü", "U", "Ø", "O", "Ç", "C",
	"€", " euros ", "£", " pounds ", "°", " degrees ", "*", " ", "#", " ", "`", " ", "_", " ", "<", " ", ">", " ",
)

// clauses splits text for flite into parts of limited length, at the end of a sentence or else between words. Text
// without words yields none.
func clauses(text string) []string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, plain.Replace(text))
	var parts []string
	for rest := strings.TrimSpace(text); rest != ""; {
		part := rest
		if len(part) > longestClause {
			part = part[:longestClause]
			at := strings.LastIndexAny(part, ".!?;")
			if at < longestClause/4 {
				at = strings.LastIndexAny(part, ", ")
			}
			if at > 0 {
				part = part[:at+1]
			}
		}
		rest = strings.TrimSpace(rest[len(part):])
		if part = strings.TrimSpace(part); strings.ContainsFunc(part, sounds) {
			parts = append(parts, part)
		}
	}
	return parts
}

// sounds reports whether flite pronounces a character.
func sounds(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '%' || r == '&' || r == '$'
}
