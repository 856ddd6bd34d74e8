package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/cost"
	"parley/internal/fault"
	"parley/internal/template"
	"parley/internal/variable"
)

// Limits, in characters where texts are meant.
const (
	MaxDisplayName = 255
	MaxPrompt      = 100_000 // of the system prompt, and of the greeting
	MaxVoiceID     = 255
	MaxKey         = 255 // of a context key
	MaxByLanguage  = 20  // languages with settings of their own
	MaxListed      = 200 // entries of each list in a configuration
	MaxAnalyses    = 20
	MaxKeyTerms    = 100 // of a recogniser
	MaxKeyTerm     = 100 // of a key term
	// MaxPronunciations limits the words of a voice, MaxPronouncedWord and MaxPronunciation a word and how it is spoken.
	MaxPronunciations, MaxPronouncedWord, MaxPronunciation = 500, 100, 200

	MaxTurn        = 64 << 10 // bytes of the settings of turn-taking, as JSON
	MaxConfig      = 1 << 20  // bytes of a configuration as JSON
	MinSpeed       = 0.25
	MaxSpeed       = 4
	MaxTemperature = 2
	// MinFirstToken and MaxFirstToken bound an LLM's FirstTokenTimeoutMS.
	MinFirstToken, MaxFirstToken = 500, 60_000
	// MinHistory and MaxHistory bound an LLM's HistoryCharacters.
	MinHistory, MaxHistory = 2_000, 1_000_000
	// MinVolume is the least volume of a background sound, in decibels, and MaxThinkingAfter the most milliseconds before a thinking sound.
	MinVolume, MaxThinkingAfter = -60, 10_000
	MaxDigits                   = 64     // keys of one entry
	MaxKeyTimeout               = 60_000 // milliseconds
)

// The forms of names, as regular expressions.
const (
	NamePattern     = `^[a-z0-9][a-z0-9_-]{0,99}$`
	ModelPattern    = `^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,99}$`
	ToolPattern     = `^[a-zA-Z][a-zA-Z0-9_]{0,63}$` // what language models accept as a function's name
	LanguagePattern = `^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,4}$`
	EmotionPattern  = `^[a-z]{1,30}$`
)

var (
	nameForm     = regexp.MustCompile(NamePattern)
	modelForm    = regexp.MustCompile(ModelPattern)
	toolForm     = regexp.MustCompile(ToolPattern)
	endKeyForm   = regexp.MustCompile(`^[0-9*#A-D]?$`)
	languageForm = regexp.MustCompile(LanguagePattern)
	emotionForm  = regexp.MustCompile(EmotionPattern)
)

// The values of settings with a choice.
var (
	normalizations = []string{NormalizationAuto, NormalizationOn, NormalizationOff}
	efforts        = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
)

const (
	nameHint     = "must be 1 to 100 lowercase letters, digits, hyphens and underscores, the first a letter or digit"
	modelHint    = "must be a lowercase identifier of at most 100 characters"
	toolHint     = "must be 1 to 64 letters, digits and underscores, the first a letter"
	languageHint = "must be a language code such as en or pt-BR"
	required     = "is required"
)

// Providers is the catalogue that a configuration is checked against. Kinds are stt, tts, llm and
// realtime.
type Providers interface {
	Has(kind, name string) bool
	Names(kind string) []string
	KnowsModel(kind, name, model string) bool
	// Shutdown returns the date on which a provider retires a model; "" if unknown.
	Shutdown(name, model string) string
	// Caveat returns, as a clause, what happens to a setting that a model does not support as it is; "" if the model supports it,
	// or is unknown. The parameter is named as in a configuration, "model" for the model itself; the value is a number, a text or
	// a list of texts.
	Caveat(kind, name, model, parameter string, value any) string
	// KnowsVoice reports whether a voice may exist; always true where the provider's voices are not fixed.
	KnowsVoice(name, voice string) bool
	// KnowsLanguage reports whether a model supports a BCP 47 tag. A model of "" is the provider's default.
	KnowsLanguage(kind, name, model, tag string) bool
}

