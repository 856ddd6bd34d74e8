package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Parameter is an optional setting of a model, named as in the configuration of an agent.
type Parameter struct {
	Name string `json:"name" enum:"temperature,max_tokens,reasoning_effort,tools,speed,emotion,text_normalization,key_terms" doc:"Name of the setting in an agent's configuration."`
	// Minimum and Maximum bound a number; nil for no bound.
	Minimum *float64 `json:"minimum,omitempty" doc:"Lowest value. Lower ones are sent as this one." example:"0.6"`
	Maximum *float64 `json:"maximum,omitempty" doc:"Highest value. Higher ones are sent as this one." example:"1.5"`
	// Values are the allowed values; empty for any.
	Values []string `json:"values,omitempty" doc:"Permitted values." example:"[\"none\",\"low\"]"`
	// MaxLength is the most characters of an entry of a list; 0 for no limit.
	MaxLength int `json:"max_length,omitempty" doc:"Maximum number of characters of an entry of a list. Longer ones are not sent." example:"50"`
	// MaxItems is the most entries of a list; 0 for no limit.
	MaxItems int `json:"max_items,omitempty" doc:"Maximum number of entries of a list." example:"100"`
}

// The parameters.
const (
	Temperature       = "temperature"
	MaxTokens         = "max_tokens"
	ReasoningEffort   = "reasoning_effort"
	Tools             = "tools"
	Speed             = "speed"
	Emotion           = "emotion"
	TextNormalization = "text_normalization"
	KeyTerms          = "key_terms"
	// ModelName is the model itself, for Caveat.
	ModelName = "model"
)

// Family is a generation of a vendor's models, with the same parameters and languages. A model that is not in the catalogue has
// none: it is assumed to support everything.
type Family struct {
	kind   Kind
	name   string
	models *regexp.Regexp
	// Parameters are the optional settings of the models.
	Parameters []Parameter
	languages

	// Reasons reports that the language model reasons before it answers. Reasoning counts towards the token limit.
	Reasons bool
	// Effort is the reasoning effort that is sent where the agent sets none: the least, because the caller waits. "" is none.
	Effort string
	// Thinking is the type of thinking that is sent to Anthropic for an immediate answer. "" is none.
	Thinking string
	// Unserved is why the model cannot be used in a call; "" if it can.
	Unserved string
	// Normalizes reports that ElevenLabs' model reads numbers in words on every plan.
	Normalizes bool
	// FormatsTurns reports that AssemblyAI's model formats each turn by itself.
	FormatsTurns bool
	// ListsLanguages reports that OpenAI's model takes a list of languages in place of one.
	ListsLanguages bool
}

var families = slices.Concat(sttFamilies, ttsFamilies, llmFamilies, realtimeFamilies)

// FamilyOf returns the family of a model, false if the catalogue knows none. A model of "" is the provider's default. A router's
// prefix of a language model, up to its last slash, is ignored.
func FamilyOf(kind Kind, name, model string) (Family, bool) {
	if entry, ok := Find(kind, name); ok && model == "" {
		model = entry.Models[0]
	}
	model = model[strings.LastIndexByte(model, '/')+1:]
	for _, f := range families {
		if f.kind == kind && f.name == name && f.models.MatchString(model) {
			return f, true
		}
	}
	return Family{}, false
}

// Parameter returns a setting of the models, false if they do not support it.
func (f Family) Parameter(name string) (Parameter, bool) {
	i := slices.IndexFunc(f.Parameters, func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		return Parameter{}, false
	}
	return f.Parameters[i], true
}

// Supports reports whether a model supports a setting with that value. Models that are not in the catalogue support everything.
func Supports(kind Kind, name, model, parameter, value string) bool {
	f, known := FamilyOf(kind, name, model)
	if !known {
		return true
	}
	p, takes := f.Parameter(parameter)
	return takes && (len(p.Values) == 0 || value == "" || slices.Contains(p.Values, value))
}

