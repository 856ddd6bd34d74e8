package speechtext

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// clock reads a time of day.
func (n *Normalizer) clock(m []string, _, after string) string {
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	if hour > 24 || minute > 59 || strings.HasPrefix(after, ":") {
		return ""
	}
	if next := strings.ToLower(strings.TrimLeft(after, " \u00a0")); minute == 0 && (strings.HasPrefix(next, "p.m") || strings.HasPrefix(next, "a.m") ||
		strings.HasPrefix(next, "pm") || strings.HasPrefix(next, "am")) {
		return n.cardinal(hour)
	}
	return n.time(n.locale, hour, minute)
}

// dotted reads a date as it is written in German and many other languages.
func (n *Normalizer) dotted(m []string, before, after string) string {
	if m[3] != "" {
		return n.day(m[1], m[2], m[3], before)
	}
	spoken := n.day(m[1], m[2], "", before)
	if !n.ordinalDays || spoken == "" || !datives[lastWord(before)] {
		return "" // a decimal at the end of a sentence
	}
	if after == "" {
		return spoken + "."
	}
	return spoken
}

// lastWord returns the last word of a text, in lower case.
func lastWord(text string) string {
	text = strings.ToLower(strings.TrimRight(text, " "))
	return text[strings.LastIndexByte(text, ' ')+1:]
}

// slashed reads a date whose order depends on the language.
func (n *Normalizer) slashed(m []string, before, _ string) string {
	if n.monthFirst {
		return n.day(m[2], m[1], m[3], before)
	}
	return n.day(m[1], m[2], m[3], before)
}

// day reads a date; year may be "".
func (n *Normalizer) day(day, month, year, before string) string {
	d, _ := strconv.Atoi(day)
	mo, _ := strconv.Atoi(month)
	y, _ := strconv.Atoi(year)
	if d < 1 || d > 31 || mo < 1 || mo > 12 {
		return ""
	}
	spoken := n.date(n.locale, d, mo, before)
	if y > 0 {
		spoken += cmp.Or(n.ofYear, " ") + n.year(n.locale, y)
	}
	return spoken
}

// ordinals returns the rules of ordinals and of days with the name of their month.
func (n *Normalizer) ordinals() []normalization {
	months := strings.Join(n.months, "|")
	year := func(text string) string {
		if text == "" {
			return ""
		}
		y, _ := strconv.Atoi(text)
		return cmp.Or(n.ofYear, " ") + n.year(n.locale, y)
	}
	month := func(name string) int {
		for i, m := range n.months {
			if m == name {
				return i + 1
			}
		}
		return 0
	}
	switch {
	case n.ordinalDays:
		return []normalization{
			{regexp.MustCompile(`^(\d{1,2})\. (` + months + `)(?: (\d{4}))?`), func(m []string, before, _ string) string {
				d, _ := strconv.Atoi(m[1])
				return n.date(n.locale, d, month(m[2]), before) + year(m[3])
			}},
			{regexp.MustCompile(`^(\d{1,3})\.`), n.germanOrdinal},
		}
	case n.ordinal(1) == "":
		return []normalization{{regexp.MustCompile(`^(\d{1,2})(?:er|º|°)? ` + n.ofMonth + `(` + months + `)`), func(m []string, before, _ string) string {
			d, _ := strconv.Atoi(m[1])
			return n.date(n.locale, d, month(m[2]), before)
		}}}
	}
	return []normalization{
		{regexp.MustCompile(`^(` + months + `) (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?`), func(m []string, before, _ string) string {
			d, _ := strconv.Atoi(m[2])
			return n.date(n.locale, d, month(m[1]), before) + year(m[3])
		}},
		{regexp.MustCompile(`^(\d{1,3})(?:st|nd|rd|th)`), func(m []string, _, _ string) string {
			d, _ := strconv.Atoi(m[1])
			return n.ordinal(d)
		}},
	}
}

// germanOrdinal reads a number with a full stop within a sentence.
func (n *Normalizer) germanOrdinal(m []string, before, after string) string {
	next := strings.TrimPrefix(after, " ")
	if next == after || strings.TrimSpace(before) == "" || strings.HasSuffix(before, ": ") || !isWordRune(firstRune(next)) {
		return ""
	}
	d, _ := strconv.Atoi(m[1])
	return inflectDE(ordinalDE(d), before)
}