// validation collects errors and warnings about a configuration.
type validation struct {
	fault.Findings
	providers Providers
	turn      func(json.RawMessage) []fault.Detail
	found     fault.Found // before the rules
	prompts   []named     // templates of the library
	variables []variable.Reference
}

func (i *validation) names(name string, displayName *string) {
	switch {
	case name == "":
		i.Fault("name", required)
	case !nameForm.MatchString(name):
		i.Fault("name", nameHint)
	}
	if displayName != nil {
		i.Text("display_name", *displayName, MaxDisplayName)
	}
}

func (i *validation) config(c Config) {
	if strings.TrimSpace(c.Prompt.System) == "" {
		i.Fault("config.prompt.system", required)
	}
	i.Text("config.prompt.system", c.Prompt.System, MaxPrompt)
	i.Text("config.prompt.greeting", c.Prompt.Greeting, MaxPrompt)
	i.template("config.prompt.system", c.Prompt.System)
	i.template("config.prompt.greeting", c.Prompt.Greeting)

	i.realtime(c)
	if c.needsCascade() {
		i.cascade(c)
	}
	if c.Timezone != "" {
		if _, err := template.Location(c.Timezone); err != nil {
			i.Fault("config.timezone", "%s", err)
		}
	}
	if _, ok := cost.ParseLimit(c.MaxCost); c.MaxCost != "" && !ok {
		i.Fault("config.max_cost", "must be a number greater than 0, such as 0.50")
	}
	if c.HoldSound != "" && !nameForm.MatchString(c.HoldSound) {
		i.Fault("config.hold_sound", nameHint)
	}
	if a := c.Ambience; a != nil {
		i.sound("config.ambience", a.Sound, a.VolumeDB)
	}
	if s := c.ThinkingSound; s != nil {
		i.sound("config.thinking_sound", s.Sound, s.VolumeDB)
		if ms := s.AfterMS; ms != nil && (*ms < 0 || *ms > MaxThinkingAfter) {
			i.Fault("config.thinking_sound.after_ms", "must be between 0 and %d", MaxThinkingAfter)
		}
	}
	i.audio(c.Audio)
	i.dtmf(c.DTMF)
	i.answerDetection(c.AnswerDetection)
	for _, d := range c.CallHook.Faults("config.call_hook") {
		i.Fault(d.Field, "%s", d.Message)
	}
	i.lists(c)
	if encoded, err := json.Marshal(c); err == nil && len(encoded) > MaxConfig { // merged parts may exceed a request's limit
		i.Fault("config", "has %d bytes, at most %d are allowed (limit agent_config)", len(encoded), MaxConfig)
	}
	if size := len(c.Turn); size > MaxTurn {
		i.Fault("config.turn", "has %d bytes, at most %d are allowed", size, MaxTurn)
		return
	}
	if turn := strings.TrimSpace(string(c.Turn)); turn != "" && turn[0] != '{' {
		i.Fault("config.turn", "must be an object")
	} else if turn != "" && i.turn != nil {
		for _, d := range i.turn(c.Turn) {
			i.Fault("config.turn."+d.Field, "%s", d.Message)
		}
	}
	i.turnTexts(c.Turn)
}

// cascade checks speech to text, language model and text to speech.
func (i *validation) cascade(c Config) {
	if reflect.ValueOf(c.STT).IsZero() && !i.found.Inside("config.stt") {
		i.Fault("config.stt", required)
	} else {
		for n, choice := range c.STT.Choices() {
			i.stt(choicePath("config.stt", n), choice)
		}
	}
	if reflect.ValueOf(c.TTS).IsZero() && !i.found.Inside("config.tts") {
		i.Fault("config.tts", required)
	} else {
		for n, choice := range c.TTS.Choices() {
			i.tts(choicePath("config.tts", n), choice)
		}
	}
	if c.LLM == (LLM{}) && !i.found.Inside("config.llm") {
		i.Fault("config.llm", required)
	} else {
		for n, choice := range c.LLM.Choices() {
			i.llm(choicePath("config.llm", n), choice)
		}
	}
}

