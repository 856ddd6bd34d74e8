package answering

import (
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// OwnPhrases are phrases of a tenant for one class.
type OwnPhrases struct {
	Language string
	Class    Class
	Phrases  []string
}

// pattern is a phrase as normalised words. "*" stands for up to maxSkipped words, and one that ends in "~" for all
// that begin so.
type pattern struct {
	words    []string
	text     string
	language string
	class    Class
	weight   float64
}

func (p pattern) evidence() Evidence {
	detail := p.language + ": " + p.text
	return Evidence{Layer: Phrases, Class: p.class, Cause: Phrase, Confidence: p.weight, Detail: detail}
}

// maxSkipped is the number of words that "*" stands for at most.
const maxSkipped = 3

// maxWords bounds the words that are looked at.
const maxWords = 400

// words is the transcript, and the phrases that occurred in it.
type words struct {
	own     patternIndex
	final   string
	interim string
	finalAt time.Time // when the last final transcript came
	heardAt time.Time // when a word was last recognised
	found   map[string]bool
	latest  []pattern
}

func newWords(own []OwnPhrases) words {
	var patterns []pattern
	for _, o := range own {
		for _, text := range o.Phrases {
			patterns = append(patterns, newPattern(text, o.Language, o.Class, ownWeight))
		}
	}
	return words{found: map[string]bool{}, own: indexPatterns(patterns)}
}

// restart forgets the transcript: what follows is judged alone.
func (w *words) restart() {
	w.final, w.interim, w.found, w.latest = "", "", map[string]bool{}, nil
}

// text returns the whole transcript.
func (w *words) text() string { return strings.TrimSpace(w.final + " " + w.interim) }

// add adds a transcript and looks for phrases.
func (w *words) add(text string, final bool, at time.Time) {
	if strings.TrimSpace(text) != "" && text != w.interim {
		w.heardAt = at
	}
	w.interim = text
	if final {
		w.final, w.interim, w.finalAt = strings.TrimSpace(w.final+" "+text), "", at
	}
	said := normalized(w.text())
	if len(said) > maxWords {
		said = said[len(said)-maxWords:]
	}
	for _, index := range []patternIndex{w.own, builtIn} {
		for _, p := range index.occurring(said) {
			if !w.found[p.text] {
				w.found[p.text] = true
				w.latest = append(w.latest, p)
			}
		}
	}
}

// newMatches returns the phrases that occurred since the last time.
func (w *words) newMatches() []pattern {
	latest := w.latest
	w.latest = nil
	return latest
}

// newPattern normalises a phrase.
func newPattern(text, language string, class Class, weight float64) pattern {
	p := pattern{text: text, language: language, class: class, weight: weight}
	for _, field := range strings.Fields(text) {
		if field == "*" {
			p.words = append(p.words, field)
			continue
		}
		stem, isStem := strings.CutSuffix(field, "~")
		parts := normalized(stem)
		if isStem && len(parts) > 0 {
			parts[len(parts)-1] += "~"
		}
		p.words = append(p.words, parts...)
	}
	return p
}

// matchesHere reports whether what was said begins with the words of a pattern.
func matchesHere(pattern, said []string) bool {
	for i, word := range pattern {
		if word == "*" {
			for skipped := 0; skipped <= maxSkipped && i+skipped <= len(said); skipped++ {
				if matchesHere(pattern[i+1:], said[i+skipped:]) {
					return true
				}
			}
			return false
		}
		if i >= len(said) || !sameWord(word, said[i]) {
			return false
		}
	}
	return true
}

func sameWord(pattern, word string) bool {
	if stem, ok := strings.CutSuffix(pattern, "~"); ok {
		return strings.HasPrefix(word, stem)
	}
	return pattern == word
}

var lettersWithoutParts = strings.NewReplacer("ß", "ss", "ł", "l", "ø", "o", "æ", "ae", "œ", "oe", "đ", "d")

// normalized returns the words of a text in lower case, without accents and apostrophes.
func normalized(text string) []string {
	text = lettersWithoutParts.Replace(strings.ToLower(text))
	var b strings.Builder
	for _, r := range norm.NFD.String(text) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case r == '\'' || r == '’':
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}
