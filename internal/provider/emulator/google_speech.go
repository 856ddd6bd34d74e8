package emulator

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"parley/internal/dialogue"
)

// googleSpeechBody is a request for speech with the fields of https://ai.google.dev/gemini-api/docs/speech-generation. The models
// refuse temperature, topP and topK:
// https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/text-to-speech/migration-guide
type googleSpeechBody struct {
	Contents   []googleContent `json:"contents"`
	Generation struct {
		Modalities []string `json:"responseModalities"`
		Speech     struct {
			Voice struct {
				Prebuilt *struct {
					Name string `json:"voiceName"`
				} `json:"prebuiltVoiceConfig"`
				Voice string `json:"voice"`
			} `json:"voiceConfig"`
			Language string `json:"languageCode"`
		} `json:"speechConfig"`
	} `json:"generationConfig"`
}

// googleSpeechLongest is the most characters of a text: about 8,192 tokens
// (https://ai.google.dev/gemini-api/docs/models/gemini-3.8-flash-lite-tts).
const googleSpeechLongest = 32_000

// problem says what is wrong with a request; unknownVoice is no breach.
func (b *googleSpeechBody) problem() (words string, unknownVoice bool) {
	voice := b.Generation.Speech.Voice
	switch {
	case len(b.Generation.Modalities) != 1 || b.Generation.Modalities[0] != "AUDIO":
		return "This model only supports AUDIO output.", false
	case len(b.Contents) != 1 || b.Contents[0].Role != "user" && b.Contents[0].Role != "" || len(b.Contents[0].Parts) != 1:
		return "Multiturn chat is not enabled for this model.", false
	case strings.TrimSpace(b.Contents[0].Parts[0].Text) == "" || len(b.Contents[0].Parts[0].Text) > googleSpeechLongest:
		return "Unable to submit request because the text is empty or too long.", false
	case voice.Prebuilt != nil && voice.Voice != "":
		return "voice_config: only one of prebuilt_voice_config and voice may be set.", false
	case voice.Prebuilt != nil && !googleVoices[voice.Prebuilt.Name]:
		return fmt.Sprintf("Voice name %s is not supported.", voice.Prebuilt.Name), false
	case voice.Voice == UnknownVoice:
		return "Voice " + voice.Voice + " was not found.", true
	}
	return "", false
}

// googleVoices are some of the prebuilt voices of https://ai.google.dev/gemini-api/docs/speech-generation#voices.
var googleVoices = map[string]bool{"Puck": true, "Kore": true, "Charon": true, "Aoede": true, "Zephyr": true, "Fenrir": true, "Leda": true, "Orus": true}

// googleSpeech serves streamGenerateContent of a model for speech.
func (s *Server) googleSpeech(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	if r.Header.Get("X-Goog-Api-Key") != s.o.Key {
		refuseGoogle(w, http.StatusUnauthorized, "")
		return
	}
	switch s.Fault() {
	case RateLimit:
		refuseGoogle(w, http.StatusTooManyRequests, "Resource has been exhausted (e.g. check quota).")
		return
	case Broken:
		refuseGoogle(w, http.StatusInternalServerError, "An internal error has occurred.")
		return
	case Stall:
		<-r.Context().Done()
		return
	}
	var b googleSpeechBody
	if err := strictly(body, &b); err != nil {
		s.breach("speech: %v", err)
		refuseGoogle(w, http.StatusBadRequest, "Invalid JSON payload received. "+err.Error())
		return
	}
	if words, unknownVoice := b.problem(); words != "" {
		if !unknownVoice {
			s.breach("speech: %s", words)
		}
		refuseGoogle(w, http.StatusBadRequest, words)
		return
	}
	s.streamGoogleSpeech(w, r, b.Contents[0].Parts[0].Text)
}

// streamGoogleSpeech streams the speech of a text as events, with the server's fault.
func (s *Server) streamGoogleSpeech(w http.ResponseWriter, r *http.Request, text string) {
	e, err := s.stream(w, r, 0)
	if err != nil {
		s.release()
		return
	}
	if s.Fault() == Garbage {
		_, _ = io.WriteString(w, "data: {\"candidates\":[{\"content\":{\"par\n\ndata: <html>\n\n")
		return
	}
	prompt, spoken := len(text)/4, 0
	s.charge("tts input_tokens", prompt)
	send := func(parts []any, finish string, event func(string, any) error) error {
		candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		return event("", map[string]any{"candidates": []any{candidate}, "modelVersion": "gemini-3.8-flash-lite-tts", "responseId": "Il0taoSYJ5Cez7IP",
			"usageMetadata": map[string]any{"promptTokenCount": prompt, "candidatesTokenCount": spoken, "totalTokenCount": prompt + spoken}})
	}
	sound := s.sound(text)
	whole := sound.pieces(r.Context(), int(pieceTime.Seconds()*dialogue.SpeakRate)*2, func(from, to int) bool {
		tokens := int(lengthOf(to) * 25 / time.Second) // "25 tokens per second of audio": https://ai.google.dev/gemini-api/docs/tokens
		s.charge("tts output_audio_tokens", tokens-spoken)
		spoken = tokens
		audio := map[string]any{"inlineData": map[string]any{"mimeType": "audio/l16; rate=24000; channels=1", "data": base64.StdEncoding.EncodeToString(sound.pcm[from:to])}}
		err = send([]any{audio}, "", e.piece)
		return err == nil
	})
	if whole {
		_ = send([]any{map[string]any{"text": ""}}, "STOP", e.event)
		return
	}
	if r.Context().Err() != nil {
		s.release()
		return
	}
	panic(http.ErrAbortHandler) // dropped
}