// choicePath returns the path of the nth choice of a kind.
func choicePath(kind string, n int) string {
	if n == 0 {
		return kind
	}
	return kind + ".fallback"
}

func (i *validation) stt(path string, s STT) {
	i.provider(path, "stt", s.Provider)
	i.model(path, "stt", s.Provider, s.Model)
	i.language(path+".language", s.Language)
	i.known(path+".language", "stt", s.Provider, s.Model, s.Language)
	if !strings.HasSuffix(path, ".fallback") { // whose key terms are those of the provider that it replaces
		i.keyTerms(path+".key_terms", s.KeyTerms)
	}
	if len(s.KeyTerms) > 0 {
		i.warnUnsupported(path, "stt", s.Provider, s.Model, "key_terms", s.KeyTerms)
	}
}

func (i *validation) keyTerms(path string, terms []string) {
	if !i.Count(path, len(terms), MaxKeyTerms) {
		return
	}
	for n, term := range terms {
		at := fmt.Sprintf("%s[%d]", path, n)
		if strings.TrimSpace(term) == "" {
			i.Fault(at, "must not be empty")
		}
		i.Text(at, term, MaxKeyTerm)
	}
}

// warnUnsupported warns of a setting that a model does not support as it is.
func (i *validation) warnUnsupported(path, kind, provider, model, parameter string, value any) {
	if !i.providers.Has(kind, provider) {
		return
	}
	if warning := i.providers.Caveat(kind, provider, model, parameter, value); warning != "" {
		i.Warn(path+"."+parameter, "%s", warning)
	}
}

// known warns of a language that a provider does not support. The provider then uses a language of its choice.
func (i *validation) known(path, kind, provider, model, code string) {
	if code != "" && languageForm.MatchString(code) && i.providers.Has(kind, provider) && !i.providers.KnowsLanguage(kind, provider, model, code) {
		i.Warn(path, "%s does not know the language %s", strings.TrimSpace(provider+" "+model), code)
	}
}

func (i *validation) tts(path string, t TTS) {
	i.provider(path, "tts", t.Provider)
	if t.Model != "" {
		i.model(path, "tts", t.Provider, t.Model)
	}
	if strings.TrimSpace(t.VoiceID) == "" {
		i.Fault(path+".voice_id", required)
	}
	i.Text(path+".voice_id", t.VoiceID, MaxVoiceID)
	if why := template.Unfilled(t.VoiceID); why != "" {
		i.Warn(path+".voice_id", "%s", why)
	}
	if i.providers.Has("tts", t.Provider) && t.VoiceID != "" && !i.providers.KnowsVoice(t.Provider, t.VoiceID) {
		i.Warn(path+".voice_id", "%s has no voice %s", t.Provider, t.VoiceID)
	}
	if t.Speed != nil && (*t.Speed < MinSpeed || *t.Speed > MaxSpeed) {
		i.Fault(path+".speed", "must be between %v and %v", MinSpeed, MaxSpeed)
	} else if t.Speed != nil && *t.Speed != 1 {
		i.warnUnsupported(path, "tts", t.Provider, t.Model, "speed", *t.Speed)
	}
	if t.Emotion != "" && !emotionForm.MatchString(t.Emotion) {
		i.Fault(path+".emotion", "must be a word in lowercase letters")
	} else if t.Emotion != "" {
		i.warnUnsupported(path, "tts", t.Provider, t.Model, "emotion", t.Emotion)
	}
	if t.TextNormalization != "" && !slices.Contains(normalizations, t.TextNormalization) {
		i.Fault(path+".text_normalization", "must be one of %s", strings.Join(normalizations, ", "))
	}
	i.pronunciations(path+".pronunciations", t.Pronunciations)
}

