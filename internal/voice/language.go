package voice

import (
	"cmp"
	"fmt"
	"strings"
)

// instructed is a system prompt with the language to speak, where one is set.
func (s *Session) instructed(system string) string {
	if language := s.language(); language != "" {
		return system + fmt.Sprintf("\n\nSpeak the language whose BCP 47 code is %s.", language)
	}
	return system
}

// language is the language in effect: the user's, where the agent has it, or
// else the agent's default; "" when neither is set.
func (s *Session) language() string {
	return cmp.Or(s.chosenLanguage(), s.flow.config().DefaultLanguage)
}

// chosenLanguage is the language that the user wants, if the agent has it.
func (s *Session) chosenLanguage() string {
	return oneOf(s.flow.config().Languages, s.userLanguage())
}

// userLanguage is the language that the user wants, whoever has it; "" for none.
func (s *Session) userLanguage() string {
	wanted, _ := s.o.User["language"].(string)
	return wanted
}

// multilingual is what Deepgram calls the recognition of several languages at
// once: no choice of the user is to narrow it.
const multilingual = "multi"

// recognised is the language to recognise: the one that the user chose, or else
// the agent's for recognition, or else the one that it speaks.
func recognised(own, chosen, usual string) string {
	if chosen != "" && own != multilingual {
		return chosen
	}
	return cmp.Or(own, usual)
}

// oneOf is the language of a list that is wanted: the very one, or one
// of the same base (de for de-AT, pt-BR for pt); "" for none.
func oneOf(languages []string, wanted string) string {
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
