package speechtext

import (
	"strings"
	"unicode"
	"unicode/utf8"
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
	return strings.ContainsRune("\u20e3\u2b50\u2b55\u2b1b\u2b1c\u231a\u231b\u23e9\u23ea\u23eb"+
		"\u23ec\u23f0\u23f1\u23f3\u2b05\u2b06\u2b07\u2934\u2935\u25b6\u25c0", r)
}
