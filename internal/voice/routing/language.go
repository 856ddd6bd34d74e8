package routing

import (
	"cmp"
	"strings"
)

// Language returns the language in effect: the user's, if the agent supports it, or else the agent's default; "" if
// neither is set.
func (r *Router) Language() string {
	return cmp.Or(r.ChosenLanguage(), r.Config().DefaultLanguage)
}

// ChosenLanguage returns the user's language, if the agent supports it.
func (r *Router) ChosenLanguage() string {
	return matchLanguage(r.Config().Languages, r.userLanguage())
}

// userLanguage returns the user's language; "" for none.
func (r *Router) userLanguage() string {
	user, _ := r.scope["user"].(map[string]any)
	wanted, _ := user["language"].(string)
	return wanted
}

// matchLanguage returns the entry of a list that matches a language: the same, or one of the same base (de for de-AT,
// pt-BR for pt); "" for none.
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
