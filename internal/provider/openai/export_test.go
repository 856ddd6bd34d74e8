package openai

// NewResponses returns a model that uses the Responses API at any base URL.
func NewResponses(o Options) *LanguageModel {
	m := New(o)
	m.vendor = true
	return m
}
