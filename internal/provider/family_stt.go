package provider

import "regexp"

// americanSpanish maps the tags of Spanish in America to its single code.
var americanSpanish = map[string]string{
	"es-ar": "es-419", "es-bo": "es-419", "es-cl": "es-419", "es-co": "es-419", "es-cr": "es-419", "es-cu": "es-419", "es-do": "es-419",
	"es-ec": "es-419", "es-gt": "es-419", "es-hn": "es-419", "es-mx": "es-419", "es-ni": "es-419", "es-pa": "es-419", "es-pe": "es-419",
	"es-pr": "es-419", "es-py": "es-419", "es-sv": "es-419", "es-us": "es-419", "es-uy": "es-419", "es-ve": "es-419", "nb": "no", "nn": "no",
}

// The vendors' limits of key terms: https://developers.deepgram.com/docs/keyterm,
// https://www.assemblyai.com/docs/streaming/universal-streaming/keyterms-prompting and wrapper/realtime/scribe.ts of
// elevenlabs-js 2.73.0.
var (
	deepgramTerms   = Parameter{Name: KeyTerms, MaxItems: 100}
	assemblyAITerms = Parameter{Name: KeyTerms, MaxItems: 100, MaxLength: 50}
	elevenLabsTerms = Parameter{Name: KeyTerms, MaxItems: 50, MaxLength: 20}
	openAITerms     = Parameter{Name: KeyTerms, MaxItems: 100}
)

// chirpAliases maps languages without a region to their codes.
var chirpAliases = map[string]string{
	"ca": "ca-ES", "zh": "cmn-Hans-CN", "cmn": "cmn-Hans-CN", "hr": "hr-HR", "da": "da-DK", "nl": "nl-NL", "en": "en-US", "fi": "fi-FI", "fr": "fr-FR", "de": "de-DE",
	"el": "el-GR", "hi": "hi-IN", "it": "it-IT", "ja": "ja-JP", "ko": "ko-KR", "pl": "pl-PL", "pt": "pt-BR", "ro": "ro-RO", "ru": "ru-RU", "es": "es-ES", "es-419": "es-US",
	"es-mx": "es-US", "sv": "sv-SE", "tr": "tr-TR", "uk": "uk-UA", "vi": "vi-VN",
}

