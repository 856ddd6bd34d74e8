package geminilive

import (
	"encoding/json"

	"parley/internal/dialogue"
)

// clientMessage is a message to the vendor; one of the fields is set. https://ai.google.dev/api/live#messages
type clientMessage struct {
	Setup         *setup         `json:"setup,omitempty"`
	ClientContent *clientContent `json:"clientContent,omitempty"`
	RealtimeInput *realtimeInput `json:"realtimeInput,omitempty"`
	ToolResponse  *toolResponse  `json:"toolResponse,omitempty"`
}

type setup struct {
	Model            string `json:"model"`
	GenerationConfig struct {
		ResponseModalities []string      `json:"responseModalities"`
		SpeechConfig       *speechConfig `json:"speechConfig,omitempty"`
	} `json:"generationConfig"`
	SystemInstruction   *content            `json:"systemInstruction,omitempty"`
	Tools               []tools             `json:"tools,omitempty"`
	RealtimeInputConfig realtimeInputConfig `json:"realtimeInputConfig"`
	// InputAudioTranscription and OutputAudioTranscription ask for both sides' words.
	InputAudioTranscription  struct{} `json:"inputAudioTranscription"`
	OutputAudioTranscription struct{} `json:"outputAudioTranscription"`
	// ContextWindowCompression lifts the limit of 15 minutes. https://ai.google.dev/gemini-api/docs/live-session
	ContextWindowCompression struct {
		SlidingWindow struct{} `json:"slidingWindow"`
	} `json:"contextWindowCompression"`
}

type realtimeInputConfig struct {
	AutomaticActivityDetection struct {
		Disabled bool `json:"disabled"`
	} `json:"automaticActivityDetection"`
}

type speechConfig struct {
	VoiceConfig struct {
		PrebuiltVoiceConfig struct {
			VoiceName string `json:"voiceName"`
		} `json:"prebuiltVoiceConfig"`
	} `json:"voiceConfig"`
}

type tools struct {
	FunctionDeclarations []declaration `json:"functionDeclarations"`
}

// declaration is a function. Those that do not block are the default of gemini-3.8-live: the model would go on before it
// knows the result. https://ai.google.dev/gemini-api/docs/models/gemini-3.8-live
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Behavior    string          `json:"behavior"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type part struct {
	Text       string `json:"text,omitempty"`
	InlineData *blob  `json:"inlineData,omitempty"`
	Thought    bool   `json:"thought,omitempty"`
}

type blob struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
}

// clientContent adds turns to the conversation. A complete turn is answered at once, and ends what is being generated.
type clientContent struct {
	Turns        []content `json:"turns"`
	TurnComplete bool      `json:"turnComplete"`
}

// realtimeInput is the caller's audio or activity; one of the fields is set.
type realtimeInput struct {
	Audio         *blob     `json:"audio,omitempty"`
	ActivityStart *struct{} `json:"activityStart,omitempty"`
	ActivityEnd   *struct{} `json:"activityEnd,omitempty"`
}

type toolResponse struct {
	FunctionResponses []functionResponse `json:"functionResponses"`
}

type functionResponse struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Response map[string]any `json:"response"`
}

// serverMessage is a message of the vendor; several fields may be set.
type serverMessage struct {
	SetupComplete *struct{}      `json:"setupComplete"`
	ServerContent *serverContent `json:"serverContent"`
	ToolCall      *struct {
		FunctionCalls []struct {
			ID   string          `json:"id"`
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"functionCalls"`
	} `json:"toolCall"`
	ToolCallCancellation *struct {
		IDs []string `json:"ids"`
	} `json:"toolCallCancellation"`
	// GoAway comes before the vendor closes the connection, which lasts ten minutes.
	GoAway        *struct{} `json:"goAway"`
	UsageMetadata *usage    `json:"usageMetadata"`
}

type serverContent struct {
	ModelTurn content `json:"modelTurn"`
	// GenerationComplete: no more is generated. TurnComplete comes when the vendor supposes that it was played.
	GenerationComplete  bool           `json:"generationComplete"`
	TurnComplete        bool           `json:"turnComplete"`
	Interrupted         bool           `json:"interrupted"`
	InputTranscription  *transcription `json:"inputTranscription"`
	OutputTranscription *transcription `json:"outputTranscription"`
}

type transcription struct {
	Text string `json:"text"`
}

type usage struct {
	PromptTokenCount        int            `json:"promptTokenCount"`
	ToolUsePromptTokenCount int            `json:"toolUsePromptTokenCount"`
	CachedContentTokenCount int            `json:"cachedContentTokenCount"`
	ResponseTokenCount      int            `json:"responseTokenCount"`
	ThoughtsTokenCount      int            `json:"thoughtsTokenCount"`
	PromptTokensDetails     modalityTokens `json:"promptTokensDetails"`
	CacheTokensDetails      modalityTokens `json:"cacheTokensDetails"`
	ResponseTokensDetails   modalityTokens `json:"responseTokensDetails"`
}

// modalityTokens are tokens by modality: TEXT, AUDIO and others.
type modalityTokens []struct {
	Modality   string `json:"modality"`
	TokenCount int    `json:"tokenCount"`
}

func (m modalityTokens) audio() (tokens int) {
	for _, part := range m {
		if part.Modality == "AUDIO" {
			tokens += part.TokenCount
		}
	}
	return tokens
}

func (u *usage) tokens() dialogue.Usage {
	return dialogue.Usage{
		InputTokens: u.PromptTokenCount + u.ToolUsePromptTokenCount, OutputTokens: u.ResponseTokenCount + u.ThoughtsTokenCount,
		CachedTokens: u.CachedContentTokenCount, AudioTokens: u.PromptTokensDetails.audio(), CachedAudioTokens: u.CacheTokensDetails.audio(),
		OutputAudioTokens: u.ResponseTokensDetails.audio(),
	}
}
