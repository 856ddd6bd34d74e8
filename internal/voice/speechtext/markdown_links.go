package speechtext

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxLabel  = 300  // bytes of a link's name, a tag or a citation
	maxTarget = 2000 // bytes of a link's address
)

// link reads a link or an image, which is spoken by its name, or a reference to a source, which is not spoken.
func (m *markdown) link(final bool) int {
	from := strings.IndexByte(m.pending, '[')
	switch {
	case m.pending == "!" && !final:
		return 0
	case from < 0 || from > 1:
		return m.literal()
	}
	label, end, open := bracketed(m.pending[from:], '[', ']', maxLabel)
	if open && !final {
		return 0
	}
	if end == 0 {
		return m.literal()
	}
	end += from
	rest := m.pending[end:]
	if rest == "" && !final {
		return 0
	}
	switch {
	case strings.HasPrefix(rest, "("):
		_, length, open := bracketed(rest, '(', ')', maxTarget)
		if open && !final {
			return 0
		}
		if length > 0 {
			m.emit(m.pending[:end+length], inlineText(label))
			return end + length
		}
	case strings.HasPrefix(label, "^"), isNumber(label) && (strings.HasPrefix(rest, "[") || m.spoken != 0 && !unicode.IsSpace(m.spoken)):
		m.emit(m.pending[:end], "") // a reference to a source
		return end
	case strings.HasPrefix(rest, "["):
		_, length, open := bracketed(rest, '[', ']', maxLabel)
		if open && !final {
			return 0
		}
		if length > 0 {
			m.emit(m.pending[:end+length], inlineText(label))
			return end + length
		}
	}
	return m.literal()
}

// literal reads one character as it is.
func (m *markdown) literal() int {
	_, size := utf8.DecodeRuneInString(m.pending)
	m.emit(m.pending[:size], m.pending[:size])
	return size
}

// bracketed returns what is in the brackets at the beginning of a text, and their length; 0 if they are not closed within the line and
// limit. open: they may be closed in what follows.
func bracketed(text string, opening, closing byte, limit int) (inner string, length int, open bool) {
	depth := 0
	for i := 0; i < len(text) && i < limit; i++ {
		switch text[i] {
		case '\n':
			return "", 0, false
		case '\\':
			i++
		case opening:
			depth++
		case closing:
			if depth--; depth == 0 {
				return text[1:i], i + 1, false
			}
		}
	}
	return "", 0, len(text) < limit
}

// htmlTags are removed. Other tags are left to the voice: some take marks in angle brackets.
var htmlTags = regexp.MustCompile(`(?i)^</?(a|abbr|b|blockquote|br|code|del|div|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|s|samp|` +
	`small|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul)(\s[^<>]*)?/?>$`)

// addresses are links in angle brackets.
var addresses = regexp.MustCompile(`^<((https?://|mailto:)?[^\s<>]+[.@][^\s<>]+)>$`)

// tag reads a tag of HTML, or an address in angle brackets.
func (m *markdown) tag(final bool) int {
	end := strings.IndexAny(m.pending, ">\n")
	next := firstRune(m.pending[1:])
	switch {
	case len(m.pending) > 1 && next != '/' && next != '!' && !unicode.IsLetter(next) && next != utf8.RuneError:
		return m.literal()
	case end < 0 && len(m.pending) < maxLabel && !final:
		return 0
	case end < 0 || m.pending[end] == '\n':
		return m.literal()
	}
	whole := m.pending[:end+1]
	switch address := addresses.FindStringSubmatch(whole); {
	case strings.HasPrefix(whole, "<!--"), htmlTags.MatchString(whole):
		m.emit(whole, "")
	case address != nil:
		m.emit(whole, strings.TrimPrefix(address[1], "mailto:"))
	default: // a mark for the voice, such as <speed ratio="1.05"/>
		m.spans.append(Text{{whole, whole, true}})
		m.spoken, m.emoji = '>', false
	}
	return len(whole)
}

// entity reads a character reference of HTML.
func (m *markdown) entity(final bool) int {
	const longest = 12
	end := strings.IndexFunc(m.pending[1:], func(r rune) bool { return r != '#' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	switch {
	case end < 0 && len(m.pending) < longest && !final:
		return 0
	case end <= 0 || m.pending[1+end] != ';':
		return m.literal()
	}
	whole := m.pending[:end+2]
	m.emit(whole, html.UnescapeString(whole))
	return len(whole)
}

// bar reads a vertical bar: between spaces it divides columns.
func (m *markdown) bar(final bool) int {
	if len(m.pending) == 1 && !final {
		return 0
	}
	if m.spoken == ' ' && strings.HasPrefix(m.pending, "| ") {
		m.emit("|", ",")
		return 1
	}
	return m.literal()
}

// citation reads a reference to a source in the form of OpenAI's assistants, which is not spoken.
func (m *markdown) citation(final bool) int {
	end := strings.Index(m.pending, "】")
	switch {
	case end < 0 && len(m.pending) < maxLabel && !strings.Contains(m.pending, "\n") && !final:
		return 0
	case end < 0 || !strings.Contains(m.pending[:end], "†"):
		return m.literal()
	}
	end += len("】")
	m.emit(m.pending[:end], "")
	return end
}