// pronunciations checks the words that a voice speaks otherwise.
func (i *validation) pronunciations(path string, words map[string]string) {
	if !i.Count(path, len(words), MaxPronunciations) {
		return
	}
	for _, word := range slices.Sorted(maps.Keys(words)) {
		at, spoken := path+"."+word, words[word]
		switch {
		case strings.TrimSpace(word) != word || word == "":
			i.Fault(path, "has a word that is empty or has white space around it: %q", word)
		case utf8.RuneCountInString(word) > MaxPronouncedWord:
			i.Fault(path, "has a word of more than %d characters", MaxPronouncedWord)
		case strings.TrimSpace(spoken) == "":
			i.Fault(at, "must not be empty")
		case utf8.RuneCountInString(spoken) > MaxPronunciation:
			i.Fault(at, "must have at most %d characters", MaxPronunciation)
		}
	}
}

// choice checks a setting with fixed values.
func (i *validation) choice(path, kind, provider, model, parameter, value string, values []string) {
	switch {
	case value == "":
	case !slices.Contains(values, value):
		i.Fault(path+"."+parameter, "must be one of %s", strings.Join(values, ", "))
	default:
		i.warnUnsupported(path, kind, provider, model, parameter, value)
	}
}

func (i *validation) llm(path string, l LLM) {
	i.provider(path, "llm", l.Provider)
	i.model(path, "llm", l.Provider, l.Model)
	if l.Temperature != nil && (*l.Temperature < 0 || *l.Temperature > MaxTemperature) {
		i.Fault(path+".temperature", "must be between 0 and %v", MaxTemperature)
	} else if l.Temperature != nil {
		i.warnUnsupported(path, "llm", l.Provider, l.Model, "temperature", *l.Temperature)
	}
	i.choice(path, "llm", l.Provider, l.Model, "reasoning_effort", l.ReasoningEffort, efforts)
	if l.MaxTokens != nil && *l.MaxTokens < 1 {
		i.Fault(path+".max_tokens", "must be at least 1")
	}
	if l.FirstTokenTimeoutMS != nil && (*l.FirstTokenTimeoutMS < MinFirstToken || *l.FirstTokenTimeoutMS > MaxFirstToken) {
		i.Fault(path+".first_token_timeout_ms", "must be between %d and %d", MinFirstToken, MaxFirstToken)
	}
	if n := l.HistoryCharacters; n != nil && (*n < MinHistory || *n > MaxHistory) {
		i.Fault(path+".history_characters", "must be between %d and %d", MinHistory, MaxHistory)
	}
}

func (i *validation) audio(a Audio) {
	if s := a.NoiseSuppression; s != "" && s != SuppressionOff && s != SuppressionOn {
		i.Fault("config.audio.noise_suppression", "must be off or on")
	}
}

func (i *validation) dtmf(d DTMF) {
	if n := d.MaxDigits; n != nil && (*n < 1 || *n > MaxDigits) {
		i.Fault("config.dtmf.max_digits", "must be between 1 and %d", MaxDigits)
	}
	if d.End != nil && !endKeyForm.MatchString(*d.End) {
		i.Fault("config.dtmf.end", "must be one key, 0 to 9, *, # or A to D, or empty for none")
	}
	if ms := d.TimeoutMS; ms != nil && (*ms < 0 || *ms > MaxKeyTimeout) {
		i.Fault("config.dtmf.timeout_ms", "must be between 0 and %d", MaxKeyTimeout)
	}
}

// sound checks a background sound.
func (i *validation) sound(path, name string, volume *float64) {
	switch {
	case name == "":
		i.Fault(path+".sound", required)
	case !nameForm.MatchString(name):
		i.Fault(path+".sound", nameHint)
	}
	if volume != nil && (*volume < MinVolume || *volume > 0) {
		i.Fault(path+".volume_db", "must be between %d and 0", MinVolume)
	}
}

