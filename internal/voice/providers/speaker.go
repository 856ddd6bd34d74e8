package providers

import (
	"context"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/voice/speechtext"
)

// voiceOptions returns the options of an agent's voice in a language.
func voiceOptions(t agent.TTS, language string) dialogue.VoiceOptions {
	return dialogue.VoiceOptions{Model: t.Model, VoiceID: t.VoiceID, Language: language, Speed: speed(t), Emotion: t.Emotion, TextNormalization: t.TextNormalization}
}

// NewSpeaker returns one of an agent's voices apart from a call. It is not open: the returned function opens it, for as long as the context
// lasts.
func NewSpeaker(source Source, n AgentSpec, t agent.TTS) (s *Speaker, open func(context.Context) error, err error) {
	synthesizer, err := source.Synthesizer(t.Provider)
	if err != nil {
		return nil, nil, err
	}
	options := voiceOptions(t, n.Language)
	s = &Speaker{TTS: t, Language: n.Language, Cache: speechCache(source, t.Provider, options),
		pronunciations: speechtext.NewPronunciations(n.Config.TTS.Pronunciations), normalizer: normalizerOf(synthesizer, options)}
	return s, func(ctx context.Context) (err error) {
		s.Voice, err = openWithin(ctx, maxWait, func(ctx context.Context) (dialogue.Voice, error) { return synthesizer.Open(ctx, options) })
		return err
	}, nil
}

// speechCache returns the cache of a voice; nil for none.
func speechCache(source Source, provider string, options dialogue.VoiceOptions) SpeechCache {
	if caching, ok := source.(CachingSource); ok {
		return caching.SpeechCache(provider, options)
	}
	return nil
}
