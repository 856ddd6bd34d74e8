package voice

import (
	"context"
	"errors"
	"slices"

	"parley/internal/agent"
	"parley/internal/voice/generation"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
)

// CacheSpeech caches the speech of an agent's fixed texts, in the language of a caller ("" for the agent's own), that is not cached yet:
// the apology first, which is needed when the voice's provider fails. Of its fallback voice, only what is needed when that fails is cached.
func CacheSpeech(ctx context.Context, p Plan, name, language string, source Providers) error {
	p.Agent, p.Workflow = name, nil
	router, err := routing.New(p, map[string]any{"language": language}, CallFacts{})
	if err != nil {
		return err
	}
	spec := providers.AgentSpec{Agent: name, Config: router.Config(), Language: router.Language()}
	if spec.Config.TTS.Provider == "" {
		return nil
	}
	for n, voice := range spec.Config.TTS.Choices() {
		texts := fixedTextsOf(router)
		if n == 0 {
			texts = slices.Insert(texts, 1, ownTextsOf(router)...)
		}
		err = errors.Join(err, cacheTexts(ctx, source, spec, voice, texts))
	}
	return err
}

// cacheTexts caches the speech of texts in a voice, of those that are not cached.
func cacheTexts(ctx context.Context, source Providers, spec providers.AgentSpec, voice agent.TTS, texts []routing.Rendered) error {
	speaker, open, err := providers.NewSpeaker(source, spec, voice)
	if err != nil || speaker.Cache == nil {
		return err
	}
	texts = slices.DeleteFunc(texts, func(t routing.Rendered) bool { return generation.IsCached(*speaker, t) })
	if len(texts) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := open(ctx); err != nil {
		return err
	}
	defer speaker.Close()
	for _, text := range texts {
		if err := generation.CacheSpeech(ctx, *speaker, text); err != nil {
			return err
		}
	}
	return nil
}

// fixedTextsOf returns the fixed texts of the current agent, the apology first.
func fixedTextsOf(r *routing.Router) (texts []routing.Rendered) {
	for _, t := range []fixedText{apologyText, waitText, waitLongerText, pardonText, declinedText} {
		texts = append(texts, t.in(r))
	}
	return texts
}

// ownTextsOf returns what else the current agent speaks without its language model.
func ownTextsOf(r *routing.Router) (texts []routing.Rendered) {
	settings, _ := turn.Override(turn.DefaultOptions, r.Config().Turn) // invalid settings were rejected when the agent was saved
	texts = append(texts, r.RenderText(r.Config().Prompt.Greeting), r.RenderText(settings.SilencePrompt))
	for _, action := range r.Config().AnswerDetection.Actions {
		if action.Text != "" {
			texts = append(texts, r.RenderText(action.Text))
		}
	}
	for _, name := range r.Config().Tools {
		if filler := r.Tool(name).Config.Filler; filler != nil {
			texts = append(texts, routing.Rendered{Text: *filler, Fixed: true})
		}
	}
	return texts
}
