package offline_test

import (
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/offline"
	"parley/internal/provider/providertest"
)

func TestScriptKeepsTheContractOfLanguageModels(t *testing.T) {
	providertest.LocalLanguageModel(t, offline.Script{}, dialogue.Prompt{
		System:   "You are a demo.\n- goodbye => Goodbye, and thank you! [end_call]",
		Messages: []dialogue.Message{{Role: dialogue.RoleUser, Content: "Goodbye."}},
		Tools:    []dialogue.Tool{{Name: "end_call"}},
	}, "Goodbye, and thank you!", "end_call")
}
