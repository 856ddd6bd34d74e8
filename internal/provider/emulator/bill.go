package emulator

import (
	"time"

	"github.com/shopspring/decimal"

	"parley/internal/audio"
)

// Bill returns what the vendor bills, by kind and unit, as "stt seconds" and "llm cached_input_tokens": of each kind the units of the price
// list, each token once. It is counted from what the server has received and generated.
func (s *Server) Bill() map[string]decimal.Decimal {
	s.mu.Lock()
	defer s.mu.Unlock()
	bill := make(map[string]decimal.Decimal, len(s.bill))
	for unit, n := range s.bill {
		bill[unit] = n
	}
	return bill
}

// charge adds to the bill.
func (s *Server) charge(unit string, n int) { s.chargeDecimal(unit, decimal.NewFromInt(int64(n))) }

func (s *Server) chargeDecimal(unit string, quantity decimal.Decimal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bill == nil {
		s.bill = map[string]decimal.Decimal{}
	}
	s.bill[unit] = s.bill[unit].Add(quantity)
}

// chargeSeconds adds seconds of speech that was recognised.
func (s *Server) chargeSeconds(length time.Duration) {
	s.chargeDecimal("stt seconds", decimal.NewFromInt(int64(length)).Shift(-9))
}

// chargeAudio adds audio at recognizerRate to be recognised, in linear16.
func (s *Server) chargeAudio(bytes int) { s.chargeSeconds(audio.Duration(bytes/2, recognizerRate)) }

// started returns a duration rounded up to whole steps.
func started(length, step time.Duration) time.Duration { return (length + step - 1).Truncate(step) }

// transcriptionUsage charges a transcription of OpenAI, and returns what is billed in the form of the API: the tokens of the older models,
// the duration of the others. https://developers.openai.com/api/docs/models/gpt-transcribe
func (s *Server) transcriptionUsage(model string, length time.Duration, words int) map[string]any {
	if !tokenTranscribers.MatchString(model) {
		length = started(length, 100*time.Millisecond)
		s.chargeSeconds(length)
		return map[string]any{"type": "duration", "seconds": length.Seconds()}
	}
	const prompt = 7
	heard := int(started(length, 100*time.Millisecond) / (100 * time.Millisecond))
	s.charge("stt input_tokens", prompt)
	s.charge("stt input_audio_tokens", heard)
	s.charge("stt output_tokens", words)
	return map[string]any{"type": "tokens", "total_tokens": prompt + heard + words, "input_tokens": prompt + heard, "output_tokens": words,
		"input_token_details": map[string]any{"text_tokens": prompt, "audio_tokens": heard}}
}
