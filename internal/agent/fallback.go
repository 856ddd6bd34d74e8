package agent

// STTFallback has the fields of STT without a fallback.
type STTFallback struct {
	Provider string `json:"provider" doc:"Name of a speech-to-text provider." example:"assemblyai"`
	Model    string `json:"model" pattern:"^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,99}$" example:"universal-streaming-multilingual"`
	Language string `json:"language,omitempty" pattern:"^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,4}$" doc:"Language code. Default: default_language." example:"en"`
}

// TTSFallback has the fields of TTS without a fallback.
type TTSFallback struct {
	Provider string   `json:"provider" doc:"Name of a text-to-speech provider." example:"elevenlabs"`
	Model    string   `json:"model,omitempty" pattern:"^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,99}$" doc:"Model of the voice. Default: the provider's." example:"eleven_flash_v2_5"`
	VoiceID  string   `json:"voice_id" minLength:"1" maxLength:"255" doc:"Identifier of a voice of the provider." example:"21m00Tcm4TlvDq8ikWAM"`
	Speed    *float64 `json:"speed,omitempty" minimum:"0.25" maximum:"4" doc:"Speech rate. Default: 1 (normal)." example:"1"`
	Emotion  string   `json:"emotion,omitempty" pattern:"^[a-z]{1,30}$" doc:"Emotion of the voice, for models that support it. Default: the model's." example:"calm"`
	// TextNormalization is that of TTS.
	TextNormalization string `json:"text_normalization,omitempty" enum:"auto,on,off" doc:"How numbers, dates, phone numbers and addresses are read in words, as in tts." example:"auto"`
}

// LLMFallback has the fields of LLM without a fallback.
type LLMFallback struct {
	Provider    string   `json:"provider" doc:"Name of a language model provider." example:"anthropic"`
	Model       string   `json:"model" pattern:"^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,99}$" example:"claude-sonnet-5-5"`
	Temperature *float64 `json:"temperature,omitempty" minimum:"0" maximum:"2" example:"0.4"`
	MaxTokens   *int     `json:"max_tokens,omitempty" minimum:"1" doc:"Maximum number of tokens per answer." example:"300"`
	// ReasoningEffort is that of LLM.
	ReasoningEffort string `json:"reasoning_effort,omitempty" enum:"none,minimal,low,medium,high,xhigh,max" doc:"How much the model reasons before it answers. Default: the least that the model allows." example:"low"`
}

// Choices returns the provider and its fallback, if any, in the order of use. None of them contains a fallback.
func (s STT) Choices() []STT {
	fallback := s.Fallback
	s.Fallback = nil
	if fallback == nil {
		return []STT{s}
	}
	return []STT{s, {Provider: fallback.Provider, Model: fallback.Model, Language: fallback.Language, KeyTerms: s.KeyTerms}}
}

// Choices is like STT.Choices.
func (t TTS) Choices() []TTS {
	fallback := t.Fallback
	t.Fallback = nil
	if fallback == nil {
		return []TTS{t}
	}
	return []TTS{t, {Provider: fallback.Provider, Model: fallback.Model, VoiceID: fallback.VoiceID, Speed: fallback.Speed, Emotion: fallback.Emotion,
		TextNormalization: fallback.TextNormalization}}
}

// Choices is like STT.Choices.
func (l LLM) Choices() []LLM {
	fallback := l.Fallback
	l.Fallback = nil
	if fallback == nil {
		return []LLM{l}
	}
	return []LLM{l, {Provider: fallback.Provider, Model: fallback.Model, Temperature: fallback.Temperature, MaxTokens: fallback.MaxTokens,
		ReasoningEffort: fallback.ReasoningEffort}}
}
