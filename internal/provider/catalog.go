// Package provider holds the catalogue of speech and language providers and the registry of those configured in
// this process. Each vendor's client is a package of its own, imported by package app only.
package provider

import (
	"regexp"
	"slices"
)

// Kind is what a provider does.
type Kind string

// The kinds, as in the API.
const (
	STT Kind = "stt" // speech to text
	TTS Kind = "tts" // text to speech
	LLM Kind = "llm" // language model
)

// Entry is a provider in one of its kinds.
type Entry struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	// Models are the models known to work, the default first. Others are accepted with a warning.
	Models []string `json:"models"`
	// Voices are the voices, where they are fixed; otherwise any voice of the vendor's account can be used.
	Voices []string `json:"voices,omitempty"`
	Label  string   `json:"label"`
	// Demo marks providers for demonstrations and tests only.
	Demo bool `json:"demo"`
}

// Offline is the provider that needs no key.
const Offline = "offline"

const offlineLabel = "Offline (demo and tests only)"

// Catalog lists all providers, for validation and GET /api/v1/providers. Read only.
var Catalog = []Entry{
	{Kind: STT, Name: "deepgram", Models: []string{"nova-3", "flux-general-en", "flux-general-multi", "nova-3-medical", "nova-2"}, Label: "Deepgram"},
	{Kind: STT, Name: "assemblyai", Models: []string{"universal-streaming-multilingual", "universal-streaming-english", "universal-3-5-pro", "u3-rt-pro"}, Label: "AssemblyAI"},
	{Kind: STT, Name: Offline, Models: []string{"pocketsphinx"}, Label: offlineLabel, Demo: true},
	{Kind: TTS, Name: "cartesia", Models: []string{"sonic-3", "sonic-3-2026-01-12", "sonic-3.5", "sonic-3.5-2026-05-04"}, Label: "Cartesia"},
	{Kind: TTS, Name: "elevenlabs", Models: []string{"eleven_flash_v2_5", "eleven_multilingual_v2", "eleven_flash_v2", "eleven_turbo_v2_5", "eleven_turbo_v2"}, Label: "ElevenLabs"},
	{Kind: TTS, Name: Offline, Models: []string{"flite"}, Voices: []string{"rms", "slt", "awb", "kal"}, Label: offlineLabel, Demo: true},
	{Kind: LLM, Name: "openai", Models: []string{"gpt-4.1", "gpt-4.1-mini", "gpt-6-luna", "gpt-6-sol", "gpt-5.6-luna", "gpt-5.6-terra"}, Label: "OpenAI"},
	{Kind: LLM, Name: "anthropic", Models: []string{"claude-sonnet-4-6", "claude-sonnet-5-5", "claude-sonnet-5", "claude-haiku-4-5"}, Label: "Anthropic"},
	{Kind: LLM, Name: Offline, Models: []string{"scripted"}, Label: offlineLabel, Demo: true},
}

// shutdowns are the dates on which vendors retire models and their snapshots.
// https://developers.openai.com/api/docs/deprecations and
// https://platform.claude.com/docs/en/about-claude/model-deprecations, November 2026.
var shutdowns = map[string]string{
	"gpt-4o": "2027-01-14", "gpt-4o-mini": "2027-01-14", "gpt-4.1": "2027-01-14", "gpt-4.1-mini": "2027-01-14", "gpt-4.1-nano": "2026-10-23",
	"gpt-5": "2026-12-11", "gpt-5-mini": "2026-12-11", "gpt-5-nano": "2026-12-11", "gpt-5.1": "2027-04-01",
	"gpt-3.5-turbo": "2026-10-23", "gpt-4": "2026-10-23", "gpt-4-turbo": "2026-10-23", "o1": "2026-10-23", "o3-mini": "2026-10-23", "o4-mini": "2026-10-23", "o3": "2026-12-11",
	// https://docs.cartesia.ai/build-with-cartesia/tts-models/api-changes
	"sonic": "2026-06-01", "sonic-english": "2026-06-01", "sonic-multilingual": "2026-06-01", "sonic-2-2025-03-07": "2026-06-01",
	"sonic-turbo-2025-03-07": "2026-06-01",
	"claude-sonnet-4-0":      "2026-06-15", "claude-opus-4-0": "2026-06-15", "claude-opus-4-1": "2026-08-05", "claude-sonnet-4-5": "2026-11-30",
}

var snapshot = regexp.MustCompile(`-(20\d\d-?\d\d-?\d\d)$`)

// Shutdown returns the date on which a vendor retires a model, as YYYY-MM-DD; "" if unknown.
func Shutdown(model string) string {
	if day := shutdowns[model]; day != "" {
		return day
	}
	return shutdowns[snapshot.ReplaceAllString(model, "")]
}

// Find returns the entry of a provider, false when there is none.
func Find(kind Kind, name string) (Entry, bool) {
	i := slices.IndexFunc(Catalog, func(e Entry) bool { return e.Kind == kind && e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return Catalog[i], true
}

// Names lists the providers of a kind, in the catalogue's order.
func Names(kind Kind) []string {
	var names []string
	for _, e := range Catalog {
		if e.Kind == kind {
			names = append(names, e.Name)
		}
	}
	return names
}

// HasModel reports whether the catalogue lists a model.
func (e Entry) HasModel(model string) bool { return slices.Contains(e.Models, model) }

// HasVoice reports whether a voice may exist; true where none are listed.
func (e Entry) HasVoice(voice string) bool {
	return len(e.Voices) == 0 || slices.Contains(e.Voices, voice)
}
