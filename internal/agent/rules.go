package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/fault"
	"parley/internal/template"
)

// Limits, in characters where texts are meant.
const (
	MaxDisplayName = 255
	MaxPrompt      = 100_000 // of the system prompt, and of the greeting
	MaxVoiceID     = 255
	MaxKey         = 255 // of a context key
	MaxListed      = 200 // entries of each list in a configuration
	MinSpeed       = 0.25
	MaxSpeed       = 4
	MaxTemperature = 2
)

// The forms of names, as regular expressions.
const (
	NamePattern     = `^[a-z0-9][a-z0-9_-]{0,99}$`
	ModelPattern    = `^[a-z0-9][a-z0-9._:/-]{0,99}$`
	ToolPattern     = `^[a-zA-Z][a-zA-Z0-9_]{0,63}$` // what language models accept as a function's name
	LanguagePattern = `^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,4}$`
)

var (
	nameForm     = regexp.MustCompile(NamePattern)
	modelForm    = regexp.MustCompile(ModelPattern)
	toolForm     = regexp.MustCompile(ToolPattern)
	languageForm = regexp.MustCompile(LanguagePattern)
)

const (
	nameHint     = "must be 1 to 100 lowercase letters, digits, hyphens and underscores, the first a letter or digit"
	modelHint    = "must be a lowercase identifier of at most 100 characters"
	toolHint     = "must be 1 to 64 letters, digits and underscores, the first a letter"
	languageHint = "must be a language code such as en or pt-BR"
	required     = "is required"
)

// Providers are what a configuration can choose from. Kinds are stt, tts and
// llm.
type Providers interface {
	Has(kind, name string) bool
	Names(kind string) []string
	KnowsModel(kind, name, model string) bool
	// KnowsVoice reports whether a voice can exist; any can where the
	// provider's voices are not fixed.
	KnowsVoice(name, voice string) bool
}

// inspection gathers what is wrong with a configuration, and what may be.
type inspection struct {
	providers Providers
	turn      func(json.RawMessage) []fault.Detail
	faults    []fault.Detail
	warnings  []string
}

func (i *inspection) fault(path, format string, args ...any) {
	i.faults = append(i.faults, fault.Detail{Field: path, Message: fmt.Sprintf(format, args...)})
}

// warn tells of what is accepted and may still be a mistake.
func (i *inspection) warn(path, format string, args ...any) {
	i.warnings = append(i.warnings, path+": "+fmt.Sprintf(format, args...))
}

func (i *inspection) names(name string, displayName *string) {
	switch {
	case name == "":
		i.fault("name", required)
	case !nameForm.MatchString(name):
		i.fault("name", nameHint)
	}
	if displayName != nil {
		i.length("display_name", *displayName, MaxDisplayName)
	}
}

func (i *inspection) config(c Config) {
	if strings.TrimSpace(c.Prompt.System) == "" {
		i.fault("config.prompt.system", required)
	}
	i.length("config.prompt.system", c.Prompt.System, MaxPrompt)
	i.length("config.prompt.greeting", c.Prompt.Greeting, MaxPrompt)

	if c.STT == (STT{}) {
		i.fault("config.stt", required)
	} else {
		i.provider("stt", c.STT.Provider)
		i.model("stt", c.STT.Provider, c.STT.Model)
		i.language("config.stt.language", c.STT.Language)
	}
	if c.TTS == (TTS{}) {
		i.fault("config.tts", required)
	} else {
		i.provider("tts", c.TTS.Provider)
		if strings.TrimSpace(c.TTS.VoiceID) == "" {
			i.fault("config.tts.voice_id", required)
		}
		i.length("config.tts.voice_id", c.TTS.VoiceID, MaxVoiceID)
		if i.providers.Has("tts", c.TTS.Provider) && c.TTS.VoiceID != "" && !i.providers.KnowsVoice(c.TTS.Provider, c.TTS.VoiceID) {
			i.warn("config.tts.voice_id", "%s has no voice %s", c.TTS.Provider, c.TTS.VoiceID)
		}
		if s := c.TTS.Speed; s != nil && (*s < MinSpeed || *s > MaxSpeed) {
			i.fault("config.tts.speed", "must be between %v and %v", MinSpeed, MaxSpeed)
		}
	}
	if c.LLM == (LLM{}) {
		i.fault("config.llm", required)
	} else {
		i.provider("llm", c.LLM.Provider)
		i.model("llm", c.LLM.Provider, c.LLM.Model)
		if t := c.LLM.Temperature; t != nil && (*t < 0 || *t > MaxTemperature) {
			i.fault("config.llm.temperature", "must be between 0 and %v", MaxTemperature)
		}
		if n := c.LLM.MaxTokens; n != nil && *n < 1 {
			i.fault("config.llm.max_tokens", "must be at least 1")
		}
	}
	i.lists(c)
	if turn := strings.TrimSpace(string(c.Turn)); turn != "" && turn[0] != '{' {
		i.fault("config.turn", "must be an object")
	} else if turn != "" && i.turn != nil {
		for _, d := range i.turn(c.Turn) {
			i.fault("config.turn."+d.Field, "%s", d.Message)
		}
	}
}

