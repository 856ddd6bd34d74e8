package openai_test

import (
	"net/http"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/openai"
	"parley/internal/provider/providertest"
)

func FuzzChatCompletions(f *testing.F) {
	call := `{"tool_calls":[{"index":0,"id":"a","function":{"name":"book","arguments":"{\"n\":"}}]}`
	providertest.FuzzAnswers(f, func(c *http.Client) dialogue.LanguageModel {
		return openai.New(openai.Options{Provider: "openai_compatible", BaseURL: "http://vendor.example/v1", Client: c})
	},
		chunks("stop", `{"content":"We open "}`, `{"content":[{"type":"text","text":"at nine."}]}`)+"data: [DONE]\n\n",
		chunks("", `{"content":"<think>Hm.</think>Grüß Gott. "}`), chunks("tool_calls", call, `{"tool_calls":[{"index":0,"id":"b","function":{"arguments":"1}"}}]}`),
		`{"choices":[{"message":{"content":"Hi."},"finish_reason":"stop"}]}`, "{\"choices\":[{\"delta\":{\"content\":\"H\"}}]}\n{\"choices\":[{\"delta\":{\"content\":\"i.\"}}]}",
		"data: {\"error\":{\"message\":\"No.\"}}\r\n\r\n", ": comment\rdata: {}\r\rdata:[DONE]")
}

func FuzzResponses(f *testing.F) {
	providertest.FuzzAnswers(f, func(c *http.Client) dialogue.LanguageModel {
		return openai.NewResponses(openai.Options{BaseURL: "http://vendor.example/v1", Client: c})
	},
		"data: {\"type\":\"response.output_text.delta\",\"delta\":\"Ja, natürlich.\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":3}}}\n\n",
		"event: x\ndata: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"x\"}}\n\n"+
			"data: {\"type\":\"response.function_call_arguments.delta\",\"delta\":\"{}\"}\n\ndata: {\"type\":\"response.completed\"}\n\n")
}