// sttFamilies are the families of recognisers. The first with a matching name counts.
var sttFamilies = []Family{
	// https://developers.deepgram.com/docs/models-languages-overview and the changelog of Nova-3;
	// https://developers.deepgram.com/docs/nova-3-language-prompting for what "multi" recognises.
	{kind: STT, name: "deepgram", models: regexp.MustCompile(`^nova-3`), Parameters: []Parameter{deepgramTerms}, languages: languages{
		multiple: "multi",
		codes: "multi bg ca cs da da-DK de de-CH el en en-AU en-GB en-IN en-NZ en-US es es-419 et fi fr fr-CA hi hu id it ja ko ko-KR " +
			"lt lv ms nl nl-BE no pl pt pt-BR pt-PT ro ru sk sv sv-SE tr uk vi",
		recognised: "af ar be bn bs fa gl gu he hr kn mk mr sl sr ta te th tl xh zh zu",
		aliases:    americanSpanish,
	}},
	// https://developers.deepgram.com/docs/flux/language-prompting: flux-general-en has no hint.
	{kind: STT, name: "deepgram", models: regexp.MustCompile(`^flux-general-en`), Parameters: []Parameter{deepgramTerms}, languages: languages{codes: "en", notSent: true}},
	{kind: STT, name: "deepgram", models: regexp.MustCompile(`^flux-`), Parameters: []Parameter{deepgramTerms}, languages: languages{codes: "en es fr de hi ru pt ja it nl"}},
	{kind: STT, name: "deepgram", models: regexp.MustCompile(`^nova-2`), languages: languages{
		codes: "multi bg ca cs da da-DK de de-CH el en en-AU en-GB en-IN en-NZ en-US es es-419 et fi fr fr-CA hi hu id it ja ko ko-KR " +
			"lt lv ms nl nl-BE no pl pt pt-BR pt-PT ro ru sk sv sv-SE th th-TH tr uk vi zh zh-CN zh-HK zh-Hans zh-Hant zh-TW",
		aliases: americanSpanish,
	}},

	// https://www.assemblyai.com/docs/streaming/universal-streaming/multilingual-transcription: it finds the language by itself.
	{kind: STT, name: "assemblyai", models: regexp.MustCompile(`^universal-streaming-multilingual`), Parameters: []Parameter{assemblyAITerms},
		languages: languages{codes: "en es fr de it pt", notSent: true}},
	{kind: STT, name: "assemblyai", models: regexp.MustCompile(`^universal-streaming-english`), Parameters: []Parameter{assemblyAITerms}, languages: languages{codes: "en", notSent: true}},
	// https://assemblyai.com/docs/streaming/migration-guides/universal-to-universal-3-5-pro-streaming
	{kind: STT, name: "assemblyai", models: regexp.MustCompile(`^(universal-3|u3-)`), Parameters: []Parameter{assemblyAITerms}, FormatsTurns: true,
		languages: languages{codes: "en es de fr pt it"}},

	// https://elevenlabs.io/docs/capabilities/speech-to-text: ISO 639-1 codes, and 639-3 where there is none.
	{kind: STT, name: "elevenlabs", models: regexp.MustCompile(`^scribe_v2_realtime`), Parameters: []Parameter{elevenLabsTerms}, languages: languages{
		codes: "af am ar as ast az be bg bn bs ca ceb cs cy da de el en es et fa ff fi fil fr ga gl gu ha he hi hr hu hy id ig is it ja jv ka kea kk " +
			"km kn ko ku ky lb lg ln lo lt luo lv mi mk ml mn mr ms mt my ne nl no nso ny oc or pa pl ps pt ro ru sd sk sl sn so sr sv sw ta te tg th " +
			"tr uk umb ur uz vi wo xh yue zh zu",
		aliases: elevenLabsAliases,
	}},

	// https://docs.cloud.google.com/speech-to-text/docs/models/chirp-3, those that are generally available.
	{kind: STT, name: GoogleCloud, models: regexp.MustCompile(`^chirp_`), languages: languages{
		codes: "ca-ES cmn-Hans-CN hr-HR da-DK nl-NL en-US en-AU en-GB en-IN fi-FI fr-FR fr-CA de-DE el-GR hi-IN it-IT ja-JP ko-KR pl-PL pt-BR pt-PT ro-RO ru-RU " +
			"es-ES es-US sv-SE tr-TR uk-UA vi-VN",
		aliases: chirpAliases,
	}},

	{kind: STT, name: Offline, models: regexp.MustCompile(``), languages: languages{codes: "en", notSent: true}},
	// AudioTranscription in src/resources/realtime/realtime.ts and TranscriptionCreateParams of openai-node 7.57.0.
	{kind: STT, name: "openai", models: regexp.MustCompile(`^gpt-(live-)?transcribe`), Parameters: []Parameter{openAITerms}, ListsLanguages: true,
		languages: languages{codes: whisper, aliases: whisperAliases}},
	{kind: STT, name: "openai", models: regexp.MustCompile(``), languages: languages{codes: whisper, aliases: whisperAliases}},
	{kind: STT, name: "groq", models: regexp.MustCompile(``), languages: languages{codes: whisper, aliases: whisperAliases}},
	{kind: STT, name: Compatible, models: regexp.MustCompile(``), languages: languages{codes: whisper, aliases: whisperAliases}},
}

// whisper are the languages of Whisper and of OpenAI's later models, as ISO 639-1 codes without regions:
// https://developers.openai.com/api/docs/guides/speech-to-text.
const whisper = "af ar hy az be bs bg ca zh hr cs da nl en et fi fr gl de el he hi hu is id it ja kn kk ko lv lt mk ms mr mi ne no fa pl pt ro ru " +
	"sr sk sl es sw sv tl ta th tr uk ur vi cy"

var whisperAliases = map[string]string{"nb": "no", "nn": "no", "fil": "tl"}