// Nearest returns the supported value that is nearest to a number; false if the model does not support the setting.
func Nearest(kind Kind, name, model, parameter string, value float64) (float64, bool) {
	f, known := FamilyOf(kind, name, model)
	if !known {
		return value, true
	}
	p, takes := f.Parameter(parameter)
	if p.Minimum != nil {
		value = max(value, *p.Minimum)
	}
	if p.Maximum != nil {
		value = min(value, *p.Maximum)
	}
	return value, takes
}

// Caveat returns, as a clause, what happens to a setting that a model does not support as it is; "" if the model supports it.
// The value is a number, a text or a list of texts.
func Caveat(kind Kind, name, model, parameter string, value any) string {
	f, known := FamilyOf(kind, name, model)
	if parameter == ModelName {
		status, day := StatusOf(name, model, time.Now())
		switch {
		case f.Unserved != "":
			return fmt.Sprintf("%s cannot be used in calls: %s", model, f.Unserved)
		case status == ShutDown:
			return fmt.Sprintf("%s switched %s off on %s", name, model, day)
		}
		return ""
	}
	if !known {
		return ""
	}
	subject, setting := strings.TrimSpace(name+" "+model), strings.ReplaceAll(parameter, "_", " ")
	p, takes := f.Parameter(parameter)
	if !takes {
		return fmt.Sprintf("%s takes no %s: not sent", subject, setting)
	}
	switch v := value.(type) {
	case float64:
		if p.Minimum != nil && v < *p.Minimum || p.Maximum != nil && v > *p.Maximum {
			return fmt.Sprintf("%s takes a %s from %v to %v: the nearest is sent", subject, setting, *p.Minimum, *p.Maximum)
		}
	case string:
		if len(p.Values) > 0 && !slices.Contains(p.Values, v) {
			return fmt.Sprintf("%s knows no %s %q: not sent", subject, setting, v)
		}
	case []string:
		if p.MaxItems > 0 && len(v) > p.MaxItems {
			return fmt.Sprintf("%s takes at most %d %s: the first ones are sent", subject, p.MaxItems, setting)
		}
		if p.MaxLength > 0 && slices.ContainsFunc(v, p.isTooLong) {
			return fmt.Sprintf("%s takes %s of at most %d characters: longer ones are not sent", subject, setting, p.MaxLength)
		}
	}
	return ""
}

// isTooLong reports whether an entry of a list has more characters than the model supports.
func (p Parameter) isTooLong(entry string) bool {
	return p.MaxLength > 0 && utf8.RuneCountInString(entry) > p.MaxLength
}

// KeyTermsFor returns the key terms that a recogniser supports: the first up to its limit without those that are too long; none
// if it supports none.
func KeyTermsFor(name, model string, terms []string) []string {
	f, _ := FamilyOf(STT, name, model)
	p, _ := f.Parameter(KeyTerms)
	terms = slices.DeleteFunc(slices.Clone(terms), p.isTooLong)
	return terms[:min(len(terms), p.MaxItems)]
}

// between returns a parameter that is a number in a range.
func between(name string, least, most float64) Parameter {
	return Parameter{Name: name, Minimum: &least, Maximum: &most}
}

// atLeast returns a parameter that is a number without an upper bound.
func atLeast(name string, least float64) Parameter { return Parameter{Name: name, Minimum: &least} }

// Status is a model's stage of life at its vendor.
type Status string

// The stages.
const (
	Current    Status = "current"
	Deprecated Status = "deprecated" // the vendor has announced the shutdown date
	ShutDown   Status = "shut_down"  // that date has passed
)

// StatusOf returns the stage of a provider's model on a day, and its shutdown date as YYYY-MM-DD; "" without one.
func StatusOf(name, model string, today time.Time) (status Status, shutdown string) {
	switch day := Shutdown(name, model); {
	case day == "":
		return Current, ""
	case day <= today.UTC().Format(time.DateOnly):
		return ShutDown, day
	default:
		return Deprecated, day
	}
}

// FamilyName identifies the family of a model within its provider; "" for that of models which the catalogue does not know.
func FamilyName(kind Kind, name, model string) string {
	f, known := FamilyOf(kind, name, model)
	if !known {
		return ""
	}
	return f.models.String()
}
