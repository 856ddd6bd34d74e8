package roundtrip

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider"
)

func all(provider.Kind, string) bool { return true }

// Each family is tried once, the offline providers are not, and a voice can be chosen.
func TestTrials(t *testing.T) {
	var families []string
	for _, trial := range Trials("", "", all, map[string]string{"cartesia": "mine"}) {
		family := fmt.Sprint(trial.Kind, trial.Provider, provider.FamilyName(trial.Kind, trial.Provider, trial.Model))
		if slices.Contains(families, family) || trial.Provider == provider.Offline {
			t.Errorf("%+v is tried", trial)
		}
		families = append(families, family)
		if trial.Provider == "cartesia" && trial.VoiceID != "mine" || trial.Provider == "elevenlabs" && trial.Kind == provider.TTS && trial.VoiceID == "" {
			t.Errorf("%+v", trial)
		}
	}
	for _, trial := range Trials(provider.LLM, "openai", all, nil) {
		if trial.Provider != "openai" || trial.Kind != provider.LLM {
			t.Errorf("%+v is tried, too", trial)
		}
	}
	if none := Trials("", "", func(provider.Kind, string) bool { return false }, nil); len(none) != 0 {
		t.Errorf("without keys: %+v", none)
	}
}

// models answers, or not.
type models struct{ answers []dialogue.Delta }

func (models) Recognizer(string) (dialogue.Recognizer, error) { return nil, errors.New("no ears") }
func (models) Synthesizer(string) (dialogue.Synthesizer, error) {
	return nil, fmt.Errorf("401: %w", dialogue.ErrRefused)
}
func (models) RealtimeModel(string) (dialogue.RealtimeModel, error) {
	return nil, errors.New("no conversation")
}
func (m *models) LanguageModel(string) (dialogue.LanguageModel, error) { return m, nil }

func (m *models) Generate(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		if len(m.answers) > 0 {
			next := m.answers[0]
			m.answers = m.answers[1:]
			yield(next, nil)
		}
	}
}

func TestOutcomes(t *testing.T) {
	call := dialogue.Delta{ToolCalls: []dialogue.ToolCall{{ID: "1", Name: "opening_hours", Arguments: json.RawMessage(`{}`)}}}
	for _, c := range []struct {
		kind    provider.Kind
		answers []dialogue.Delta
		outcome Outcome
		message string
	}{
		{provider.STT, nil, Failed, "no ears"},
		{provider.TTS, nil, Refused, "401"},
		{provider.LLM, []dialogue.Delta{call, {Text: "At ten."}}, OK, ""},
		{provider.LLM, []dialogue.Delta{{Text: "At ten."}}, Failed, "without calling the tool"},
		{provider.LLM, []dialogue.Delta{call, {}}, Failed, "no answer with the tool's result"},
	} {
		got := Run(t.Context(), &models{c.answers}, []Trial{{Kind: c.kind, Provider: "acme"}})
		if len(got) != 1 || got[0].Outcome != c.outcome || !strings.Contains(got[0].Message, c.message) || got[0].Provider != "acme" {
			t.Errorf("%s: %+v, want %s %q", c.kind, got, c.outcome, c.message)
		}
	}
}

// slowRecognition accepts each frame slowly, and answers to Finalize only.
type slowRecognition struct {
	models
	transcripts chan dialogue.Transcript
}

func (e *slowRecognition) Recognizer(string) (dialogue.Recognizer, error) { return e, nil }
func (e *slowRecognition) Recognize(context.Context, dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	return e, nil
}
func (e *slowRecognition) Write([]int16) error { time.Sleep(45 * time.Millisecond); return nil }
func (e *slowRecognition) Finalize() error {
	e.transcripts <- dialogue.Transcript{Text: Sentence, Final: true}
	return nil
}
func (e *slowRecognition) Transcripts() <-chan dialogue.Transcript { return e.transcripts }
func (e *slowRecognition) Err() error                              { return nil }
func (e *slowRecognition) Close() error                            { return nil }

// The final transcript is asked for on a busy machine, too, where frames go out late.
func TestFinalTranscriptIsAskedForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ear := &slowRecognition{transcripts: make(chan dialogue.Transcript, 1)}
		if got := Run(t.Context(), ear, []Trial{{Kind: provider.STT}}); got[0].Outcome != OK || got[0].FirstMS < silence.Milliseconds() {
			t.Errorf("%+v", got)
		}
	})
}

func TestCost(t *testing.T) {
	if got := Cost([]Trial{{Kind: provider.STT}, {Kind: provider.TTS}, {Kind: provider.LLM}}); !strings.Contains(got, "at most about US$0.1") {
		t.Error(got)
	}
}
