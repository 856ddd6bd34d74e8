package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// LanguageSettings replace those of the agent while it speaks a language.
type LanguageSettings struct {
	Prompt *LanguagePrompt `json:"prompt,omitempty" doc:"System prompt and greeting in the language. Default: those of the agent."`
	STT    *STT            `json:"stt,omitempty" doc:"Speech-to-text settings, with fallback. Default: those of the agent."`
	TTS    *TTS            `json:"tts,omitempty" doc:"Text-to-speech settings, with fallback and pronunciations. Default: those of the agent."`
}

// LanguagePrompt is a Prompt of which each text may be left out.
type LanguagePrompt struct {
	System   string `json:"system,omitempty" maxLength:"100000" doc:"System prompt. May contain templates. Default: that of the agent." example:"Du bist der freundliche Empfang einer Zahnarztpraxis."`
	Greeting string `json:"greeting,omitempty" maxLength:"100000" doc:"Greeting that the agent speaks first. May contain templates. Default: that of the agent." example:"Guten Tag, wie kann ich helfen?"`
}

// In returns the configuration while the agent speaks a language of Languages.
func (c Config) In(language string) Config {
	own, ok := c.ByLanguage[language]
	if !ok {
		return c
	}
	if p := own.Prompt; p != nil {
		c.Prompt = Prompt{System: cmp.Or(p.System, c.Prompt.System), Greeting: cmp.Or(p.Greeting, c.Prompt.Greeting)}
	}
	if own.STT != nil {
		c.STT = *own.STT
	}
	if own.TTS != nil {
		c.TTS = *own.TTS
	}
	return c
}

// InEach returns the configuration without and with the settings of each language.
func (c Config) InEach() []Config {
	list := []Config{c}
	for _, language := range slices.Sorted(maps.Keys(c.ByLanguage)) {
		list = append(list, c.In(language))
	}
	return list
}

// byLanguage checks the settings of each language.
func (i *validation) byLanguage(c Config) {
	for _, language := range slices.Sorted(maps.Keys(c.ByLanguage)) {
		path, own := "config.by_language."+language, c.ByLanguage[language]
		if language != c.DefaultLanguage && !slices.Contains(c.Languages, language) {
			i.Fault(path, "is neither one of languages nor default_language")
			continue
		}
		if p := own.Prompt; p != nil {
			for _, text := range [][2]string{{"system", p.System}, {"greeting", p.Greeting}} {
				i.Text(path+".prompt."+text[0], text[1], MaxPrompt)
				i.template(path+".prompt."+text[0], text[1])
			}
		}
		if own.STT != nil {
			for n, choice := range own.STT.Choices() {
				i.stt(choicePath(path+".stt", n), choice)
			}
		}
		if own.TTS != nil {
			for n, choice := range own.TTS.Choices() {
				i.tts(choicePath(path+".tts", n), choice)
			}
		}
	}
}

// languagesAuto checks that the agent can follow its caller into each of its languages.
func (i *validation) languagesAuto(c Config) {
	if !c.LanguagesAuto {
		return
	}
	if len(c.Languages) < 2 {
		i.Fault("config.languages_auto", "needs at least two languages")
		return
	}
	if !c.needsCascade() {
		return
	}
	if c.STT.Language != "" && c.STT.Language != "multi" {
		i.Fault("config.stt.language", "does not belong to an agent with languages_auto: its recogniser detects the language")
	}
	for n, language := range c.Languages {
		if languageForm.MatchString(language) {
			i.knowsLanguage(fmt.Sprintf("config.languages[%d]", n), c.In(language), language)
		}
	}
}

// knowsLanguage refuses a language that the recogniser or the voice does not have.
func (i *validation) knowsLanguage(path string, c Config, language string) {
	if i.providers.Has("stt", c.STT.Provider) && !i.providers.KnowsLanguage("stt", c.STT.Provider, c.STT.Model, language) {
		i.Fault(path, "%s does not recognise %s: give it a recogniser in by_language", strings.TrimSpace(c.STT.Provider+" "+c.STT.Model), language)
	}
	if i.providers.Has("tts", c.TTS.Provider) && !i.providers.KnowsLanguage("tts", c.TTS.Provider, c.TTS.Model, language) {
		i.Fault(path, "%s does not speak %s: give it a voice in by_language", strings.TrimSpace(c.TTS.Provider+" "+c.TTS.Model), language)
	}
}
