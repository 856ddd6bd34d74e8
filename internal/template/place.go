package template

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Place is the position of a reference or a context path, which determines the sources that are available: see
// Warning.
type Place struct{ sources []string } // in the order in which messages list them

// The places.
var (
	// InPrompt is a text of an agent: its prompt, greeting, silence prompt.
	InPrompt = Place{[]string{"user", "call", "workflow", "flags", "vars", "now", "today", "prompt"}}
	// InMapping is a context path of a workflow.
	InMapping = Place{[]string{"user", "call", "workflow", "flags", "vars", "now", "today"}}
	// InCondition is a condition of a workflow or a handoff.
	InCondition = Place{[]string{"user", "call", "workflow", "flags", "vars", "now", "today"}}
	// InAction is a text of a tool's action, and AfterRequest of one that
	// follows an api_call.
	InAction     = Place{[]string{"user", "call", "params", "workflow", "flags", "vars", "now", "today", "prompt"}}
	AfterRequest = Place{[]string{"user", "call", "params", "workflow", "flags", "result", "vars", "now", "today", "prompt"}}
)

// WithSecrets returns the place with secrets: that of the URL, a header or the body of an api_call.
func (p Place) WithSecrets() Place { return Place{append(slices.Clone(p.sources), "secrets")} }

// elsewhere says of the sources that not every place has where they are found.
var elsewhere = map[string]string{
	"params":  "only the actions of a tool have params",
	"result":  "only the actions of a tool that follow an api_call have result",
	"prompt":  "only prompts and the actions of tools can refer to the prompt library",
	"secrets": "only the URL, the headers and the body of an api_call have secrets",
}

// Warning returns why a path can never have a value at a place; "" if it may.
func (p Place) Warning(path string) string {
	steps := segments(path)
	source := steps[0]
	switch {
	case source == "prompt" && len(steps) == 1 && slices.Contains(p.sources, source):
		return "prompt leads nowhere: name a template of the library, as in prompt.<slug>"
	case source == "secrets" && len(steps) != 2 && slices.Contains(p.sources, source):
		return path + " leads nowhere: name a secret, as in secrets.<name>"
	case slices.Contains(p.sources, source):
		return momentWarning(path)
	case elsewhere[source] != "":
		return fmt.Sprintf("%s leads nowhere here: %s; paths start with %s", path, elsewhere[source], strings.Join(p.sources, ", "))
	}
	return fmt.Sprintf("%s leads nowhere: paths start with %s%s", path, strings.Join(p.sources, ", "), suggested(p.sources, source, path))
}

// Whole returns the problem of a path that is a source as a whole where a value is required; "" for every other
// path.
func (p Place) Whole(path string) string {
	if strings.ContainsAny(path, ".[") || !slices.Contains(p.sources, path) || path == "now" || path == "today" {
		return ""
	}
	return fmt.Sprintf("%s is all of %s, not a path in it: write %s.<name>", path, path, path)
}

// maxWarnings limits the warnings about one text.
const maxWarnings = 20

// loose matches what looks like a reference and is not one.
var loose = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// Warnings returns warnings about the references in a text: paths that never have a value, and braces without a path,
// which stay unchanged. Without duplicates.
func (p Place) Warnings(text string) (warnings []string) {
	for _, path := range Paths(text) {
		if why := p.Warning(path); why != "" {
			warnings = append(warnings, why)
		}
	}
	rest := reference.ReplaceAllString(text, "")
	for _, braces := range loose.FindAllString(rest, -1) {
		why := fmt.Sprintf("%.100s holds no path and stays as it is: write one such as {{%s.name}}", braces, p.sources[0])
		if !slices.Contains(warnings, why) {
			warnings = append(warnings, why)
		}
	}
	if strings.Contains(loose.ReplaceAllString(rest, ""), "{{") {
		warnings = append(warnings, "{{ without }} stays as it is")
	}
	if more := len(warnings) - maxWarnings; more > 0 {
		warnings = append(warnings[:maxWarnings], fmt.Sprintf("and %d more like these", more))
	}
	return warnings
}

// Unfilled returns a warning about references in a text that is not rendered; "" without any.
func Unfilled(text string) string {
	if !strings.Contains(text, "{{") {
		return ""
	}
	return "{{ }} is not filled in here: the text is used as it is written"
}

// keyForm is a key of the workflow's state, as set_context sets it.
var keyForm = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_-]*$`)

// KeyWarning returns why a name, with or without "workflow.", can never be a key of the workflow's state; "" if it
// may.
func KeyWarning(name string) string {
	key := strings.TrimPrefix(name, "workflow.")
	if slices.Contains(AfterRequest.sources, name) {
		return fmt.Sprintf("%s is the name of a source, not a key of the workflow's state: write a key such as order_id or workflow.order_id", name)
	}
	if keyForm.MatchString(key) {
		return ""
	}
	why := fmt.Sprintf("%s can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id", name)
	path, ok := Path(name)
	if !ok {
		return why
	}
	switch steps := segments(path); {
	case steps[0] == "user", steps[0] == "call", steps[0] == "flags":
		return why + "; every agent sees user, call and flags anyway"
	case len(steps) == 1:
		return why + "; did you mean " + steps[0] + "?"
	case steps[0] == "workflow", near(steps[0], "workflow"):
		return why + "; did you mean workflow." + steps[1] + "?"
	}
	return why
}

// inputForm is a name that {{workflow.<name>}} finds.
var inputForm = regexp.MustCompile(`^[\p{L}\p{N}_-]+$`)

// InputWarning returns why an agent's input can never be referred to; "" if it can.
func InputWarning(name string) string {
	if inputForm.MatchString(name) {
		return ""
	}
	why := fmt.Sprintf("%s can be no input: name it with letters, digits, underscores and hyphens, for templates refer to it as {{workflow.<name>}}", name)
	if plain, ok := strings.CutPrefix(name, "workflow."); ok && inputForm.MatchString(plain) {
		return why + "; did you mean " + plain + "?"
	}
	return why
}

// suggested asks whether another source was meant, if one differs by a single typing error.
func suggested(sources []string, source, path string) string {
	for _, other := range sources {
		if near(source, other) {
			return "; did you mean " + other + strings.TrimPrefix(path, source) + "?"
		}
	}
	return ""
}

// near reports whether two words differ by one letter that is missing, additional, wrong or swapped, ignoring case.
func near(a, b string) bool {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	at := 0
	for at < len(x) && x[at] == y[at] {
		at++
	}
	switch {
	case len(x) < len(y):
		return slices.Equal(x[at:], y[at+1:])
	case at == len(x), slices.Equal(x[at+1:], y[at+1:]):
		return true
	}
	return at+1 < len(x) && x[at] == y[at+1] && x[at+1] == y[at] && slices.Equal(x[at+2:], y[at+2:])
}
