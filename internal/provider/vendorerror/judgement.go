package vendorerror

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"parley/internal/dialogue"
)

// contentRefused are the statuses that vendors answer with when they reject what a request says.
var contentRefused = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}

var (
	errFiltered = dialogue.ErrorOf(dialogue.ErrPromptDeclined, "the vendor's filter rejected the prompt")
	errMisused  = dialogue.ErrorOf(dialogue.ErrDeclined, "the model called a function wrongly")
)

// judgementCodes are vendors' codes, in lower case, for a judgement on one prompt.
var judgementCodes = map[string]error{
	"content_filter":               errFiltered, // Azure OpenAI, in 400
	"responsibleaipolicyviolation": errFiltered,
	"content_policy_violation":     errFiltered,
	"invalid_prompt":               errFiltered, // OpenAI's reasoning models
	"content_blocked":              errFiltered,
	"data_inspection_failed":       errFiltered, // Qwen
	"tool_use_failed":              errMisused,  // Groq: what the model generated is no call
	"context_length_exceeded":      dialogue.ErrPromptTooLong,
	"string_above_max_length":      dialogue.ErrPromptTooLong,
	"exceed_context_size_error":    dialogue.ErrPromptTooLong, // llama.cpp
	"request_too_large":            dialogue.ErrPromptTooLong, // Anthropic, with 413
}

var (
	// filtered are the words of vendors without a code: OpenRouter's with 403, Bedrock's, Mistral's.
	filtered = regexp.MustCompile(`(?i)\b(content (management )?(policy|filter)|content filtering|safety system|moderation|(input|prompt|request) was flagged)`)
	// tooLong are the words of vLLM, Anthropic, Gemini, Mistral, xAI, Bedrock, llama.cpp and Text Generation Inference.
	tooLong = regexp.MustCompile(`(?i)\b(context (length|window|size)|maximum (context|prompt)|too many (input )?tokens|(prompt|input) is too long|` +
		`token count\b.*\bexceeds|reduce the length of|too large for model|tokens. must be <=)`)
)

// judgement returns the error of a report about what one prompt says; nil for any other.
func (r Report) judgement() error {
	forbidden := r.Status == http.StatusForbidden
	if r.Status != 0 && !forbidden && !slices.Contains(contentRefused, r.Status) {
		return nil
	}
	for _, code := range r.Kinds {
		if err := judgementCodes[strings.ToLower(code)]; err != nil {
			return err
		}
	}
	words, _, _ := strings.Cut(r.Message, "{") // the request, repeated
	switch {
	case filtered.MatchString(words):
		return errFiltered
	case !forbidden && tooLong.MatchString(words):
		return dialogue.ErrPromptTooLong
	}
	return nil
}
