// Package provider holds the catalogue of speech and language providers and the registry of those configured in
// this process. Each vendor's client is a separate package, imported by package app only.
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
	// Realtime is speech to speech: one model in place of the three.
	Realtime Kind = "realtime"
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

// Compatible is the provider for servers that speak OpenAI's protocols: any model at an address of one's own.
const Compatible = "openai_compatible"

// NeedsAddress reports whether a provider has no default address: it needs a base URL, and perhaps no key.
func NeedsAddress(name string) bool { return name == Compatible || name == GoogleCloud }

// GoogleCloud is Google Cloud's Speech-to-Text, whose address has a project and a region.
const GoogleCloud = "google_cloud"

// openAIRealtimeVoices are those of src/resources/realtime/realtime.ts of openai-node 7.57.0.
var openAIRealtimeVoices = []string{"marin", "cedar", "alloy", "ash", "ballad", "coral", "echo", "sage", "shimmer", "verse"}

// geminiVoices are those of https://ai.google.dev/gemini-api/docs/speech-generation#voices.
var geminiVoices = []string{"Puck", "Kore", "Charon", "Aoede", "Zephyr", "Fenrir", "Leda", "Orus", "Callirrhoe", "Autonoe", "Enceladus", "Iapetus", "Umbriel", "Algieba",
	"Despina", "Erinome", "Algenib", "Rasalgethi", "Laomedeia", "Achernar", "Alnilam", "Schedar", "Gacrux", "Pulcherrima", "Achird", "Zubenelgenubi",
	"Vindemiatrix", "Sadachbia", "Sadaltager", "Sulafat"}

// Offline is the provider that needs no key.
const Offline = "offline"

const offlineLabel = "Offline (demo and tests only)"

