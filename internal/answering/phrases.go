package answering

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
)

// phraseFiles have the phrases of one language each, as carriers, mailboxes, and the assistants of iOS and Pixel
// phones say them, and as people answer: a line for each, below the name of its section.
//
//go:embed phrases/*.txt
var phraseFiles embed.FS

// section says what a phrase of a section is worth where others occurred too.
type section struct {
	class  Class
	weight float64
}

var sections = map[string]section{
	"mailbox_full":           {MailboxFull, 0.98},
	"screening":              {Screening, 0.97},
	"voicemail after a tone": {Voicemail, 0.97},
	"human":                  {Human, 0.95},
	"menu":                   {Menu, 0.94},
	"screening: wait":        {Screening, 0.93},
	"voicemail":              {Voicemail, 0.92},
}

const (
	ownWeight   = 0.99
	clearlyMore = 0.025 // difference of weights up to which phrases disagree
	surely      = 0.97  // weight of a phrase that no person says in a conversation
)

// builtIn are the phrases of every language, by their first word: a call may be answered in another language than the
// agent's.
var builtIn = indexPatterns(readPhrases())

func readPhrases() (patterns []pattern) {
	files, err := phraseFiles.ReadDir("phrases")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		content, err := phraseFiles.ReadFile("phrases/" + file.Name())
		if err != nil {
			panic(err)
		}
		language := strings.TrimSuffix(file.Name(), ".txt")
		var current section
		for line := range strings.Lines(string(content)) {
			line = strings.TrimSpace(line)
			name, isHeading := strings.CutPrefix(line, "# ")
			switch {
			case line == "":
			case isHeading && sections[name] == section{}:
				panic(fmt.Sprintf("phrases/%s has a section %q", file.Name(), name))
			case isHeading:
				current = sections[name]
			default:
				patterns = append(patterns, newPattern(line, language, current.class, current.weight))
			}
		}
	}
	return patterns
}

// patternIndex finds the patterns that can begin with a word.
type patternIndex struct {
	byWord map[string][]pattern
	stems  []pattern // that begin with a stem
}

func indexPatterns(patterns []pattern) patternIndex {
	index := patternIndex{byWord: map[string][]pattern{}}
	for _, p := range patterns {
		switch {
		case len(p.words) == 0:
		case strings.HasSuffix(p.words[0], "~") || p.words[0] == "*":
			index.stems = append(index.stems, p)
		default:
			index.byWord[p.words[0]] = append(index.byWord[p.words[0]], p)
		}
	}
	return index
}

// occurring returns the patterns that occur in what was said.
func (x patternIndex) occurring(said []string) (found []pattern) {
	for at, word := range said {
		for _, candidates := range [][]pattern{x.byWord[word], x.stems} {
			for _, p := range candidates {
				if matchesHere(p.words, said[at:]) {
					found = append(found, p)
				}
			}
		}
	}
	return found
}

// best returns the match of the greatest weight, the first of several.
func best(matches []pattern) (p pattern, ok bool) {
	if len(matches) == 0 {
		return pattern{}, false
	}
	return slices.MaxFunc(matches, func(a, b pattern) int { return cmp.Compare(a.weight, b.weight) }), true
}

// disagree reports whether phrases of several classes occurred, of which none clearly outweighs the others.
func disagree(matches []pattern) bool {
	top, ok := best(matches)
	return ok && slices.ContainsFunc(matches, func(p pattern) bool {
		return p.class != top.class && top.weight-p.weight < clearlyMore
	})
}
