package providers

import (
	"context"
	"testing"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// vendor is a synthesiser; normalising is one that implements dialogue.Normalizer.
type vendor struct{}

func (vendor) Open(context.Context, dialogue.VoiceOptions) (dialogue.Voice, error) {
	return nil, dialogue.NewError("no voice")
}

type normalising struct {
	vendor
	reads bool
}

func (n normalising) NormalizesText(dialogue.VoiceOptions) bool { return n.reads }

func TestWhoReadsNumbers(t *testing.T) {
	for _, c := range []struct {
		name        string
		synthesizer dialogue.Synthesizer
		setting     string
		language    string
		parley      bool
	}{
		{"a vendor that is not known to read none", vendor{}, "", "de", false},
		{"on, where the vendor has no setting", vendor{}, agent.NormalizationOn, "de", true},
		{"auto is the vendor's choice", vendor{}, agent.NormalizationAuto, "de", false},
		{"a vendor that reads none", normalising{}, "", "de", true},
		{"off", normalising{}, agent.NormalizationOff, "de", false},
		{"a vendor that reads them", normalising{reads: true}, agent.NormalizationOn, "de", false},
		{"a language whose words are not known", normalising{}, "", "hi", false},
	} {
		got := normalizerOf(c.synthesizer, dialogue.VoiceOptions{Language: c.language, TextNormalization: c.setting})
		if (got != nil) != c.parley {
			t.Errorf("%s: Parley reads numbers: %t, want %t", c.name, got != nil, c.parley)
		}
	}
}
