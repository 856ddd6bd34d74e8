package provider_test

import (
	"strings"
	"testing"

	"parley/internal/provider"
)

func TestLanguageCode(t *testing.T) {
	for _, c := range []struct {
		kind             provider.Kind
		name, model, tag string
		code             string
		known            bool
	}{
		{provider.STT, "deepgram", "nova-3", "", "", true},
		{provider.STT, "deepgram", "nova-3", "de-DE", "de", true},
		{provider.STT, "deepgram", "nova-3", "de-ch", "de-CH", true},
		{provider.STT, "deepgram", "nova-3", "es-MX", "es-419", true},
		{provider.STT, "deepgram", "nova-3", "es-ES", "es", true},
		{provider.STT, "deepgram", "nova-3", "fr-FR", "fr", true},
		{provider.STT, "deepgram", "nova-3", "nb", "no", true},
		{provider.STT, "deepgram", "nova-3", "nn-NO", "no", true},
		{provider.STT, "deepgram", "nova-3-general", "en-gb", "en-GB", true},
		{provider.STT, "deepgram", "nova-3", "multi", "multi", true},
		{provider.STT, "deepgram", "nova-3", "zh-Hant-TW", "multi", true},
		{provider.STT, "deepgram", "nova-3", "tlh", "", false},
		{provider.STT, "deepgram", "nova-2-phonecall", "zh-Hant-TW", "zh-Hant", true},
		{provider.STT, "deepgram", "flux-general-en", "en-GB", "en", true},
		{provider.STT, "deepgram", "flux-general-en", "de", "", false},
		{provider.STT, "deepgram", "flux-general-multi", "pt-BR", "pt", true},
		{provider.STT, "deepgram", "base", "de-DE", "de-DE", true},
		{provider.STT, "assemblyai", "universal-streaming-multilingual", "pt-BR", "pt", true},
		{provider.STT, "assemblyai", "universal-streaming-multilingual", "ja", "", false},
		{provider.STT, "offline", "pocketsphinx", "en-US", "en", true},
		{provider.STT, "offline", "pocketsphinx", "de", "", false},
		{provider.TTS, "elevenlabs", "eleven_flash_v2_5", "nb-NO", "no", true},
		{provider.TTS, "elevenlabs", "eleven_flash_v2_5", "fil-PH", "fil", true},
		{provider.TTS, "elevenlabs", "eleven_flash_v2_5", "he", "", false},
		{provider.TTS, "elevenlabs", "eleven_multilingual_v2", "hu-HU", "", false},
		{provider.TTS, "elevenlabs", "eleven_multilingual_v2", "de-AT", "de", true},
		{provider.TTS, "elevenlabs", "eleven_turbo_v2", "en-GB", "en", true},
		{provider.TTS, "elevenlabs", "eleven_turbo_v2", "de", "", false},
		{provider.TTS, "elevenlabs", "", "tl", "fil", true},
		{provider.TTS, "elevenlabs", "", "he", "", false},
		{provider.TTS, "cartesia", "sonic-3.5-2026-05-04", "he-IL", "he", true},
		{provider.TTS, "cartesia", "sonic-2-2025-06-11", "it", "", false},
		{provider.TTS, "cartesia", "sonic-turbo", "hi", "hi", true},
		{provider.TTS, "cartesia", "sonic-3", "pt-BR", "pt", true},
		{provider.TTS, "cartesia", "sonic-3", "et", "", false},
		{provider.TTS, "another", "model", "xx-YY", "xx-YY", true},
	} {
		if code, known := provider.LanguageCode(c.kind, c.name, c.model, c.tag); code != c.code || known != c.known {
			t.Errorf("%s %s %q: %q, %t; want %q, %t", c.name, c.model, c.tag, code, known, c.code, c.known)
		}
	}
}

func TestShutdown(t *testing.T) {
	for model, want := range map[string]string{
		"openai/gpt-4.1": "2027-01-14", "openai/gpt-4.1-mini-2025-04-14": "2027-01-14", "anthropic/claude-sonnet-4-5-20250929": "2026-11-30",
		"openai/gpt-6-luna": "", "deepgram/nova-3": "", "cartesia/sonic-2024-10-19": "2026-06-01", "cartesia/sonic-2-2025-03-07": "2026-06-01",
		"cartesia/sonic-2-2025-06-11": "", "cartesia/sonic-3-2026-01-12": "", "google/gemini-2.5-flash": "2026-12-01", "google/gemini-2.5-flash-lite": "",
		// Models of the same name on a server of one's own.
		"openai/whisper-1": "2027-02-26", "openai_compatible/whisper-1": "", "openai_compatible/gpt-4o": "",
	} {
		name, model, _ := strings.Cut(model, "/")
		if got := provider.Shutdown(name, model); got != want {
			t.Errorf("%s %s: %q, want %q", name, model, got, want)
		}
	}
}
