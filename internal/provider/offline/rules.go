package offline

import (
	"encoding/json"
	"regexp"
	"strings"
)

// rule is one line of a rule script:
//
//   - opening hours | when do you open => We are open from nine to five. [end_call]
//
// The alternatives on the left are consecutive words of the caller's utterance; (start) matches the start of the conversation,
// (silence) a silent caller, and * everything else. On the right are the text to speak and the tools to call after it.
type rule struct {
	alternatives [][]string // words
	say          string
	calls        []directive
}

// directive is a tool call in brackets: [name] or [name {"a": 1}].
type directive struct {
	tool      string
	arguments json.RawMessage // a JSON object
}

const (
	startWord    = "(start)"
	silenceWord  = "(silence)"
	fallbackWord = "*"
)

var (
	ruleLine     = regexp.MustCompile(`^\s*[-*•]\s+(.+?)\s*=>\s*(.*?)\s*$`)
	oneDirective = regexp.MustCompile(`^\[\s*([A-Za-z][A-Za-z0-9_-]{0,63})\s*(\{.*\})?\s*\]$`)
	notAWord     = regexp.MustCompile(`[^\p{L}\p{N}']+`)
)

// parseRules parses the rules in a system prompt. Other lines are ignored.
func parseRules(system string) []rule {
	var rules []rule
	for line := range strings.Lines(system) {
		m := ruleLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		r := rule{}
		for alternative := range strings.SplitSeq(m[1], "|") {
			switch a := strings.TrimSpace(alternative); a {
			case startWord, silenceWord, fallbackWord:
				r.alternatives = append(r.alternatives, []string{a})
			default:
				if w := words(a); len(w) > 0 {
					r.alternatives = append(r.alternatives, w)
				}
			}
		}
		r.say, r.calls = cutDirectives(m[2])
		if len(r.alternatives) > 0 {
			rules = append(rules, r)
		}
	}
	return rules
}

// cutDirectives removes the tool calls from the end of an answer.
func cutDirectives(right string) (say string, calls []directive) {
	for {
		right = strings.TrimSpace(right)
		start, d, ok := lastDirective(right)
		if !ok {
			return right, calls
		}
		calls = append([]directive{d}, calls...)
		right = right[:start]
	}
}

// lastDirective returns the tool call that a text ends with, and its position. Brackets inside the arguments are
// skipped.
func lastDirective(text string) (start int, d directive, ok bool) {
	for start = strings.LastIndexByte(text, '['); start >= 0; start = strings.LastIndexByte(text[:start], '[') {
		m := oneDirective.FindStringSubmatch(text[start:])
		if m == nil {
			continue
		}
		d = directive{tool: m[1], arguments: json.RawMessage("{}")}
		if m[2] != "" {
			d.arguments = json.RawMessage(m[2])
		}
		if json.Valid(d.arguments) {
			return start, d, true
		}
	}
	return 0, directive{}, false
}

// words returns an utterance's words in lower case, without punctuation.
func words(text string) []string {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	var list []string
	for w := range strings.FieldsSeq(notAWord.ReplaceAllString(text, " ")) {
		if w = strings.Trim(w, "'"); w != "" {
			list = append(list, w)
		}
	}
	return list
}

// match returns the rule whose longest alternative occurs in the utterance; the first among equals; nil for none.
func match(rules []rule, heard []string) *rule {
	var best *rule
	var most int
	for i := range rules {
		for _, a := range rules[i].alternatives {
			if weight := weight(a); weight > most && holds(heard, a) {
				best, most = &rules[i], weight
			}
		}
	}
	return best
}

// weight returns how specific an alternative is: by words, then by letters.
func weight(alternative []string) int {
	letters := 0
	for _, w := range alternative {
		letters += len(w)
	}
	return len(alternative)*1000 + min(letters, 999)
}

// holds reports whether words occur consecutively in an utterance.
func holds(heard, wanted []string) bool {
	for i := 0; i+len(wanted) <= len(heard); i++ {
		same := true
		for j, w := range wanted {
			same = same && heard[i+j] == w
		}
		if same {
			return true
		}
	}
	return false
}

// special returns the rule for (start), (silence) or *.
func special(rules []rule, word string) *rule {
	for i := range rules {
		for _, a := range rules[i].alternatives {
			if len(a) == 1 && a[0] == word {
				return &rules[i]
			}
		}
	}
	return nil
}
