package routing

import (
	"cmp"
	"strings"
)

// Language returns the language in effect: the user's, if the agent supports it, or else the agent's default; "" if
// neither is set.
func (r *Router) Language() string {
	return cmp.Or(r.ChosenLanguage(), r.plan.Agents[r.agent].DefaultLanguage)
}

// ChosenLanguage returns the user's language, if the agent supports it.
func (r *Router) ChosenLanguage() string { return r.Supported(r.userLanguage()) }

// Supported returns the agent's own code of a language; "" if the agent does not support it.
func (r *Router) Supported(language string) string {
	return matchLanguage(r.plan.Agents[r.agent].Languages, language)
}

// ChangeLanguage makes the language that the user speaks the user's choice, for the rest of the call; "" undoes that.
func (r *Router) ChangeLanguage(spoken string) { r.spoken = spoken }

// SpokenLanguage returns what ChangeLanguage has set.
func (r *Router) SpokenLanguage() string { return r.spoken }

// userLanguage returns the user's language: the one that the user speaks, or has chosen; "" for none.
func (r *Router) userLanguage() string {
	if r.spoken != "" {
		return r.spoken
	}
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
