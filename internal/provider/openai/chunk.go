package openai

import (
	"encoding/json"
	"strings"
)

// chunk is an event of the answer, or the whole answer of a server that does not stream.
// https://platform.openai.com/docs/api-reference/chat-streaming
type chunk struct {
	Choices []choice `json:"choices"`
	Usage   *struct {
		PromptTokens     float64 `json:"prompt_tokens"`
		CompletionTokens float64 `json:"completion_tokens"`
		PromptDetails    struct {
			CachedTokens float64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

type choice struct {
	Delta        delta  `json:"delta"`
	Message      delta  `json:"message"` // in place of a delta, without streaming
	FinishReason string `json:"finish_reason"`
}

type delta struct {
	Content   content         `json:"content"`
	Refusal   string          `json:"refusal"` // what the model says instead
	ToolCalls []toolCallDelta `json:"tool_calls"`
}

// content is text. Some compatible servers send a list of parts, of which those of other types than text are not spoken.
type content string

func (c *content) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(c)) == nil {
		return nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(data, &parts) != nil {
		parts = []json.RawMessage{data}
	}
	var text strings.Builder
	for _, raw := range parts {
		text.WriteString(textOfPart(raw))
	}
	*c = content(text.String())
	return nil
}

// textOfPart returns the text of a part; "" for one of another type.
func textOfPart(raw json.RawMessage) (text string) {
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var part struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &part) != nil || part.Type != "" && !strings.HasSuffix(part.Type, "text") {
		return ""
	}
	return part.Text
}

// arguments are a fragment of JSON in a string. Some compatible servers send the object itself, which is used
// unchanged.
type arguments string

func (a *arguments) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(a)) != nil {
		*a = arguments(data)
	}
	return nil
}
