// Package speechtext turns the text that a model writes into the text that a voice speaks: it removes Markdown, cuts the growing answer
// into sentences, and reads numbers and names as they are spoken. What the voice speaks stays mapped to what the model wrote, which is
// the transcript's.
package speechtext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a part of an answer: as it was written, and as it is spoken. Spoken is empty for what is not spoken, such as the marks of
// Markdown.
type Span struct {
	Written, Spoken string
	// Words: Spoken is in words, and changed no more.
	Words bool
}

// plain reports whether the span is spoken as it was written, so that it can be cut anywhere.
func (s Span) plain() bool { return s.Written == s.Spoken && !s.Words }

// Text is a part of an answer, in spans.
type Text []Span

// Plain returns a text that is spoken as it was written.
func Plain(text string) Text { return Text{{Written: text, Spoken: text}} }

// Whole returns a text in Markdown as it is spoken, uncut. One of which nothing would be spoken is spoken as it was written.
func Whole(text string) Text {
	var m markdown
	spans := m.push(text)
	spans.append(m.flush())
	if strings.TrimSpace(spans.Spoken()) == "" {
		return Plain(text)
	}
	return spans.trimmed()
}

// Written returns the text for the transcript.
func (t Text) Written() string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.Written)
	}
	return strings.TrimSpace(b.String())
}

// Spoken returns the text for the voice.
func (t Text) Spoken() string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.Spoken)
	}
	return b.String()
}

// At returns the text of the first n bytes of Spoken, and the rest. A span that is not spoken as it was written is in the rest unless
// all of it was spoken.
func (t Text) At(n int) (heard, rest Text) {
	heard, rest = t.split(n, false)
	if strings.TrimSpace(heard.Spoken()) == "" {
		return nil, t
	}
	return heard.trimmed(), rest.trimmed()
}

// split cuts a text after n bytes of Spoken. A span that is not spoken as it was written stays whole: the cut is moved behind it if
// up is set, and before it otherwise. Spans without sound stay with the word before them, or else with what follows.
func (t Text) split(n int, up bool) (before, after Text) {
	spaced := true // the spoken text so far ends in white space
	for i, s := range t {
		switch {
		case s.Spoken == "" && (n > 0 || !spaced):
		case n == 0:
			return t[:i:i], slices.Clone(t[i:])
		case len(s.Spoken) <= n:
			n -= len(s.Spoken)
			spaced = unicode.IsSpace(lastRune(s.Spoken))
		case s.plain():
			before = append(t[:i:i], Plain(s.Spoken[:n])...)
			return before, append(Plain(s.Spoken[n:]), t[i+1:]...)
		case up:
			return t[: i+1 : i+1], slices.Clone(t[i+1:])
		default:
			return t[:i:i], slices.Clone(t[i:])
		}
	}
	return t, nil
}

// trimmed returns a text whose Spoken begins and ends without white space.
func (t Text) trimmed() Text {
	first, last := 0, len(t)-1
	for first < len(t) && strings.TrimSpace(t[first].Spoken) == "" {
		first++
	}
	for last > first && strings.TrimSpace(t[last].Spoken) == "" {
		last--
	}
	var trimmed Text
	for i, s := range t {
		before, after := "", ""
		if i <= first {
			before = s.Spoken[:len(s.Spoken)-len(strings.TrimLeftFunc(s.Spoken, unicode.IsSpace))]
			s.Spoken = s.Spoken[len(before):]
		}
		if i >= last {
			after = s.Spoken[len(strings.TrimRightFunc(s.Spoken, unicode.IsSpace)):]
			s.Spoken = s.Spoken[:len(s.Spoken)-len(after)]
		}
		if s.Words || s.Written != before+s.Spoken+after { // not spoken as written
			trimmed.append(Text{s})
			continue
		}
		trimmed.append(Text{{Written: before}, {Written: s.Spoken, Spoken: s.Spoken}, {Written: after}})
	}
	return trimmed
}

// add appends a span.
func (t *Text) add(written, spoken string) { t.append(Text{{Written: written, Spoken: spoken}}) }

// append adds the spans of another text, and joins those that are spoken as they were written. Empty ones are left out.
func (t *Text) append(other Text) {
	for _, s := range other {
		if s.Written == "" && s.Spoken == "" {
			continue
		}
		if last := len(*t) - 1; last >= 0 {
			l := &(*t)[last]
			if s.plain() && l.plain() || s.Spoken == "" && l.Spoken == "" {
				l.Written, l.Spoken = l.Written+s.Written, l.Spoken+s.Spoken
				continue
			}
		}
		*t = append(*t, s)
	}
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
