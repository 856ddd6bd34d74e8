package openai

import "strings"

const (
	thoughtsBegin = "<think>"
	thoughtsEnd   = "</think>"
	white         = " \r\n\t"
)

// thoughts removes what a model thinks before it answers, which servers without a parser for the model send as part of
// the text: <think>...</think> at the beginning (https://docs.vllm.ai/en/latest/features/reasoning_outputs/). The zero
// value is the beginning of an answer.
type thoughts struct {
	held    string // text of which it is not known yet what it is
	within  bool
	ended   bool // the thoughts did; white space follows
	decided bool // the rest is the answer
}

// strip returns the part of a text that is known to be the answer's.
func (t *thoughts) strip(text string) string {
	if t.decided {
		return text
	}
	t.held += text
	if t.ended {
		if t.held = strings.TrimLeft(t.held, white); t.held == "" {
			return ""
		}
		return t.remainder()
	}
	if !t.within {
		begin := strings.TrimLeft(t.held, white)
		switch {
		case strings.HasPrefix(begin, thoughtsBegin):
			t.within, t.held = true, begin[len(thoughtsBegin):]
		case strings.HasPrefix(thoughtsBegin, begin):
			return ""
		default:
			return t.remainder()
		}
	}
	if _, after, ended := strings.Cut(t.held, thoughtsEnd); ended {
		t.within, t.ended, t.held = false, true, ""
		return t.strip(after)
	}
	t.held = t.held[max(0, len(t.held)-len(thoughtsEnd)):]
	return ""
}

// remainder returns what was held back, at the end of the answer.
func (t *thoughts) remainder() string {
	held := t.held
	if t.within {
		held = ""
	}
	t.held, t.decided = "", true
	return held
}
