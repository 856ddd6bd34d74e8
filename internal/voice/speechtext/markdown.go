package speechtext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine is the length in bytes of a row, a line of code, or a mark at the beginning of a line.
const maxLine = 4000

// markdown turns a growing text in Markdown into spans, whose Spoken has no marks: links are spoken by their name, rows of a table and
// items of a list as sentences, and what cannot be read out, such as code and emoji, not at all. A library that parses Markdown needs
// the whole document; this is spoken while the model writes it. The result is the same however the text is divided.
type markdown struct {
	pending string // text that is not decided yet
	inLine  bool   // the beginning of the line is behind
	item    bool   // the line is a heading or an item of a list: it ends as a sentence
	code    string // the run of backticks that opened a code span; "" outside one
	fence   fence
	table   table
	spoken  rune // the last character of the spoken text; 0 at the beginning
	emoji   bool // the last character was an emoji
	spans   Text
}

// push adds text and returns the spans that are decided.
func (m *markdown) push(text string) Text {
	m.pending += text
	return m.scan(false)
}

// flush returns the spans of the rest at the end of the text.
func (m *markdown) flush() Text {
	m.scan(false)
	spans := m.spans
	m.spans = nil
	m.scan(true)
	m.fence.close(m)
	m.table.leave(m)
	m.emit("", strings.TrimSuffix(m.lineEnd(), "\n"))
	spans.append(m.spans)
	m.spans = nil
	return spans
}

func (m *markdown) scan(final bool) (spans Text) {
	for m.pending != "" {
		n := m.step(final)
		if n == 0 {
			break
		}
		m.pending = m.pending[n:]
	}
	if !final {
		spans, m.spans = m.spans, nil
	}
	return spans
}

// step reads one element at the beginning of the pending text. It returns its length, or 0 while it is not decided.
func (m *markdown) step(final bool) int {
	if !m.inLine {
		return m.beginLine(final)
	}
	return m.inline(final)
}

// emit adds a span.
func (m *markdown) emit(written, spoken string) {
	if written == "" && spoken == "" {
		return
	}
	m.spans.add(written, spoken)
	if spoken != "" {
		m.spoken, m.emoji = lastRune(spoken), false
	}
}

// beginLine reads the marks at the beginning of a line, or a line that is not spoken as text.
func (m *markdown) beginLine(final bool) int {
	line, complete := m.line(final)
	if m.fence.open() {
		if !complete {
			return 0
		}
		m.fence.add(m, line)
		return len(line)
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	rest := strings.TrimRight(line[indent:], "\r\n")
	switch {
	case rest == "" && !complete, !complete && isUndecided(rest):
		return 0
	case strings.HasPrefix(rest, "```"), strings.HasPrefix(rest, "~~~"):
		if !complete {
			return 0
		}
		m.table.leave(m)
		m.fence.begin(m, line, rest)
		return len(line)
	case strings.HasPrefix(rest, "|"):
		if !complete {
			return 0
		}
		m.table.add(m, line)
		return len(line)
	}
	m.table.leave(m)
	if isRule(rest) {
		m.emit(strings.TrimRight(line, "\r\n"), "")
		return m.endLine(len(strings.TrimRight(line, "\r\n")))
	}
	mark := m.marker(rest)
	m.emit(line[:indent+mark], "")
	if strings.HasPrefix(rest, ">") {
		return indent + mark // another mark may follow
	}
	m.inLine = true
	if mark == 0 && indent == 0 {
		return m.inline(final)
	}
	return indent + mark
}

// line returns the pending text's first line with its end, and whether it is complete. One that is too long is divided.
func (m *markdown) line(final bool) (line string, complete bool) {
	if end := strings.IndexByte(m.pending, '\n'); end >= 0 && end < maxLine {
		return m.pending[:end+1], true
	}
	if len(m.pending) < maxLine+utf8.UTFMax {
		return m.pending, final
	}
	return completeRunes(m.pending[:maxLine]), true
}

// marker returns the length of the mark of a heading, quotation or item, with the spaces behind it; 0 for none.
func (m *markdown) marker(rest string) int {
	if strings.HasPrefix(rest, ">") {
		return 1 + spaces(rest[1:])
	}
	size := len(rest) - len(strings.TrimLeft(rest, "#"))
	if size == 0 {
		if r, n := utf8.DecodeRuneInString(rest); strings.ContainsRune(bullets, r) {
			size = n
		} else if digits := len(rest) - len(strings.TrimLeft(rest, "0123456789")); digits > 0 && digits <= 3 && strings.HasPrefix(rest[digits:], ". ") {
			m.item = true // the number is spoken
			return 0
		}
	}
	if size == 0 || size > 6 || spaces(rest[size:]) == 0 {
		return 0
	}
	m.item = true
	size += spaces(rest[size:])
	if box := rest[size:]; strings.HasPrefix(box, "[ ] ") || strings.HasPrefix(box, "[x] ") || strings.HasPrefix(box, "[X] ") {
		size += len("[ ] ")
	}
	return size
}

// bullets are the marks of an item.
const bullets = "-*+•‣◦▪●·–—"

func spaces(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }

// isUndecided reports whether the beginning of a line may become a mark that is not complete.
func isUndecided(rest string) bool {
	last := lastRune(rest)
	body := strings.TrimLeft(rest, "#0123456789")
	switch {
	case strings.Trim(rest, "-*_=+~`> \t•‣◦▪●·–—") == "", body == "", body == ".", body == ". ":
		return true
	case strings.HasPrefix(rest, "```"), strings.HasPrefix(rest, "~~~"), strings.HasPrefix(rest, "|"):
		return false // decided, though not complete
	}
	mark := strings.TrimLeft(rest, "-*+•‣◦▪●·–—")
	mark = strings.TrimLeft(mark, " ")
	return mark != rest && strings.HasPrefix(mark, "[") && len(mark) < len("[ ] ") || body != rest && strings.Trim(body, " \t") == "" ||
		last == utf8.RuneError
}

// isRule reports whether a line is a thematic break, or the line under a heading.
func isRule(rest string) bool {
	bare := strings.ReplaceAll(strings.ReplaceAll(rest, " ", ""), "\t", "")
	if len(bare) < 2 || strings.Trim(bare, bare[:1]) != "" {
		return false
	}
	return bare[0] == '=' || len(bare) >= 3 && strings.ContainsRune("-*_", rune(bare[0]))
}

// endLine ends the line at a position of the pending text that is its end: an item or a heading ends as a sentence.
func (m *markdown) endLine(n int) int {
	rest := m.pending[n:]
	size := 0
	if strings.HasPrefix(rest, "\r\n") {
		size = 2
	} else if rest != "" {
		size = 1
	}
	m.emit(rest[:size], m.lineEnd())
	m.inLine, m.item, m.code = false, false, ""
	return n + size
}

// lineEnd returns how the end of a line is spoken.
func (m *markdown) lineEnd() string {
	if m.item && m.spoken != 0 && m.spoken != '\n' && !unicode.IsPunct(m.spoken) {
		return fullStop(m.spoken) + "\n"
	}
	return "\n"
}

// fullStop returns the mark that ends a sentence in the script of a character.
func fullStop(r rune) string {
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return "。"
	case unicode.In(r, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi):
		return "।"
	case unicode.Is(unicode.Ethiopic, r):
		return "።"
	case unicode.Is(unicode.Khmer, r):
		return "។"
	case unicode.Is(unicode.Myanmar, r):
		return "။"
	case unicode.Is(unicode.Armenian, r):
		return "։"
	case unicode.In(r, unicode.Thai, unicode.Lao):
		return ""
	}
	return "."
}
