package anthropic

import (
	"regexp"
	"strings"
)

// thinking configures when the model thinks. Thinking is disabled where possible, because the caller waits.
type thinking struct {
	Type string `json:"type"`
}

// output sets the effort of models that always think.
type output struct {
	Effort string `json:"effort"`
}

// thinkingRoom is added to an answer's token limit for models whose thinking counts towards it.
const thinkingRoom = 1024

// family is the request parameters that a family of models supports.
type family struct {
	noSampling bool   // rejects temperature
	thinking   string // type of thinking for an immediate answer; "" where that is the default
	thinks     bool   // always thinks before it answers
}

// families begin the names of models; the first that fits counts. Models that
// are not listed take a temperature and do not think unless asked.
// https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide and the
// guides of the other models, November 2026.
var families = []struct {
	names *regexp.Regexp
	family
}{
	{regexp.MustCompile(`^claude-(opus-5-5|fable|mythos)`), family{noSampling: true, thinks: true}},
	{regexp.MustCompile(`^claude-(sonnet|haiku)-5-5`), family{noSampling: true, thinking: "between_tools"}},
	{regexp.MustCompile(`^claude-(opus|sonnet|haiku)-5`), family{noSampling: true, thinking: "disabled"}},
	{regexp.MustCompile(`^claude-opus-4-[78]`), family{noSampling: true}},
}

// familyOf returns the family of a model. Router prefixes, up to a slash, are ignored.
func familyOf(model string) family {
	name := model[strings.LastIndexByte(model, '/')+1:]
	for _, f := range families {
		if f.names.MatchString(name) {
			return f.family
		}
	}
	return family{}
}
