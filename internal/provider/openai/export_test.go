package openai

import "parley/internal/dialogue"

// NewResponses returns a model that uses the Responses API at any base URL.
func NewResponses(o Options) *LanguageModel {
	o.API = Responses
	return New(o)
}

// ItemsOf is the conversation of a prompt as the Responses API gets it.
func ItemsOf(p dialogue.Prompt) any { return items(p) }

// APIOf is the API that a model is asked with.
func APIOf(o Options) API { return New(o).api }
