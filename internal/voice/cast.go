package voice

import (
	"context"
	"fmt"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// cast holds the providers that play the current agent. They stay open over
// all turns; a handoff changes only what differs.
type cast struct {
	providers Providers

	stt         agent.STT
	recognition dialogue.Recognition
	tts         agent.TTS
	voice       dialogue.Voice
	model       dialogue.LanguageModel
}

// take opens the providers of an agent, keeping those that stay the same. Its
// error is a Problem that names service and provider.
func (c *cast) take(ctx context.Context, name string, config agent.Config) error {
	problem := func(service Service, provider string, err error) error {
		return Problem{Service: service, Critical: true, Message: fmt.Sprintf("%s provider %s: %v", service, provider, err),
			Provider: provider, Agent: name, At: time.Now()}
	}
	if c.recognition == nil || c.stt != config.STT {
		recognizer, err := c.providers.Recognizer(config.STT.Provider)
		if err != nil {
			return problem(STT, config.STT.Provider, err)
		}
		recognition, err := recognizer.Recognize(ctx, dialogue.RecognizeOptions{Model: config.STT.Model, Language: config.STT.Language})
		if err != nil {
			return problem(STT, config.STT.Provider, err)
		}
		if c.recognition != nil {
			c.recognition.Close()
		}
		c.stt, c.recognition = config.STT, recognition
	}
	if c.voice == nil || !sameVoice(c.tts, config.TTS) {
		synthesizer, err := c.providers.Synthesizer(config.TTS.Provider)
		if err != nil {
			return problem(TTS, config.TTS.Provider, err)
		}
		voice, err := synthesizer.Open(ctx, dialogue.VoiceOptions{VoiceID: config.TTS.VoiceID, Language: config.DefaultLanguage, Speed: speed(config.TTS)})
		if err != nil {
			return problem(TTS, config.TTS.Provider, err)
		}
		if c.voice != nil {
			c.voice.Close()
		}
		c.tts, c.voice = config.TTS, voice
	}
	model, err := c.providers.LanguageModel(config.LLM.Provider)
	if err != nil {
		return problem(LLM, config.LLM.Provider, err)
	}
	c.model = model
	return nil
}

func (c *cast) close() {
	if c.recognition != nil {
		c.recognition.Close()
	}
	if c.voice != nil {
		c.voice.Close()
	}
}

func speed(t agent.TTS) float64 {
	if t.Speed == nil {
		return 1
	}
	return *t.Speed
}

func sameVoice(a, b agent.TTS) bool {
	return a.Provider == b.Provider && a.VoiceID == b.VoiceID && speed(a) == speed(b)
}
