package voice

import "strings"

// language is the language in effect: the user's, where the agent has it, or
// else the agent's default; "" when neither is set.
func (s *Session) language() string {
	config := s.flow.config()
	wanted, _ := s.o.User["language"].(string)
	if chosen := chosenLanguage(config.Languages, wanted); chosen != "" {
		return chosen
	}
	return config.DefaultLanguage
}

// chosenLanguage is the language of a list that is wanted: the very one, or one
// of the same base (de for de-AT, pt-BR for pt); "" for none.
func chosenLanguage(languages []string, wanted string) string {
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
