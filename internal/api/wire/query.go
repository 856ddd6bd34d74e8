package wire

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/fault"
)

// queryField is the field of an error whose parameter name cannot be shown.
const queryField = "query"

// checkParameters returns the faults that huma does not look for in path and
// query: pairs that url.ParseQuery would drop, and with them a filter; a
// parameter that is given more than once, of which all but one would be
// dropped; text that no database stores; and misspelled names. ignored are the other names in the query
// that the operation does not know.
func checkParameters(description *huma.OpenAPI, op *huma.Operation, r *http.Request) (faults []fault.Detail, ignored []string) {
	refuse := func(field, message string) {
		if !slices.ContainsFunc(faults, func(f fault.Detail) bool { return f.Field == field }) {
			faults = append(faults, fault.Detail{Field: field, Message: message})
		}
	}
	known := map[string]bool{}
	for _, p := range op.Parameters {
		switch p.In {
		case "path":
			if !storable(r.PathValue(p.Name)) {
				refuse(p.Name, notStorable)
			}
		case "query":
			known[p.Name] = true
		}
	}
	given := map[string]bool{}
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if pair == "" {
			continue
		}
		name, value, problem := parsePair(pair)
		switch {
		case problem != "":
			refuse(nameOrQuery(name), problem)
		case isOfFamily(known, name):
			if !storable(value) {
				refuse(nameOrQuery(name), notStorable)
			} else if given[name] {
				refuse(nameOrQuery(name), "must be given only once")
			}
		case !known[name]:
			if meant := misspelled(name, slices.Sorted(maps.Keys(known))); meant != "" && !isParameterElsewhere(description, name) {
				refuse(nameOrQuery(name), didYouMean(meant))
			} else if !slices.Contains(ignored, name) && len(ignored) < maxIgnored {
				ignored = append(ignored, name)
			}
		case given[name]:
			refuse(name, "must be given only once")
		case !storable(value):
			refuse(name, notStorable)
		}
		given[name] = true
	}
	return faults, ignored
}

// anyKey ends the name of a parameter that stands for a family of parameters, whose names have anything in its place.
const anyKey = "{key}"

// isOfFamily reports whether a name belongs to a family among the known parameters.
func isOfFamily(known map[string]bool, name string) bool {
	prefix, key, _ := strings.Cut(name, ".")
	return key != "" && known[prefix+"."+anyKey]
}

// Family returns the values of a request's parameters of a family, such as metadata.{key}, by their keys.
func Family(ctx huma.Context, family string) map[string]string {
	prefix := strings.TrimSuffix(family, anyKey)
	u := ctx.URL()
	values := map[string]string{}
	for name, given := range u.Query() {
		if key, ok := strings.CutPrefix(name, prefix); ok && key != "" {
			values[key] = given[0]
		}
	}
	return values
}

// parsePair decodes one name=value of a query; problem says what is wrong with
// it. The name is "" when it is broken itself.
func parsePair(pair string) (name, value, problem string) {
	rawName, rawValue, _ := strings.Cut(pair, "=")
	name, err := url.QueryUnescape(rawName)
	if err != nil || strings.Contains(rawName, ";") {
		name = ""
	}
	if strings.Contains(pair, ";") {
		return name, "", `must not hold a bare ";": ampersands separate parameters, and %3B is the character itself`
	}
	if err == nil {
		value, err = url.QueryUnescape(rawValue)
	}
	if err != nil {
		return name, "", NotEscaped
	}
	return name, value, ""
}

const NotEscaped = `holds a "%" that two hexadecimal digits do not follow: %25 is the character itself`

// nameOrQuery returns a parameter's name as a detail shows it.
func nameOrQuery(name string) string {
	if name == "" || len(name) > maxPath || !storable(name) {
		return queryField
	}
	return name
}

const notStorable = "must be valid UTF-8 without the character NUL"

// storable reports whether every database stores a text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }
