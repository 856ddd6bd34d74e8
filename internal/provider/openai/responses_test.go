package openai_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
	"parley/internal/provider/openai"
	"parley/internal/provider/providertest"
)

func TestResponsesConformance(t *testing.T) {
	providertest.LanguageModel(t, providertest.LanguageModelWire{
		Model:       "gpt-4.1",
		LeastTokens: 16,
		New: func(baseURL, key string) dialogue.LanguageModel {
			return openai.NewResponses(openai.Options{Key: key, BaseURL: baseURL})
		},
		Emulate: emulator.NewOpenAIResponses,
	})
}

func respond(base string, p dialogue.Prompt) (text string, calls []dialogue.ToolCall, err error) {
	for delta, err := range openai.NewResponses(openai.Options{Key: "sk-secret-key", BaseURL: base}).Generate(context.Background(), p) {
		if err != nil {
			return text, calls, err
		}
		text += delta.Text
		calls = append(calls, delta.ToolCalls...)
	}
	return text, calls, nil
}

// Reasoning models get their lowest effort, no temperature, and room for the tokens of their reasoning.
func TestResponsesParametersOfFamilies(t *testing.T) {
	server := serve(t, http.StatusOK, stream, "data: {\"type\":\"response.completed\",\"response\":{\"error\":null}}\n\n")
	temperature := 0.3
	for model, want := range map[string]struct {
		effort any
		limit  float64
		warm   bool
	}{"gpt-4.1": {nil, 100, true}, "gpt-5": {"minimal", 1124, false}, "o3": {"low", 1124, false}, "gpt-6-luna": {"none", 100, false}} {
		if _, _, err := respond(server.URL, dialogue.Prompt{Model: model, MaxTokens: 100, Temperature: &temperature}); err != nil {
			t.Errorf("%s: %v", model, err)
		}
		reasoning, _ := server.body["reasoning"].(map[string]any)
		_, warm := server.body["temperature"]
		if server.path != "/v1/responses" || reasoning["effort"] != want.effort || server.body["max_output_tokens"] != want.limit || warm != want.warm || server.body["store"] != false {
			t.Errorf("%s: %s %v", model, server.path, server.body)
		}
	}
}

// Failures inside the stream are errors, those that a retry cannot mend are dialogue.ErrRefused.
func TestResponsesFailures(t *testing.T) {
	for events, want := range map[string]struct {
		text    string
		refused bool
	}{
		`{"type":"response.failed","response":{"error":{"code":"server_error","message":"Try again."}}}`:            {"Try again.", false},
		`{"type":"response.failed","response":{"error":{"code":"insufficient_quota","message":"No credit."}}}`:      {"No credit.", true},
		`{"type":"error","code":"server_error","message":"Overloaded.","param":null}`:                               {"Overloaded.", false},
		`{"type":"response.incomplete","response":{"error":null,"incomplete_details":{"reason":"content_filter"}}}`: {"content filter", false},
		`{"type":"response.output_text.delta","delta":"Half"}`:                                                      {"broke off", false},
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"call_1","name":"book"}}` + "\n\n" + `data: {"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"n"}` + "\n\n" + `data: {"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`: {"token limit", false},
	} {
		server := serve(t, http.StatusOK, stream, "data: "+events+"\n\n")
		_, calls, err := respond(server.URL, dialogue.Prompt{Model: "gpt-4.1"})
		if err == nil || !strings.Contains(err.Error(), want.text) || errors.Is(err, dialogue.ErrRefused) != want.refused || len(calls) != 0 {
			t.Errorf("%s: %v, %v", events, calls, err)
		}
	}
}
