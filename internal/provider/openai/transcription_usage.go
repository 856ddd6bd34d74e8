package openai

import (
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"parley/internal/dialogue"
)

// TranscriptionUsage is what OpenAI bills for a transcription: tokens, or the duration of the audio, by its model.
// https://developers.openai.com/api/reference/resources/audio/subresources/transcriptions/methods/create
type TranscriptionUsage struct {
	Type         string      `json:"type"` // tokens or duration
	Seconds      json.Number `json:"seconds"`
	InputTokens  int         `json:"input_tokens"`
	OutputTokens int         `json:"output_tokens"`
	InputDetails struct {
		AudioTokens int `json:"audio_tokens"`
	} `json:"input_token_details"`
}

// Speech returns the usage; nothing for nil, and for what is neither.
func (u *TranscriptionUsage) Speech() dialogue.SpeechUsage {
	switch {
	case u == nil:
	case u.Type == "tokens":
		return dialogue.SpeechUsage{Usage: dialogue.Usage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, AudioTokens: u.InputDetails.AudioTokens}}
	case u.Type == "duration":
		if seconds, err := decimal.NewFromString(u.Seconds.String()); err == nil {
			return dialogue.SpeechUsage{Audio: time.Duration(seconds.Shift(9).IntPart())}
		}
	}
	return dialogue.SpeechUsage{}
}