// Catalog lists all providers, for validation and GET /api/v1/providers. Read only. The parameters of their models are in the
// families (family.go).
var Catalog = []Entry{
	{Kind: STT, Name: "deepgram", Models: []string{"nova-3", "flux-general-en", "flux-general-multi", "nova-3-medical", "nova-2"}, Label: "Deepgram"},
	{Kind: STT, Name: "assemblyai", Models: []string{"universal-streaming-multilingual", "universal-streaming-english", "universal-3-5-pro", "u3-rt-pro"}, Label: "AssemblyAI"},
	{Kind: STT, Name: "elevenlabs", Models: []string{"scribe_v2_realtime"}, Label: "ElevenLabs"},
	{Kind: STT, Name: Offline, Models: []string{"pocketsphinx"}, Label: offlineLabel, Demo: true},
	{Kind: TTS, Name: "cartesia", Models: []string{"sonic-3", "sonic-3-2026-01-12", "sonic-3.6", "sonic-3.5", "sonic-3.5-2026-05-04"}, Label: "Cartesia"},
	{Kind: TTS, Name: "elevenlabs", Models: []string{"eleven_flash_v2_5", "eleven_multilingual_v2", "eleven_flash_v2", "eleven_turbo_v2_5", "eleven_turbo_v2"}, Label: "ElevenLabs"},
	// https://developers.deepgram.com/docs/tts-models-languages-overview
	{Kind: TTS, Name: "deepgram", Models: []string{"aura-2", "aura"}, Label: "Deepgram"},
	{Kind: TTS, Name: Offline, Models: []string{"flite"}, Voices: []string{"rms", "slt", "awb", "kal"}, Label: offlineLabel, Demo: true},
	{Kind: LLM, Name: "openai", Models: []string{"gpt-6-luna", "gpt-6.1-terra", "gpt-6.1-sol", "gpt-6-sol", "gpt-5.6-luna", "gpt-5.6-terra", "gpt-5.6-sol", "gpt-5.4-mini",
		"gpt-4.1", "gpt-4.1-mini"}, Label: "OpenAI"},
	{Kind: LLM, Name: "anthropic", Models: []string{"claude-sonnet-5-5", "claude-haiku-5-5", "claude-sonnet-4-6", "claude-haiku-4-5", "claude-sonnet-5", "claude-opus-5-5",
		"claude-opus-5"}, Label: "Anthropic"},
	{Kind: Realtime, Name: "openai", Models: []string{"gpt-realtime-2.1", "gpt-realtime-2.1-mini", "gpt-realtime-2", "gpt-realtime-1.5", "gpt-realtime", "gpt-realtime-mini"},
		Voices: openAIRealtimeVoices, Label: "OpenAI Realtime"},
	{Kind: LLM, Name: Offline, Models: []string{"scripted"}, Label: offlineLabel, Demo: true},

	// https://developers.openai.com/api/docs/guides/realtime-transcription and …/guides/text-to-speech. gpt-live-transcribe is served over the
	// WebSocket only, gpt-transcribe also by /v1/audio/transcriptions.
	{Kind: STT, Name: "openai", Models: []string{"gpt-live-transcribe", "gpt-transcribe", "gpt-4o-transcribe", "gpt-4o-mini-transcribe"}, Label: "OpenAI"},
	{Kind: TTS, Name: "openai", Models: []string{"gpt-4o-mini-tts", "tts-1", "tts-1-hd"}, Label: "OpenAI"},
	// https://console.groq.com/docs/models
	{Kind: STT, Name: "groq", Models: []string{"whisper-large-v3-turbo", "whisper-large-v3"}, Label: "Groq"},
	{Kind: LLM, Name: "groq", Models: []string{"openai/gpt-oss-120b", "openai/gpt-oss-20b"}, Label: "Groq"},
	{Kind: TTS, Name: "groq", Models: []string{"canopylabs/orpheus-v1-english", "canopylabs/orpheus-arabic-saudi"}, Label: "Groq"},
	// https://ai.google.dev/gemini-api/docs/models
	{Kind: LLM, Name: "google", Models: []string{"gemini-3.5-flash-lite", "gemini-3.8-flash", "gemini-3.6-flash", "gemini-3.5-flash", "gemini-3.1-flash-lite"}, Label: "Google"},
	// https://ai.google.dev/gemini-api/docs/models/gemini-3.8-flash-lite-tts
	{Kind: TTS, Name: "google", Models: []string{"gemini-3.8-flash-lite-tts", "gemini-3.8-flash-tts"}, Voices: geminiVoices, Label: "Google"},
	// https://ai.google.dev/gemini-api/docs/models/gemini-3.8-live and https://ai.google.dev/gemini-api/docs/deprecations
	{Kind: Realtime, Name: "google", Models: []string{"gemini-3.8-live", "gemini-3.8-live-extended-thinking"}, Voices: geminiVoices, Label: "Gemini Live"},
	// https://docs.cloud.google.com/speech-to-text/docs/models/chirp-3
	{Kind: STT, Name: GoogleCloud, Models: []string{"chirp_3", "chirp_2"}, Label: "Google Cloud"},
	// Examples; every model is accepted.
	{Kind: STT, Name: Compatible, Models: []string{"Systran/faster-whisper-small", "mistralai/Voxtral-Mini-4B-Realtime-2602"}, Label: "OpenAI-compatible server"},
	{Kind: LLM, Name: Compatible, Models: []string{"Qwen/Qwen3-8B"}, Label: "OpenAI-compatible server"},
	{Kind: TTS, Name: Compatible, Models: []string{"speaches-ai/Kokoro-82M-v1.0-ONNX"}, Label: "OpenAI-compatible server"},
}