// lists checks the lists.
func (i *validation) lists(c Config) {
	if i.Count("config.tools", len(c.Tools), MaxListed) {
		for n, tool := range c.Tools {
			path := fmt.Sprintf("config.tools[%d]", n)
			if !toolForm.MatchString(tool) {
				i.Fault(path, toolHint)
			} else if slices.Contains(c.Tools[:n], tool) {
				i.Fault(path, "names %s a second time", tool)
			}
		}
	}
	i.servers(c.MCPServers)
	i.analyses(c.Analyses)
	if i.Count("config.handoffs", len(c.Handoffs), MaxListed) {
		for n, h := range c.Handoffs {
			i.handoff(fmt.Sprintf("config.handoffs[%d]", n), h)
		}
	}
	if i.Count("config.languages", len(c.Languages), MaxListed) {
		for n, code := range c.Languages {
			if !languageForm.MatchString(code) {
				i.Fault(fmt.Sprintf("config.languages[%d]", n), languageHint)
			}
		}
	}
	i.language("config.default_language", c.DefaultLanguage)
	if i.Count("config.by_language", len(c.ByLanguage), MaxByLanguage) {
		i.byLanguage(c)
	}
	i.languagesAuto(c)
	for _, choice := range c.STT.Choices() {
		if choice.Language == "" {
			i.known("config.default_language", "stt", choice.Provider, choice.Model, c.DefaultLanguage)
		}
	}
	for _, choice := range c.TTS.Choices() {
		i.known("config.default_language", "tts", choice.Provider, choice.Model, c.DefaultLanguage)
	}
}

func (i *validation) analyses(names []string) {
	if !i.Count("config.analyses", len(names), MaxAnalyses) {
		return
	}
	for n, name := range names {
		path := fmt.Sprintf("config.analyses[%d]", n)
		if !nameForm.MatchString(name) {
			i.Fault(path, nameHint)
		} else if slices.Contains(names[:n], name) {
			i.Fault(path, "names %s a second time", name)
		}
	}
}

func (i *validation) handoff(path string, h Handoff) {
	switch {
	case h.TargetAgent == "":
		i.Fault(path+".target_agent", required)
	case !nameForm.MatchString(h.TargetAgent):
		i.Fault(path+".target_agent", nameHint)
	}
	if h.Condition != "" && !i.Full() {
		condition, err := template.Compile(h.Condition)
		if err != nil {
			i.Fault(path+".condition", "%s", err)
		} else {
			for _, why := range condition.Warnings() {
				i.Warn(path+".condition", "%s", why)
			}
			i.variables = append(i.variables, variable.References(path+".condition", condition.Paths(), false)...)
		}
	}
	if i.Count(path+".context_pass", len(h.ContextPass), MaxListed) {
		for n, key := range h.ContextPass {
			at := fmt.Sprintf("%s.context_pass[%d]", path, n)
			if key == "" {
				i.Fault(at, "must not be empty")
			} else if why := template.KeyWarning(key); why != "" {
				i.Warn(at, "%s", why)
			}
			i.Text(at, key, MaxKey)
		}
	}
}

func (i *validation) provider(path, kind, name string) {
	path += ".provider"
	switch {
	case name == "":
		i.Fault(path, required)
	case !i.providers.Has(kind, name):
		i.Fault(path, "must be one of %s", strings.Join(i.providers.Names(kind), ", "))
	}
}

func (i *validation) model(path, kind, provider, model string) {
	path += ".model"
	warning := ""
	if i.providers.Has(kind, provider) {
		warning = i.providers.Caveat(kind, provider, model, "model", model)
	}
	switch {
	case model == "":
		i.Fault(path, required)
	case !modelForm.MatchString(model):
		i.Fault(path, modelHint)
	case warning != "":
		i.Warn(path, "%s", warning)
	case i.providers.Has(kind, provider) && i.providers.Shutdown(provider, model) != "":
		i.Warn(path, "%s switches %s off on %s", provider, model, i.providers.Shutdown(provider, model))
	case i.providers.Has(kind, provider) && !i.providers.KnowsModel(kind, provider, model):
		i.Warn(path, "%s is not among the models known of %s", model, provider)
	}
}

func (i *validation) language(path, code string) {
	if code != "" && !languageForm.MatchString(code) {
		i.Fault(path, languageHint)
	}
}