// lists checks what there may be several of.
func (i *inspection) lists(c Config) {
	if i.count("config.tools", len(c.Tools)) {
		for n, tool := range c.Tools {
			path := fmt.Sprintf("config.tools[%d]", n)
			if !toolForm.MatchString(tool) {
				i.fault(path, toolHint)
			} else if slices.Contains(c.Tools[:n], tool) {
				i.fault(path, "names %s a second time", tool)
			}
		}
	}
	if i.count("config.handoffs", len(c.Handoffs)) {
		for n, h := range c.Handoffs {
			i.handoff(fmt.Sprintf("config.handoffs[%d]", n), h)
		}
	}
	if i.count("config.languages", len(c.Languages)) {
		for n, code := range c.Languages {
			if !languageForm.MatchString(code) {
				i.fault(fmt.Sprintf("config.languages[%d]", n), languageHint)
			}
		}
	}
	i.language("config.default_language", c.DefaultLanguage)
}

func (i *inspection) handoff(path string, h Handoff) {
	switch {
	case h.TargetAgent == "":
		i.fault(path+".target_agent", required)
	case !nameForm.MatchString(h.TargetAgent):
		i.fault(path+".target_agent", nameHint)
	}
	if h.Condition != "" {
		if _, err := template.Compile(h.Condition); err != nil {
			i.fault(path+".condition", "%s", err)
		}
	}
	if i.count(path+".context_pass", len(h.ContextPass)) {
		for n, key := range h.ContextPass {
			at := fmt.Sprintf("%s.context_pass[%d]", path, n)
			if key == "" {
				i.fault(at, "must not be empty")
			}
			i.length(at, key, MaxKey)
		}
	}
}

func (i *inspection) provider(kind, name string) {
	path := "config." + kind + ".provider"
	switch {
	case name == "":
		i.fault(path, required)
	case !i.providers.Has(kind, name):
		i.fault(path, "must be one of %s", strings.Join(i.providers.Names(kind), ", "))
	}
}

func (i *inspection) model(kind, provider, model string) {
	path := "config." + kind + ".model"
	switch {
	case model == "":
		i.fault(path, required)
	case !modelForm.MatchString(model):
		i.fault(path, modelHint)
	case i.providers.Has(kind, provider) && !i.providers.KnowsModel(kind, provider, model):
		i.warn(path, "%s is not among the models known of %s", model, provider)
	}
}

func (i *inspection) language(path, code string) {
	if code != "" && !languageForm.MatchString(code) {
		i.fault(path, languageHint)
	}
}

func (i *inspection) length(path, text string, most int) {
	if utf8.RuneCountInString(text) > most {
		i.fault(path, "must have at most %d characters", most)
	}
	if strings.ContainsRune(text, 0) {
		i.fault(path, "must not hold the character NUL")
	}
}

func (i *inspection) count(path string, n int) bool {
	if n > MaxListed {
		i.fault(path, "must have at most %d items", MaxListed)
	}
	return n <= MaxListed
}
