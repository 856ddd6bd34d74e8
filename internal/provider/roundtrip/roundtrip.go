// Package roundtrip tries each provider and family of models once, against the real service: a recogniser transcribes a sentence, a
// voice speaks one, a language model calls a tool and answers with its result. `parley providers check` runs it.
package roundtrip

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider"
)

// Source opens the providers, with the keys that there are. The error says why one cannot be used.
type Source interface {
	Recognizer(name string) (dialogue.Recognizer, error)
	Synthesizer(name string) (dialogue.Synthesizer, error)
	LanguageModel(name string) (dialogue.LanguageModel, error)
	RealtimeModel(name string) (dialogue.RealtimeModel, error)
}

// Trial is one provider with one model, to be tried.
type Trial struct {
	Kind     provider.Kind `json:"kind"`
	Provider string        `json:"provider"`
	Model    string        `json:"model"`
	VoiceID  string        `json:"voice_id,omitempty"`
}

// Outcome is what came of a trial.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"
	Refused Outcome = "refused" // by the provider: a retry is of no use
	Failed  Outcome = "failed"
)

// Result is a trial with its outcome.
type Result struct {
	Trial
	Outcome Outcome `json:"outcome"`
	// Message is why it is not ok, in the provider's words, without the key.
	Message string `json:"message,omitempty"`
	// FirstMS is the latency: from the end of the sentence to its final transcript, from the text to the first audio, from the
	// request to the first token or tool call. 0 if there was none.
	FirstMS int64 `json:"first_ms"`
	TotalMS int64 `json:"total_ms"`
}

// limit bounds one trial.
const limit = 30 * time.Second

// voices are a public voice of each vendor that has several.
var voices = map[string]string{
	"cartesia":   "f786b574-daa5-4673-aa0c-cbe3e8534c02",
	"elevenlabs": "21m00Tcm4TlvDq8ikWAM",
	"deepgram":   "thalia",
	"openai":     "alloy",
	"groq":       "hannah",
	"google":     "Kore",
}

// Trials lists what to try: of each provider of the catalogue that is usable, the first model of each family. Kind and only are a
// kind and the name of a provider, or "" for all; voiceIDs are voices by provider, instead of a public one.
func Trials(kind provider.Kind, only string, usable func(kind provider.Kind, name string) bool, voiceIDs map[string]string) (list []Trial) {
	for _, e := range provider.Catalog {
		if e.Demo || kind != "" && e.Kind != kind || only != "" && e.Name != only || !usable(e.Kind, e.Name) {
			continue
		}
		var tried []string
		for _, model := range e.Models {
			family := provider.FamilyName(e.Kind, e.Name, model)
			if slices.Contains(tried, family) {
				continue
			}
			tried = append(tried, family)
			t := Trial{Kind: e.Kind, Provider: e.Name, Model: model}
			if e.Kind == provider.TTS {
				t.VoiceID = cmp.Or(voiceIDs[e.Name], voices[e.Name])
				if t.VoiceID == "" && len(e.Voices) > 0 {
					t.VoiceID = e.Voices[0]
				}
			}
			list = append(list, t)
		}
	}
	return list
}

// Run makes the trials, those of one provider one after the other.
func Run(ctx context.Context, source Source, trials []Trial) []Result {
	results := make([]Result, len(trials))
	var work sync.WaitGroup
	byProvider := map[string][]int{}
	for i, t := range trials {
		byProvider[t.Provider] = append(byProvider[t.Provider], i)
	}
	for _, indices := range byProvider {
		work.Go(func() {
			for _, i := range indices {
				results[i] = try(ctx, source, trials[i])
			}
		})
	}
	work.Wait()
	return results
}

// milliseconds rounds up, so that no duration is 0.
func milliseconds(d time.Duration) int64 { return int64((d + time.Millisecond - 1) / time.Millisecond) }

func try(ctx context.Context, source Source, t Trial) Result {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r := Result{Trial: t, Outcome: OK}
	began := time.Now()
	var first time.Duration
	var err error
	switch t.Kind {
	case provider.STT:
		first, err = recognize(ctx, source, t)
	case provider.TTS:
		first, err = speak(ctx, source, t)
	case provider.LLM:
		first, err = answer(ctx, source, t)
	case provider.Realtime:
		first, err = converse(ctx, source, t)
	}
	r.FirstMS, r.TotalMS = milliseconds(first), milliseconds(time.Since(began))
	switch {
	case errors.Is(err, dialogue.ErrRefused):
		r.Outcome, r.Message = Refused, err.Error()
	case err != nil:
		r.Outcome, r.Message = Failed, err.Error()
	}
	return r
}
