package anthropic_test

import (
	"net/http"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/anthropic"
	"parley/internal/provider/providertest"
)

func FuzzAnswers(f *testing.F) {
	providertest.FuzzAnswers(f, func(c *http.Client) dialogue.LanguageModel {
		return anthropic.New(anthropic.Options{BaseURL: "http://vendor.example", Client: c})
	}, events(begin, words, delta("end_turn"), stop), events(begin, call, half, delta("tool_use"), stop), events(begin, words), events(begin, delta("refusal"), stop))
}
