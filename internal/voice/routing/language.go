package routing

import (
	"cmp"
	"strings"
)

// Language is the language in effect: the user's, where the agent has it, or
// else the agent's default; "" when neither is set.
func (r *Router) Language() string {
	return cmp.Or(r.ChosenLanguage(), r.Config().DefaultLanguage)
}

// ChosenLanguage is the language that the user wants, if the agent has it.
func (r *Router) ChosenLanguage() string {
	return matchLanguage(r.Config().Languages, r.userLanguage())
}

// userLanguage is the language that the user wants; "" for none.
func (r *Router) userLanguage() string {
	user, _ := r.scope["user"].(map[string]any)
	wanted, _ := user["language"].(string)
	return wanted
}

// matchLanguage is the language of a list that is wanted: the very one, or one
// of the same base (de for de-AT, pt-BR for pt); "" for none.
func matchLanguage(languages []string, wanted string) string {
	if wanted == "" {
		return ""
	}
	for _, same := range []func(a, b string) bool{strings.EqualFold, func(a, b string) bool { return strings.EqualFold(baseLanguage(a), baseLanguage(b)) }} {
		for _, language := range languages {
			if same(language, wanted) {
				return language
			}
		}
	}
	return ""
}

func baseLanguage(code string) string {
	base, _, _ := strings.Cut(code, "-")
	return base
}
