package speechtext

import (
	"strings"
	"unicode/utf8"
)

// maxSpokenCode is the number of characters of a code block of one line up to which it is spoken, such as a reference number.
const maxSpokenCode = 80

// fence is a code block. A short one of one line is spoken, others are not.
type fence struct {
	mark    string // of its first line
	written string // what is not decided yet
	lines   []string
	text    string // the mark of a block whose content is text; "" outside one
}

func (f *fence) open() bool { return f.mark != "" }

// texts are the languages of a code block that is none: models put a whole answer in it.
var texts = wordSet("markdown md text txt plaintext")

// begin opens a block, or opens or closes one whose content is text; rest is the line without its indentation and end.
func (f *fence) begin(m *markdown, line, rest string) {
	size := len(rest) - len(strings.TrimLeft(rest, rest[:1]))
	mark, language := rest[:size], strings.ToLower(strings.TrimSpace(rest[size:]))
	switch {
	case texts[language]:
		f.text = mark
		m.emit(line, "\n")
	case language == "" && mark == f.text:
		f.text = ""
		m.emit(line, "\n")
	default:
		f.mark, f.written, f.lines = mark, line, nil
	}
}

// add adds a line, which may close the block.
func (f *fence) add(m *markdown, line string) {
	f.written += line
	bare := strings.TrimSpace(line)
	if strings.HasPrefix(bare, f.mark) && strings.Trim(bare, f.mark[:1]) == "" {
		f.close(m)
		return
	}
	if bare != "" && len(f.lines) < 2 {
		f.lines = append(f.lines, bare)
	}
	if len(f.lines) > 1 { // not spoken
		m.emit(f.written, "")
		f.written = ""
	}
}

// close ends the block, if one is open.
func (f *fence) close(m *markdown) {
	if !f.open() {
		return
	}
	spoken := "\n"
	if len(f.lines) == 1 && utf8.RuneCountInString(f.lines[0]) <= maxSpokenCode {
		spoken = f.lines[0] + "\n"
	}
	m.emit(f.written, spoken)
	*f = fence{text: f.text}
}

// table is a table. Its rows are spoken as sentences, with the names of the columns if it has any.
type table struct {
	header  []string // nil before the first row
	named   bool     // the header is one: a line of dashes followed it
	written string   // of a header that is not decided yet
}

// add adds a row.
func (t *table) add(m *markdown, line string) {
	cells := splitRow(line)
	switch {
	case t.header == nil:
		t.header, t.written = cells, line
	case !t.named && isDelimiter(cells):
		m.emit(t.written+line, "\n")
		t.named, t.written = true, ""
	case t.named:
		m.emit(line, t.sentence(cells))
	default:
		m.emit(t.written, t.sentence(t.header))
		m.emit(line, t.sentence(cells))
		t.written = ""
	}
}

// leave ends the table, if one is open.
func (t *table) leave(m *markdown) {
	if t.written != "" {
		m.emit(t.written, t.sentence(t.header))
	}
	*t = table{}
}

// sentence returns a row as it is spoken.
func (t *table) sentence(cells []string) string {
	var spoken []string
	for i, cell := range cells {
		switch {
		case cell == "":
		case t.named && i < len(t.header) && t.header[i] != "":
			spoken = append(spoken, t.header[i]+": "+cell)
		default:
			spoken = append(spoken, cell)
		}
	}
	if len(spoken) == 0 {
		return "\n"
	}
	row := strings.Join(spoken, ", ")
	if isTerminated(row) {
		return row + "\n"
	}
	return row + fullStop(lastRune(row)) + "\n"
}

// splitRow returns the cells of a row, as they are spoken.
func splitRow(line string) (cells []string) {
	const escaped = "\x00"
	row := strings.TrimSpace(strings.ReplaceAll(line, `\|`, escaped))
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	for cell := range strings.SplitSeq(row, "|") {
		cells = append(cells, strings.TrimSpace(inlineText(strings.ReplaceAll(cell, escaped, "|"))))
	}
	return cells
}

// isDelimiter reports whether a row is the line of dashes under a header.
func isDelimiter(cells []string) bool {
	for _, cell := range cells {
		if strings.Trim(cell, ":- ") != "" || !strings.Contains(cell, "-") {
			return false
		}
	}
	return true
}

// inlineText returns how the text of a cell or link is spoken.
func inlineText(text string) string {
	inner := markdown{inLine: true, pending: text}
	inner.scan(true)
	return inner.spans.Spoken()
}
