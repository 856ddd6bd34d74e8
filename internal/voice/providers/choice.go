// Package providers opens the recogniser, language model and voice of an agent,
// retries them, and replaces one that fails by its fallback for the rest of the
// call.
package providers

import (
	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/redact"
	"parley/internal/voice/speechtext"
)

// Kind is a kind of provider.
type Kind string

// The kinds.
const (
	STT Kind = "stt"
	LLM Kind = "llm"
	TTS Kind = "tts"
	// Realtime is speech to speech, in place of the three.
	Realtime Kind = "realtime"
)

// Choice identifies a configured provider. One that failed is not used again in the call, unless an agent has no other
// choice.
type Choice struct {
	Kind     Kind
	Provider string
	Name     string // model; model/voice for a voice and for speech to speech
}

func sttChoice(s agent.STT) Choice { return Choice{STT, s.Provider, s.Model} }
func ttsChoice(t agent.TTS) Choice { return Choice{TTS, t.Provider, t.Model + "/" + t.VoiceID} }
func llmChoice(l agent.LLM) Choice { return Choice{LLM, l.Provider, l.Model} }

func realtimeChoice(r agent.Realtime) Choice {
	return Choice{Realtime, r.Provider, r.Model + "/" + r.Voice}
}

// Model is a language model with an agent's settings.
type Model struct {
	dialogue.LanguageModel
	agent.LLM
}

// Choice identifies the model.
func (m Model) Choice() Choice { return llmChoice(m.LLM) }

// Speaker is an open voice with an agent's settings.
type Speaker struct {
	dialogue.Voice
	agent.TTS
	HasFallback bool
	Proven      bool        // it has spoken in this call
	Language    string      // BCP 47, "" if it is not known
	Cache       SpeechCache // of this voice; nil for none

	Placeholders *redact.Placeholders // that the voice speaks as what they stand for; nil for none

	pronunciations *speechtext.Pronunciations // nil for none
	normalizer     *speechtext.Normalizer     // nil where the voice reads numbers by itself
}

// Render returns a text as the voice is to speak it. Rendering it again changes nothing.
func (s Speaker) Render(t speechtext.Text) speechtext.Text {
	if s.Placeholders != nil {
		t = t.Resolve(s.Placeholders.At)
	}
	if s.pronunciations != nil {
		t = s.pronunciations.Apply(t)
	}
	if s.normalizer != nil {
		t = s.normalizer.Apply(t)
	}
	return t
}

// normalizerOf returns what reads numbers for a voice: nil if the voice does, or if nothing is to.
func normalizerOf(s dialogue.Synthesizer, o dialogue.VoiceOptions) *speechtext.Normalizer {
	wanted := o.TextNormalization == agent.NormalizationOn
	if vendor, may := s.(dialogue.Normalizer); may {
		wanted = o.TextNormalization != agent.NormalizationOff && !vendor.NormalizesText(o)
	}
	if !wanted {
		return nil
	}
	return speechtext.NewNormalizer(o.Language)
}

// Choice identifies the voice.
func (s Speaker) Choice() Choice { return ttsChoice(s.TTS) }

// withoutFailed returns the choices that have not failed; if all have, the last one.
func withoutFailed[C any](choices []C, id func(C) Choice, failed map[Choice]bool) (rest []C) {
	for n, choice := range choices {
		if !failed[id(choice)] || n+1 == len(choices) && len(rest) == 0 {
			rest = append(rest, choice)
		}
	}
	return rest
}

// hasOther reports whether a choice other than the given one has not failed.
func hasOther[C any](choices []C, id func(C) Choice, than Choice, failed map[Choice]bool) bool {
	for _, choice := range choices {
		if c := id(choice); c != than && !failed[c] {
			return true
		}
	}
	return false
}
