package anthropic

import (
	"regexp"
	"strings"
)

// thinking says when the model thinks. A caller does not wait for thoughts.
type thinking struct {
	Type string `json:"type"`
}

// output sets how much a model thinks that always does.
type output struct {
	Effort string `json:"effort"`
}

// thinkingRoom is what an answer's limit is raised by, in tokens, for models
// whose thoughts count as part of the answer.
const thinkingRoom = 1024

// family is what a family of models takes of a request.
type family struct {
	noSampling bool   // refuses temperature
	thinking   string // type of thinking that has it answer at once; "" where that is the default
	thinks     bool   // always, before it answers
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

// familyOf returns the family of a model. Routers put their own name and a slash
// before a model's.
func familyOf(model string) family {
	name := model[strings.LastIndexByte(model, '/')+1:]
	for _, f := range families {
		if f.names.MatchString(name) {
			return f.family
		}
	}
	return family{}
}
