package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

const (
	// leastOutputTokens is the lowest limit of an answer that the Responses API accepts.
	leastOutputTokens = 16
	// reasoningRoom is added to the limit of models that reason before they answer: reasoning counts as output.
	reasoningRoom = 1024
)

// responsesRequest is the body of a request to the Responses API. Nothing is stored at the vendor: each request holds
// the whole conversation. https://platform.openai.com/docs/api-reference/responses/create
type responsesRequest struct {
	Model           string           `json:"model"`
	Instructions    string           `json:"instructions,omitempty"`
	Input           []item           `json:"input"`
	Tools           []responsesTool  `json:"tools,omitempty"`
	Temperature     *float64         `json:"temperature,omitempty"`
	MaxOutputTokens int              `json:"max_output_tokens,omitempty"`
	Reasoning       *reasoningEffort `json:"reasoning,omitempty"`
	Include         []string         `json:"include,omitempty"`
	Text            *responsesText   `json:"text,omitempty"`
	Store           bool             `json:"store"`
	Stream          bool             `json:"stream"`
}

// responsesText says what text the answer is.
type responsesText struct {
	Format responsesFormat `json:"format"`
}

// responsesFormat is responseFormat in the Responses API.
type responsesFormat struct {
	Type string `json:"type"`
	schemaFormat
}

type reasoningEffort struct {
	Effort string `json:"effort"`
}

// responsesTool offers a function. Strict defaults to true at the vendor, which rejects schemas with optional
// properties.
type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// item is a part of the conversation: a message without a type, a function_call, a function_call_output, or a reasoning item as
// the vendor returned it. Calls are sent without the vendor's item IDs, so that the API does not require the reasoning items
// before those that another model reasoned about.
type item struct {
	returned  json.RawMessage // sent as it is
	Type      string          `json:"type,omitempty"`
	Role      string          `json:"role,omitempty"`
	Content   *string         `json:"content,omitempty"`
	CallID    string          `json:"call_id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments *string         `json:"arguments,omitempty"`
	Output    *string         `json:"output,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (i item) MarshalJSON() ([]byte, error) {
	if i.returned != nil {
		return i.returned, nil
	}
	type plain item
	return llm.JSON(plain(i))
}

// reasoner names a model in dialogue.Reasoning.
func reasoner(model string) string { return "openai/" + model }

// newResponsesRequest converts a prompt.
func newResponsesRequest(p dialogue.Prompt) responsesRequest {
	r := responsesRequest{Model: p.Model, Input: items(p), Stream: true}
	if strings.TrimSpace(p.System) != "" {
		r.Instructions = p.System
	}
	for _, t := range p.Tools {
		offered := responsesTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Parameters}
		if len(t.Parameters) == 0 {
			offered.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		r.Tools = append(r.Tools, offered)
	}
	if p.JSONSchema != nil {
		r.Text = &responsesText{responsesFormat{"json_schema", schemaFormat{Name: schemaName, Schema: p.JSONSchema}}}
	}
	effort, reasons := effort(p)
	if effort != "" {
		r.Reasoning = &reasoningEffort{effort}
	}
	if reasons && effort != "none" { // the vendor keeps nothing, so that what was reasoned comes and goes encrypted
		r.Include = []string{"reasoning.encrypted_content"}
	}
	r.Temperature = temperature(p)
	if p.MaxTokens > 0 {
		r.MaxOutputTokens = max(p.MaxTokens, leastOutputTokens)
		if reasons && effort != "none" {
			r.MaxOutputTokens += reasoningRoom
		}
	}
	return r
}

// items converts the conversation. The API requires at least one item.
func items(p dialogue.Prompt) []item {
	var list []item
	for _, m := range llm.Paired(p.Messages) {
		for _, c := range m.ToolCalls {
			for _, returned := range c.Reasoning.Of(reasoner(p.Model)) {
				list = append(list, item{returned: returned})
			}
		}
		switch {
		case m.Role == dialogue.RoleTool:
			list = append(list, item{Type: "function_call_output", CallID: m.ToolCallID, Output: &m.Content})
		case m.Content != "":
			list = append(list, item{Role: string(m.Role), Content: &m.Content})
		}
		for _, c := range m.ToolCalls {
			arguments := string(c.Arguments)
			if arguments == "" {
				arguments = "{}"
			}
			list = append(list, item{Type: "function_call", CallID: c.ID, Name: c.Name, Arguments: &arguments})
		}
	}
	if len(list) == 0 {
		begins := "The call begins."
		list = []item{{Role: "system", Content: &begins}}
	}
	return list
}

// responsesEvent is an event of the answer; its type determines its fields.
// https://platform.openai.com/docs/api-reference/responses-streaming
type responsesEvent struct {
	Type        string     `json:"type"`
	OutputIndex int64      `json:"output_index"`
	Delta       string     `json:"delta"`
	Item        outputItem `json:"item"`
	Response    struct {
		Error             json.RawMessage `json:"error"`
		IncompleteDetails struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Usage *struct {
			InputTokens  float64 `json:"input_tokens"`
			OutputTokens float64 `json:"output_tokens"`
			InputDetails struct {
				CachedTokens float64 `json:"cached_tokens"`
			} `json:"input_tokens_details"`
		} `json:"usage"`
	} `json:"response"`
}

// outputItem is an item of the answer.
type outputItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Encrypted string `json:"encrypted_content"` // of a reasoning item

	returned json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *outputItem) UnmarshalJSON(data []byte) error {
	type plain outputItem
	i.returned = bytes.Clone(data)
	return json.Unmarshal(data, (*plain)(i))
}

// relayResponses emits the answer as it arrives, until the event that ends it. Reasoning items are returned with the tool calls
// after them; other events are ignored.
func relayResponses(x *llm.Exchange, model string, emit llm.Emit) error {
	var calls llm.Calls
	var reasoned []json.RawMessage
	for e, err := range llm.Answer[responsesEvent](x) {
		if err != nil {
			return err
		}
		switch e.Type {
		case "response.output_text.delta", "response.refusal.delta":
			if e.Delta == "" {
				continue
			}
			if err := emit(dialogue.Delta{Text: e.Delta}); err != nil {
				return err
			}
		case "response.output_item.added":
			if e.Item.Type == "function_call" {
				calls.Add(e.OutputIndex, e.Item.CallID, e.Item.Name, "")
			}
		case "response.output_item.done":
			if e.Item.Type == "reasoning" && e.Item.Encrypted != "" { // others are of no use to a vendor that keeps nothing
				reasoned = append(reasoned, e.Item.returned)
			}
		case "response.function_call_arguments.delta":
			calls.Add(e.OutputIndex, "", "", e.Delta)
			if err := emit(dialogue.Delta{}); err != nil {
				return err
			}
		case "response.failed":
			return x.Failure(e.Response.Error)
		case "response.completed", "response.incomplete":
			x.Complete()
			reason := e.Response.IncompleteDetails.Reason
			if reason == "max_output_tokens" {
				reason = "length"
			}
			err := finished(reason, &calls, emit, func(complete []dialogue.ToolCall) []dialogue.ToolCall {
				return llm.WithReasoning(complete, reasoner(model), reasoned)
			})
			if err != nil {
				return err
			}
			if u := e.Response.Usage; u != nil {
				return emit(dialogue.Delta{Usage: &dialogue.Usage{InputTokens: int(u.InputTokens), OutputTokens: int(u.OutputTokens),
					CachedTokens: int(u.InputDetails.CachedTokens)}})
			}
			return nil
		}
	}
	if err := x.EndUnmarked(&calls); err != nil {
		return err
	}
	return finished("", &calls, emit, nil)
}
