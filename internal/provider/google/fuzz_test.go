package google

import (
	"net/http"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/providertest"
)

func FuzzAnswers(f *testing.F) {
	providertest.FuzzAnswers(f, func(c *http.Client) dialogue.LanguageModel {
		return New(Options{BaseURL: "http://vendor.example", Client: c})
	},
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Sonnig. \"}]}}]}\r\n\r\ndata: {\"candidates\":[{\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":3}}\r\n\r\n",
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"x\",\"args\":{\"n\":1}}}]},\"finishReason\":\"STOP\"}]}\n\n",
		"data: {\"candidates\":[{\"finishReason\":\"SAFETY\"}]}\n\n", "data: {\"promptFeedback\":{\"blockReason\":\"OTHER\"}}\n\n")
}