// shutdowns are the dates on which vendors retire models and their snapshots, by provider. Another provider's model of the same name,
// such as a server's of one's own, is another model.
var shutdowns = map[string]map[string]string{
	// https://developers.openai.com/api/docs/deprecations, src/resources/shared.ts of openai-node 7.57.0, November 2026.
	"openai": {
		"gpt-4o": "2027-01-14", "gpt-4o-mini": "2027-01-14", "gpt-4.1": "2027-01-14", "gpt-4.1-mini": "2027-01-14", "gpt-4.1-nano": "2026-10-23",
		"gpt-5": "2026-12-11", "gpt-5-mini": "2026-12-11", "gpt-5-nano": "2026-12-11", "gpt-5-pro": "2026-12-11", "gpt-5.1": "2027-04-01", "gpt-5.4-nano": "2027-04-01",
		"gpt-5-chat-latest": "2026-07-23", "gpt-5.1-chat-latest": "2026-07-23", "gpt-5.1-codex": "2026-07-23", "gpt-5.2-chat-latest": "2026-08-10",
		"gpt-5.3-chat-latest": "2026-08-10", "chatgpt-4o-latest": "2026-02-17",
		"gpt-3.5-turbo": "2026-10-23", "gpt-3.5-turbo-0125": "2026-10-23", "gpt-4": "2026-10-23", "gpt-4-0613": "2026-10-23", "gpt-4o-2024-05-13": "2026-10-23",
		"gpt-4-turbo": "2026-10-23", "o1": "2026-10-23", "o1-pro": "2026-10-23", "o3-mini": "2026-10-23", "o4-mini": "2026-10-23", "o3": "2026-12-11",
		"o3-pro": "2026-12-11", "o1-mini": "2025-10-27", "o1-preview": "2025-07-28",
		// src/resources/audio/audio.ts, …/audio/speech.ts and …/realtime/realtime.ts of openai-node 7.57.0. There is no successor at /v1/audio/speech.
		"whisper-1": "2027-02-26", "gpt-4o-transcribe": "2027-02-26", "gpt-4o-mini-transcribe": "2027-02-26", "gpt-4o-transcribe-diarize": "2027-02-26",
		"tts-1": "2027-01-06", "tts-1-hd": "2027-01-06", "gpt-4o-mini-tts": "2027-01-06", "gpt-realtime": "2027-01-20", "gpt-realtime-mini": "2027-01-20",
	},
	// https://docs.cartesia.ai/build-with-cartesia/tts-models/api-changes
	"cartesia": {
		"sonic": "2026-06-01", "sonic-english": "2026-06-01", "sonic-multilingual": "2026-06-01", "sonic-2-2025-03-07": "2026-06-01",
		"sonic-turbo-2025-03-07": "2026-06-01",
	},
	// https://platform.claude.com/docs/en/about-claude/model-deprecations, November 2026.
	"anthropic": {"claude-sonnet-4-0": "2026-06-15", "claude-opus-4-0": "2026-06-15", "claude-opus-4-1": "2026-08-05", "claude-sonnet-4-5": "2026-11-30"},
	// https://ai.google.dev/gemini-api/docs/deprecations, as of November 2026: gemini-2.5-flash-lite stays "until further notice", and no date is
	// announced for gemini-3.5-flash, which Antigravity alone has dropped (https://github.com/Wei-Shaw/sub2api/issues/6452). The date of
	// gemini-3.1-flash-lite is the earliest.
	"google": {
		"gemini-2.0-flash": "2026-06-01", "gemini-2.0-flash-001": "2026-06-01", "gemini-2.0-flash-lite": "2026-06-01", "gemini-2.0-flash-lite-001": "2026-06-01",
		"gemini-2.5-pro": "2026-12-01", "gemini-2.5-flash": "2026-12-01", "gemini-3-pro-preview": "2026-03-09", "gemini-3.1-flash-lite-preview": "2026-05-25",
		"gemini-3.1-flash-lite": "2027-05-07", "gemini-3.1-flash-tts-preview": "2026-12-18", "gemini-2.5-flash-preview-tts": "2026-12-18",
		"gemini-2.5-pro-preview-tts": "2026-12-18",
	},
}

var snapshot = regexp.MustCompile(`-(20\d\d-?\d\d-?\d\d)$`)

// Shutdown returns the date on which a provider retires a model, as YYYY-MM-DD; "" if unknown.
func Shutdown(name, model string) string {
	if day := shutdowns[name][model]; day != "" {
		return day
	}
	return shutdowns[name][snapshot.ReplaceAllString(model, "")]
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
