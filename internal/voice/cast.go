package voice

import (
	"context"
	"sync"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// cast is the providers that play the current agent. They stay open over all
// turns; a handoff changes only what differs.
type cast struct {
	stt         agent.STT
	recognition dialogue.Recognition // nil while there is none
	tts         agent.TTS
	language    string
	voice       dialogue.Voice
	model       dialogue.LanguageModel
}

// openCast opens the providers of an agent, those that differ from the old
// cast's. The streams live as long as the context. Its error is a Problem that
// names service and provider; nothing new is open then.
func openCast(ctx context.Context, providers Providers, name string, config agent.Config, old cast) (cast, error) {
	next := old
	model, err := providers.LanguageModel(config.LLM.Provider)
	if err != nil {
		return old, providerProblem(LLM, config.LLM.Provider, name, err)
	}
	next.model = model
	var hearing, speaking sync.WaitGroup
	var deaf, mute error
	if old.recognition == nil || old.stt != config.STT {
		hearing.Go(func() { next.recognition, deaf = openRecognition(ctx, providers, config.STT) })
	}
	if old.voice == nil || !sameVoice(old.tts, config.TTS) || old.language != config.DefaultLanguage {
		speaking.Go(func() { next.voice, mute = openVoice(ctx, providers, config) })
	}
	hearing.Wait()
	speaking.Wait()
	next.stt, next.tts, next.language = config.STT, config.TTS, config.DefaultLanguage
	if deaf == nil && mute == nil {
		return next, nil
	}
	if deaf == nil || mute == nil {
		next.closeBut(old)
	}
	if deaf != nil {
		return old, providerProblem(STT, config.STT.Provider, name, deaf)
	}
	return old, providerProblem(TTS, config.TTS.Provider, name, mute)
}

func openRecognition(ctx context.Context, providers Providers, stt agent.STT) (recognition dialogue.Recognition, err error) {
	recognizer, err := providers.Recognizer(stt.Provider)
	if err != nil {
		return nil, err
	}
	err = retry(ctx, never, func() (err error) {
		recognition, err = open(ctx, func(ctx context.Context) (dialogue.Recognition, error) {
			return recognizer.Recognize(ctx, dialogue.RecognizeOptions{Model: stt.Model, Language: stt.Language})
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return recognition, nil
}

func openVoice(ctx context.Context, providers Providers, config agent.Config) (voice dialogue.Voice, err error) {
	synthesizer, err := providers.Synthesizer(config.TTS.Provider)
	if err != nil {
		return nil, err
	}
	err = retry(ctx, never, func() (err error) {
		voice, err = open(ctx, func(ctx context.Context) (dialogue.Voice, error) {
			return synthesizer.Open(ctx, dialogue.VoiceOptions{VoiceID: config.TTS.VoiceID, Language: config.DefaultLanguage, Speed: speed(config.TTS)})
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return voice, nil
}

func never(error) bool { return false }

// closeBut closes the streams that are not the other cast's.
func (c cast) closeBut(other cast) {
	if c.recognition != nil && c.recognition != other.recognition {
		c.recognition.Close()
	}
	if c.voice != nil && c.voice != other.voice {
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
