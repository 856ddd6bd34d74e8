package provider

import (
	"fmt"
	"strings"

	"parley/internal/dialogue"
)

// Registry holds the implementations that are wired up in this process, by
// kind and name. It is filled before it is shared, and only read after. The
// zero value is empty.
type Registry struct {
	recognizers    map[string]dialogue.Recognizer
	synthesizers   map[string]dialogue.Synthesizer
	languageModels map[string]dialogue.LanguageModel
}

// AddRecognizer registers a speech to text provider of the catalogue.
func (r *Registry) AddRecognizer(name string, p dialogue.Recognizer) {
	add(&r.recognizers, STT, name, p)
}

// AddSynthesizer registers a text to speech provider of the catalogue.
func (r *Registry) AddSynthesizer(name string, p dialogue.Synthesizer) {
	add(&r.synthesizers, TTS, name, p)
}

// AddLanguageModel registers a language model provider of the catalogue.
func (r *Registry) AddLanguageModel(name string, p dialogue.LanguageModel) {
	add(&r.languageModels, LLM, name, p)
}

// Recognizer returns a speech to text provider. The error says whether there
// is no such provider, or none that this server has a key for.
func (r *Registry) Recognizer(name string) (dialogue.Recognizer, error) {
	return get(r.recognizers, STT, name)
}

// Synthesizer returns a text to speech provider; errors as Recognizer.
func (r *Registry) Synthesizer(name string) (dialogue.Synthesizer, error) {
	return get(r.synthesizers, TTS, name)
}

// LanguageModel returns a language model provider; errors as Recognizer.
func (r *Registry) LanguageModel(name string) (dialogue.LanguageModel, error) {
	return get(r.languageModels, LLM, name)
}

// add panics on a name that the catalogue lacks: nobody could choose it.
func add[P any](to *map[string]P, kind Kind, name string, p P) {
	if _, ok := Find(kind, name); !ok {
		panic(fmt.Sprintf("provider: the catalogue has no %s provider %q", kind, name))
	}
	if *to == nil {
		*to = map[string]P{}
	}
	(*to)[name] = p
}

func get[P any](from map[string]P, kind Kind, name string) (P, error) {
	if p, ok := from[name]; ok {
		return p, nil
	}
	var none P
	if _, ok := Find(kind, name); !ok {
		return none, fmt.Errorf("there is no %s provider %q, only %s", kind, name, strings.Join(Names(kind), ", "))
	}
	if name == Offline {
		return none, fmt.Errorf("the %s provider %q is not installed on this server", kind, name)
	}
	return none, fmt.Errorf("the %s provider %q is not set up on this server: it needs %s_API_KEY or the tenant's own key",
		kind, name, strings.ToUpper(name))
}
