package provider

import "regexp"

// elevenLabsV2 are the languages of Multilingual v2, in the order of https://elevenlabs.io/docs/models.
const elevenLabsV2 = "en ja zh de hi fr ko pt it es id nl tr fil pl sv bg ro ar cs el fi hr ms sk da ta uk ru"

var elevenLabsAliases = map[string]string{"nb": "no", "nn": "no", "tl": "fil"}

// sonic3 are the languages of Cartesia's Sonic 3 and later: https://docs.cartesia.ai/build-with-cartesia/tts-models/sonic-3-5
const sonic3 = "ar bg bn cs da de el en es fi fr gu he hi hr hu id it ja ka kn ko ml mr ms nl no pa pl pt ro ru sk sv ta te th tl tr uk vi zh"

var cartesiaAliases = map[string]string{"nb": "no", "nn": "no", "fil": "tl"}

// emotion is Cartesia's: the type Emotion in src/resources/tts.ts of cartesia-js 4.2.0.
var emotion = Parameter{Name: Emotion, Values: []string{
	"neutral", "happy", "excited", "enthusiastic", "elated", "euphoric", "triumphant", "amazed", "surprised", "flirtatious", "curious",
	"content", "peaceful", "serene", "calm", "grateful", "affectionate", "trust", "sympathetic", "anticipation", "mysterious", "angry",
	"mad", "outraged", "frustrated", "agitated", "threatened", "disgusted", "contempt", "envious", "sarcastic", "ironic", "sad",
	"dejected", "melancholic", "disappointed", "hurt", "guilty", "bored", "tired", "rejected", "nostalgic", "wistful", "apologetic",
	"hesitant", "insecure", "confused", "resigned", "anxious", "panicked", "alarmed", "scared", "proud", "confident", "distant",
	"skeptical", "contemplative", "determined",
}}

var (
	cartesiaSpeed   = between(Speed, 0.6, 1.5)
	elevenLabsSpeed = between(Speed, 0.7, 1.2)
	// normalization reads numbers, dates and phone numbers in words.
	normalization = Parameter{Name: TextNormalization, Values: []string{"auto", "on", "off"}}
)

// ttsFamilies are the families of voices. The first with a matching name counts.
var ttsFamilies = []Family{
	// https://docs.cartesia.ai/build-with-cartesia/tts-models/api-changes for what older models still speak.
	{kind: TTS, name: "cartesia", models: regexp.MustCompile(`^sonic-2`), languages: languages{codes: "de en es fr ja ko pt zh", aliases: cartesiaAliases}},
	{kind: TTS, name: "cartesia", models: regexp.MustCompile(`^sonic-turbo`), languages: languages{codes: "de en es fr hi ja ko pt zh", aliases: cartesiaAliases}},
	// "Speed and volume controls are temporarily disabled on sonic-3.5":
	// https://docs.cartesia.ai/build-with-cartesia/capability-guides/volume-speed-emotion
	{kind: TTS, name: "cartesia", models: regexp.MustCompile(`^sonic-3\.5`), Parameters: []Parameter{emotion}, languages: languages{codes: sonic3, aliases: cartesiaAliases}},
	{kind: TTS, name: "cartesia", models: regexp.MustCompile(`^sonic-(3|latest)`), Parameters: []Parameter{cartesiaSpeed, emotion},
		languages: languages{codes: sonic3, aliases: cartesiaAliases}},

	// https://elevenlabs.io/docs/models and
	// https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input: the v2.5 models
	// normalise text on Enterprise plans only; Multilingual v2 detects the language of the text and has no code.
	{kind: TTS, name: "elevenlabs", models: regexp.MustCompile(`^eleven_(flash|turbo)_v2_5$`), Parameters: []Parameter{elevenLabsSpeed, normalization},
		languages: languages{codes: elevenLabsV2 + " hu no vi", aliases: elevenLabsAliases}},
	{kind: TTS, name: "elevenlabs", models: regexp.MustCompile(`^eleven_multilingual_v2`), Parameters: []Parameter{elevenLabsSpeed, normalization},
		languages: languages{codes: elevenLabsV2, aliases: elevenLabsAliases, notSent: true}, Normalizes: true},
	{kind: TTS, name: "elevenlabs", models: regexp.MustCompile(`^eleven_(flash|turbo)_v2$`), Parameters: []Parameter{elevenLabsSpeed, normalization},
		languages: languages{codes: "en", notSent: true}, Normalizes: true},
	// https://elevenlabs.io/docs/eleven-api/websockets, https://github.com/livekit/agents/issues/4901
	{kind: TTS, name: "elevenlabs", models: regexp.MustCompile(`^eleven_v3`), Unserved: "ElevenLabs does not serve it over a WebSocket",
		languages: languages{codes: elevenLabsV2 + " hu no vi", aliases: elevenLabsAliases}},

	// https://developers.deepgram.com/docs/tts-models-languages-overview for the languages; a voice speaks one, which its name ends in.
	// https://developers.deepgram.com/changelog/2026/5/4 for the speed, of English and Spanish voices.
	{kind: TTS, name: "deepgram", models: regexp.MustCompile(`^aura-2`), Parameters: []Parameter{between(Speed, 0.7, 1.5)}, languages: languages{codes: "en es de fr nl it ja"}},
	{kind: TTS, name: "deepgram", models: regexp.MustCompile(`^aura`), languages: languages{codes: "en"}},

	// https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/text-to-speech/migration-guide: before 3.8 the text is a prompt.
	{kind: TTS, name: "google", models: regexp.MustCompile(`^gemini-(2|3\.1)`), Unserved: "it may answer the text instead of speaking it"},

	{kind: TTS, name: Offline, models: regexp.MustCompile(``), Parameters: []Parameter{between(Speed, 0.25, 4)}, languages: languages{codes: "en", notSent: true}},
}
