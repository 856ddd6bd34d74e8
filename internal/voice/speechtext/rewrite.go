package speechtext

import "unicode/utf8"

// rewrite replaces what find finds: the length of what begins at a position, and the words that are spoken in its place. Spans that are
// spoken as they were written are divided; others keep what they were written as; those in words stay.
func (t Text) rewrite(find func(text string, at int) (length int, spoken string)) (rewritten Text) {
	for _, s := range t {
		if s.Words {
			rewritten = append(rewritten, s)
			continue
		}
		parts := replaceAll(s.Spoken, find)
		if !s.plain() {
			parts = Text{{Written: s.Written, Spoken: parts.Spoken()}}
		}
		rewritten.append(parts)
	}
	return rewritten
}

// Resolve returns a text with what find finds, which is spoken as it says, as if it had been written so: numbers in it are read as others.
func (t Text) Resolve(find func(text string, at int) (length int, spoken string)) Text {
	var resolved Text
	for _, s := range t {
		if !s.plain() {
			resolved = append(resolved, s)
			continue
		}
		for _, part := range replaceAll(s.Spoken, find) {
			part.Words = false
			resolved.append(Text{part})
		}
	}
	return resolved
}

// replaceAll returns a text with what find finds in it in words.
func replaceAll(text string, find func(text string, at int) (length int, spoken string)) (parts Text) {
	from := 0
	for at := 0; at < len(text); {
		length, spoken := find(text, at)
		if length == 0 {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		parts.add(text[from:at], text[from:at])
		parts = append(parts, Span{text[at : at+length], spoken, true})
		at += length
		from = at
	}
	parts.add(text[from:], text[from:])
	return parts
}
