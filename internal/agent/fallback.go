package agent

// STTFallback has the fields of STT but a fallback of its own.
type STTFallback struct {
	Provider string `json:"provider" doc:"Name of a speech-to-text provider." example:"assemblyai"`
	Model    string `json:"model" pattern:"^[a-z0-9][a-z0-9._:/-]{0,99}$" example:"universal-streaming-multilingual"`
	Language string `json:"language,omitempty" pattern:"^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,4}$" doc:"Language code. Default: default_language." example:"en"`
}

// TTSFallback has the fields of TTS but a fallback of its own.
type TTSFallback struct {
	Provider string   `json:"provider" doc:"Name of a text-to-speech provider." example:"elevenlabs"`
	Model    string   `json:"model,omitempty" pattern:"^[a-z0-9][a-z0-9._:/-]{0,99}$" doc:"Model of the voice. Default: the provider's." example:"eleven_flash_v2_5"`
	VoiceID  string   `json:"voice_id" minLength:"1" maxLength:"255" doc:"Identifier of a voice of the provider." example:"21m00Tcm4TlvDq8ikWAM"`
	Speed    *float64 `json:"speed,omitempty" minimum:"0.25" maximum:"4" doc:"Speech rate. Default: 1 (normal)." example:"1"`
}

// LLMFallback has the fields of LLM but a fallback of its own.
type LLMFallback struct {
	Provider    string   `json:"provider" doc:"Name of a language model provider." example:"anthropic"`
	Model       string   `json:"model" pattern:"^[a-z0-9][a-z0-9._:/-]{0,99}$" example:"claude-sonnet-4-6"`
	Temperature *float64 `json:"temperature,omitempty" minimum:"0" maximum:"2" example:"0.4"`
	MaxTokens   *int     `json:"max_tokens,omitempty" minimum:"1" doc:"Maximum number of tokens per answer." example:"300"`
}

// Choices returns the provider and its fallback, if any, in the order of use. None of them contains a fallback.
func (s STT) Choices() []STT {
	fallback := s.Fallback
	s.Fallback = nil
	if fallback == nil {
		return []STT{s}
	}
	return []STT{s, {Provider: fallback.Provider, Model: fallback.Model, Language: fallback.Language}}
}

// Choices is that of STT.
func (t TTS) Choices() []TTS {
	fallback := t.Fallback
	t.Fallback = nil
	if fallback == nil {
		return []TTS{t}
	}
	return []TTS{t, {Provider: fallback.Provider, Model: fallback.Model, VoiceID: fallback.VoiceID, Speed: fallback.Speed}}
}

// Choices is that of STT.
func (l LLM) Choices() []LLM {
	fallback := l.Fallback
	l.Fallback = nil
	if fallback == nil {
		return []LLM{l}
	}
	return []LLM{l, {Provider: fallback.Provider, Model: fallback.Model, Temperature: fallback.Temperature, MaxTokens: fallback.MaxTokens}}
}
