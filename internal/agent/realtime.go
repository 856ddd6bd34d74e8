package agent

import (
	"reflect"
	"strings"

	"parley/internal/template"
)

// Realtime is a speech-to-speech model: caller audio in, agent audio out, in place of speech to text, language model and text
// to speech.
type Realtime struct {
	Provider string `json:"provider" doc:"Name of a speech-to-speech provider." example:"openai"`
	Model    string `json:"model" pattern:"^[a-z0-9][a-z0-9._:/-]{0,99}$" example:"gpt-realtime"`
	Voice    string `json:"voice,omitempty" maxLength:"255" doc:"Voice of the model. Default: the provider's." example:"marin"`
}

// RealtimeProviders is what a catalogue of Providers says of speech-to-speech providers.
type RealtimeProviders interface {
	// KnowsRealtimeVoice is KnowsVoice for speech to speech.
	KnowsRealtimeVoice(name, voice string) bool
	// Limits are what an agent cannot do with a provider, a sentence each.
	Limits(name string) []string
}

// HasCascade reports whether the agent has speech to text, language model and text to speech.
func (c Config) HasCascade() bool {
	return c.STT.Provider != "" && c.LLM.Provider != "" && c.TTS.Provider != ""
}

// needsCascade reports whether speech to text, language model and text to speech are required: an agent with a
// speech-to-speech model has all of them, as its fallback, or none.
func (c Config) needsCascade() bool {
	return c.Realtime == nil || !reflect.ValueOf(c.STT).IsZero() || !reflect.ValueOf(c.LLM).IsZero() || !reflect.ValueOf(c.TTS).IsZero()
}

func (i *validation) realtime(c Config) {
	r := c.Realtime
	if r == nil {
		return
	}
	const path = "config.realtime"
	i.provider(path, "realtime", r.Provider)
	i.model(path, "realtime", r.Provider, r.Model)
	i.Text(path+".voice", r.Voice, MaxVoiceID)
	if known, ok := i.providers.(RealtimeProviders); ok && i.providers.Has("realtime", r.Provider) {
		if r.Voice != "" && !known.KnowsRealtimeVoice(r.Provider, r.Voice) {
			i.Warn(path+".voice", "%s has no voice %s", r.Provider, r.Voice)
		}
		for _, limit := range known.Limits(r.Provider) {
			i.Warn(path, "%s", limit)
		}
	}
	if c.Redaction.BeforeModel {
		i.Warn("config.redaction.before_model", "a speech-to-speech model hears the caller: nothing is masked before it")
	}
	if strings.TrimSpace(c.Prompt.Greeting) != "" {
		i.Warn("config.prompt.greeting", "a speech-to-speech model is asked to say the greeting, and may change its words")
	}
	if why := template.Unfilled(r.Voice); why != "" {
		i.Warn(path+".voice", "%s", why)
	}
}
