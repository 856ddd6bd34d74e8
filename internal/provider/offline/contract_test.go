package offline

import (
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/providertest"
)

func TestSynthesizerKeepsTheContract(t *testing.T) {
	s, err := NewSynthesizer()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	providertest.Voice(t, s, dialogue.VoiceOptions{VoiceID: "slt"})
}
