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

// special are the characters at which text may stop being spoken as it was written.
const special = "\r\n\\`*_~[!<&|【"

// inline reads an element within a line.
func (m *markdown) inline(final bool) int {
	if m.code != "" {
		return m.inCode(final)
	}
	r, size := utf8.DecodeRuneInString(m.pending)
	switch {
	case r == utf8.RuneError && !final && !utf8.FullRuneInString(m.pending):
		return 0
	case r == '\r' || r == '\n':
		return m.newline(final)
	case r == '\\':
		return m.escape(final)
	case r == '`' || r == '*' || r == '_' || r == '~':
		return m.run(r, final)
	case r == '[' || r == '!':
		return m.link(final)
	case r == '<':
		return m.tag(final)
	case r == '&':
		return m.entity(final)
	case r == '|':
		return m.bar(final)
	case r == '【':
		return m.citation(final)
	case isArrow(r):
		m.emit(m.pending[:size], ",")
		return size
	case isEmoji(r), r == zeroWidthJoiner && m.emoji:
		m.emit(m.pending[:size], "")
		m.emoji = true
		return size
	}
	return m.text(final)
}

// text reads characters that are spoken as they were written. White space waits for what follows: the end of the line and emoji take it
// with them.
func (m *markdown) text(final bool) int {
	end := strings.IndexFunc(m.pending, func(r rune) bool { return strings.ContainsRune(special, r) || isEmoji(r) || isArrow(r) })
	open := end < 0
	if open {
		end = len(m.pending)
	}
	if end == 0 { // a special character that is none here
		_, end = utf8.DecodeRuneInString(m.pending)
	}
	chunk := m.pending[:end]
	if open && !final {
		chunk = strings.TrimRight(completeRunes(chunk), " \t")
		if chunk == "" {
			return 0
		}
		m.emit(chunk, chunk)
		return len(chunk)
	}
	if next := firstRune(m.pending[end:]); next == '\n' || next == '\r' || isEmoji(next) && end < len(m.pending) {
		bare := strings.TrimRight(chunk, " \t")
		m.emit(bare, bare)
		m.emit(chunk[len(bare):], "")
		return end
	}
	m.emit(chunk, chunk)
	return end
}

// completeRunes returns a text without an incomplete last character.
func completeRunes(text string) string {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}

// newline reads the end of a line. A paragraph's next line that begins in lower case continues a sentence that has no end.
func (m *markdown) newline(final bool) int {
	size := 1
	if strings.HasPrefix(m.pending, "\r\n") {
		size = 2
	} else if m.pending == "\r" && !final {
		return 0
	}
	after := m.pending[size:]
	if !m.item && after == "" && !final {
		return 0
	}
	if !m.item && !final && !utf8.FullRuneInString(after) {
		return 0
	}
	if next := firstRune(after); !m.item && unicode.IsLower(next) && m.spoken != '\n' && !strings.ContainsRune(terminators, m.spoken) {
		m.emit(m.pending[:size], " ")
		m.code = ""
		return size
	}
	return m.endLine(0)
}

// escape reads a backslash.
func (m *markdown) escape(final bool) int {
	if len(m.pending) == 1 && !final {
		return 0
	}
	if len(m.pending) > 1 && m.pending[1] < utf8.RuneSelf && unicode.In(rune(m.pending[1]), unicode.P, unicode.S) {
		m.emit(m.pending[:2], m.pending[1:2])
		return 2
	}
	m.emit("\\", "\\")
	return 1
}

// run reads a run of marks of emphasis, or the backticks that open a code span.
func (m *markdown) run(mark rune, final bool) int {
	size := len(m.pending) - len(strings.TrimLeft(m.pending, string(mark)))
	after := m.pending[size:]
	if !final && !utf8.FullRuneInString(after) {
		return 0
	}
	next := ' '
	if after != "" {
		next = firstRune(after)
	}
	run := m.pending[:size]
	if mark == '`' {
		m.code = run
		m.emit(run, "")
		return size
	}
	if isEmphasis(mark, size, m.spoken, next) {
		m.emit(run, "")
	} else {
		m.emit(run, run)
	}
	return size
}

// isEmphasis reports whether a run between two characters is one of emphasis rather than of itself, as in 5*3, snake_case and "press *".
func isEmphasis(mark rune, size int, before, after rune) bool {
	if before == 0 {
		before = ' '
	}
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	switch {
	case mark == '*' && unicode.IsDigit(before) && unicode.IsDigit(after):
		return false
	case mark == '*' && size > 1:
		return true
	case unicode.IsSpace(before) && (unicode.IsSpace(after) || strings.ContainsRune(".,;:?!)", after)):
		return false
	case mark == '~' && size == 1:
		return false
	case mark == '_':
		return !letter(before) || !letter(after)
	}
	return true
}

// inCode reads the content of a code span up to its end, at most the line's.
func (m *markdown) inCode(final bool) int {
	switch end := strings.IndexAny(m.pending, "`\r\n"); {
	case end < 0:
		chunk := m.pending
		if !final {
			chunk = completeRunes(chunk)
		}
		m.emit(chunk, chunk)
		return len(chunk)
	case end > 0:
		m.emit(m.pending[:end], m.pending[:end])
		return end
	case m.pending[0] != '`':
		m.code = ""
		return m.newline(final)
	}
	size := len(m.pending) - len(strings.TrimLeft(m.pending, "`"))
	if size == len(m.pending) && !final {
		return 0
	}
	if run := m.pending[:size]; run == m.code {
		m.code = ""
		m.emit(run, "")
	} else {
		m.emit(run, run)
	}
	return size
}

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
var htmlTags = regexp.MustCompile(`(?i)^</?(a|abbr|b|blockquote|br|code|del|div|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|s|samp|small|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul)(\s[^<>]*)?/?>$`)

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

// isArrow reports whether a character is an arrow, which is spoken as a pause.
func isArrow(r rune) bool { return strings.ContainsRune("→←↔⇒⇐⇔➔", r) }

const zeroWidthJoiner = '\u200d'

// isEmoji reports whether a character is an emoji or a part of one.
func isEmoji(r rune) bool {
	switch {
	case r < 0x203c:
		return false
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2600 && r <= 0x27bf, r >= 0xe0020 && r <= 0xe007f, r >= 0xfe00 && r <= 0xfe0f,
		r >= 0x2500 && r <= 0x25ff: // lines and shapes
		return true
	}
	return strings.ContainsRune("\u20e3\u2b50\u2b55\u2b1b\u2b1c\u231a\u231b\u23e9\u23ea\u23eb\u23ec\u23f0\u23f1\u23f3\u2b05\u2b06\u2b07\u2934\u2935\u25b6\u25c0", r)
}
