package provider

import "strings"

// languages is the language support of a vendor's models, by BCP 47 tag.
type languages struct {
	kind Kind
	name string
	// model is a prefix of the models that the entry applies to; "" for all.
	model string
	// codes are the codes of the vendor's API.
	codes string
	// aliases maps unsupported tags to equivalent codes.
	aliases map[string]string
	// multiple is the code for several languages at once, and recognised are the languages that only it supports.
	multiple, recognised string
}

// americanSpanish maps the tags of Spanish in America to its single code.
var americanSpanish = map[string]string{
	"es-ar": "es-419", "es-bo": "es-419", "es-cl": "es-419", "es-co": "es-419", "es-cr": "es-419", "es-cu": "es-419", "es-do": "es-419",
	"es-ec": "es-419", "es-gt": "es-419", "es-hn": "es-419", "es-mx": "es-419", "es-ni": "es-419", "es-pa": "es-419", "es-pe": "es-419",
	"es-pr": "es-419", "es-py": "es-419", "es-sv": "es-419", "es-us": "es-419", "es-uy": "es-419", "es-ve": "es-419", "nb": "no", "nn": "no",
}

// elevenLabsV2 are the languages of Multilingual v2, in the order of https://elevenlabs.io/docs/models.
const elevenLabsV2 = "en ja zh de hi fr ko pt it es id nl tr fil pl sv bg ro ar cs el fi hr ms sk da ta uk ru"

var elevenLabsAliases = map[string]string{"nb": "no", "nn": "no", "tl": "fil"}

// vendorLanguages is the table of docs/providers.md, as of November 2026. The first entry with a matching model
// applies.
var vendorLanguages = []languages{
	// https://developers.deepgram.com/docs/models-languages-overview and the changelog of Nova-3;
	// https://developers.deepgram.com/docs/nova-3-language-prompting for what "multi" recognises.
	{
		kind: STT, name: "deepgram", model: "nova-3", multiple: "multi",
		codes: "multi bg ca cs da da-DK de de-CH el en en-AU en-GB en-IN en-NZ en-US es es-419 et fi fr fr-CA hi hu id it ja ko ko-KR " +
			"lt lv ms nl nl-BE no pl pt pt-BR pt-PT ro ru sk sv sv-SE tr uk vi",
		recognised: "af ar be bn bs fa gl gu he hr kn mk mr sl sr ta te th tl xh zh zu",
		aliases:    americanSpanish,
	},
	// https://developers.deepgram.com/docs/flux/language-prompting
	{kind: STT, name: "deepgram", model: "flux-general-en", codes: "en"},
	{kind: STT, name: "deepgram", model: "flux-general-multi", codes: "en es fr de hi ru pt ja it nl"},
	{
		kind: STT, name: "deepgram", model: "nova-2",
		codes: "multi bg ca cs da da-DK de de-CH el en en-AU en-GB en-IN en-NZ en-US es es-419 et fi fr fr-CA hi hu id it ja ko ko-KR " +
			"lt lv ms nl nl-BE no pl pt pt-BR pt-PT ro ru sk sv sv-SE th th-TH tr uk vi zh zh-CN zh-HK zh-Hans zh-Hant zh-TW",
		aliases: americanSpanish,
	},
	// https://www.assemblyai.com/docs/streaming/universal-streaming/multilingual-transcription: it finds the language by itself.
	{kind: STT, name: "assemblyai", model: "universal-streaming-multilingual", codes: "en es fr de it pt"},
	{kind: STT, name: "assemblyai", model: "universal-streaming-english", codes: "en"},
	// https://assemblyai.com/docs/streaming/migration-guides/universal-to-universal-3-5-pro-streaming
	{kind: STT, name: "assemblyai", model: "universal-3", codes: "en es de fr pt it"},
	{kind: STT, name: "assemblyai", model: "u3-", codes: "en es de fr pt it"},
	{kind: STT, name: Offline, codes: "en"},
	// https://docs.cartesia.ai/build-with-cartesia/tts-models/api-changes for what older models still speak, and …/tts-models/sonic-3-5
	{kind: TTS, name: "cartesia", model: "sonic-2", codes: "de en es fr ja ko pt zh"},
	{kind: TTS, name: "cartesia", model: "sonic-turbo", codes: "de en es fr hi ja ko pt zh"},
	{
		kind: TTS, name: "cartesia", codes: "ar bg bn cs da de el en es fi fr gu he hi hr hu id it ja ka kn ko ml mr ms nl no pa pl pt ro ru " +
			"sk sv ta te th tl tr uk vi zh",
		aliases: map[string]string{"nb": "no", "nn": "no", "fil": "tl"},
	},
	// https://elevenlabs.io/docs/models
	{kind: TTS, name: "elevenlabs", model: "eleven_multilingual_v2", codes: elevenLabsV2, aliases: elevenLabsAliases},
	{kind: TTS, name: "elevenlabs", model: "eleven_flash_v2_5", codes: elevenLabsV2 + " hu no vi", aliases: elevenLabsAliases},
	{kind: TTS, name: "elevenlabs", model: "eleven_turbo_v2_5", codes: elevenLabsV2 + " hu no vi", aliases: elevenLabsAliases},
	{kind: TTS, name: "elevenlabs", model: "eleven_flash_v2", codes: "en"},
	{kind: TTS, name: "elevenlabs", model: "eleven_turbo_v2", codes: "en"},
	{kind: TTS, name: Offline, codes: "en"},
}

// LanguageCode returns a vendor's code for a BCP 47 tag: the tag itself, or else its base language (de for de-AT).
// It returns "" for no tag, and for an unsupported language with known false. Models that are not in the table are
// assumed to support every language. A model of ""
// is the default of the catalogue.
func LanguageCode(kind Kind, name, model, tag string) (code string, known bool) {
	if entry, ok := Find(kind, name); ok && model == "" {
		model = entry.Models[0]
	}
	for _, l := range vendorLanguages {
		if l.kind == kind && l.name == name && strings.HasPrefix(model, l.model) {
			return l.code(tag)
		}
	}
	return tag, true
}

func (l languages) code(tag string) (code string, known bool) {
	if tag == "" {
		return "", true
	}
	for part := tag; part != ""; {
		if code := find(l.codes, part); code != "" {
			return code, true
		}
		if code := l.aliases[strings.ToLower(part)]; code != "" {
			return code, true
		}
		part = part[:max(strings.LastIndexByte(part, '-'), 0)]
	}
	base, _, _ := strings.Cut(tag, "-")
	if find(l.recognised, base) != "" {
		return l.multiple, true
	}
	return "", false
}

// find returns the code that equals a tag, ignoring case.
func find(codes, tag string) string {
	for code := range strings.FieldsSeq(codes) {
		if strings.EqualFold(code, tag) {
			return code
		}
	}
	return ""
}
