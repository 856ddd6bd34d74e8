package elevenlabs

import "strings"

// family is what the models of one generation take in the query.
type family struct {
	// language: language_code. Multilingual v2 takes none, and the English models need none
	// (https://elevenlabs.io/docs/api-reference/text-to-speech/convert).
	language bool
	// normalization: apply_text_normalization=on, which reads numbers, dates and phone numbers in words. The v2.5 models take it
	// from accounts of an Enterprise plan only
	// (https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input).
	normalization bool
}

func familyOf(model string) family {
	newest := strings.HasSuffix(model, "_v2_5")
	return family{language: newest, normalization: !newest}
}

// streamed reports whether a model is served over WebSockets. Eleven v3 is not: the handshake fails with 403
// (https://elevenlabs.io/docs/eleven-api/websockets, https://github.com/livekit/agents/issues/4901).
func streamed(model string) bool { return !strings.HasPrefix(model, "eleven_v3") }
