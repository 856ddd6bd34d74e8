package emulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/internal/dialogue"
)

// NewOpenAIResponses runs an emulator of OpenAI's streamed Responses API.
// https://platform.openai.com/docs/api-reference/responses/create
// https://platform.openai.com/docs/api-reference/responses-streaming
func NewOpenAIResponses(report Reporter, o Options, script Script) *Server {
	s := start(report, o, func(s *Server) http.Handler {
		return s.serve(script, wire{
			path:       "/v1/responses",
			authorized: func(h http.Header, key string) bool { return h.Get("Authorization") == "Bearer "+key },
			refuse:     refuseOpenAI,
			read:       readResponses,
			write:      writeResponses,
			garbage:    "event: response.created\ndata: {\"type\":\"response.created\",\"resp\n\ndata: <html>\n\n",
			model: func(name string) any {
				return map[string]any{"id": name, "object": "model", "created": 1744316542, "owned_by": "system"}
			},
		})
	})
	s.URL += "/v1"
	return s
}

// responsesRequest has the fields that a voice agent may send.
type responsesRequest struct {
	Model           string            `json:"model"`
	Instructions    string            `json:"instructions"`
	Input           []json.RawMessage `json:"input"`
	Temperature     *float64          `json:"temperature"`
	MaxOutputTokens *int              `json:"max_output_tokens"`
	Include         []string          `json:"include"`
	Store           *bool             `json:"store"`
	Stream          bool              `json:"stream"`
	Reasoning       *struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	Tools []struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"tools"`
	Text *struct {
		Format *struct {
			Type string `json:"type"`
			answerFormat
		} `json:"format"`
	} `json:"text"`
}

// checkStrict checks the schema of a function whose strict is not false: https://developers.openai.com/api/docs/guides/function-calling#strict-mode.
func checkStrict(name string, parameters json.RawMessage) error {
	var schema struct {
		Properties           map[string]json.RawMessage `json:"properties"`
		Required             []string                   `json:"required"`
		AdditionalProperties *bool                      `json:"additionalProperties"`
	}
	if err := json.Unmarshal(parameters, &schema); err != nil {
		return err
	}
	if schema.AdditionalProperties == nil || *schema.AdditionalProperties {
		return fmt.Errorf("invalid schema for function '%s': In context=(), 'additionalProperties' is required to be supplied and to be false", name)
	}
	for property := range schema.Properties {
		if !slices.Contains(schema.Required, property) {
			return fmt.Errorf("invalid schema for function '%s': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'", name, property)
		}
	}
	return nil
}

// readResponses checks a request and converts it to a prompt.
func readResponses(h http.Header, body []byte) (p dialogue.Prompt, model string, err error) {
	if h.Get("Content-Type") != "application/json" {
		return p, "", fmt.Errorf("content type %q", h.Get("Content-Type"))
	}
	var r responsesRequest
	if err := strictly(body, &r); err != nil {
		return p, "", err
	}
	reasons := reasoningModel(r.Model)
	switch {
	case switchedOff.MatchString(r.Model):
		return p, "", fmt.Errorf("the model `%s` has been deprecated", r.Model)
	case r.Model == "":
		return p, "", fmt.Errorf("missing required parameter: 'model'")
	case !r.Stream:
		return p, "", fmt.Errorf("stream is not true")
	case r.Store == nil || *r.Store:
		return p, "", fmt.Errorf("store is not false: the vendor would keep the conversation")
	case len(r.Input) == 0:
		return p, "", fmt.Errorf("missing required parameter: 'input'")
	case r.Temperature != nil && reasons:
		return p, "", fmt.Errorf("unsupported parameter: 'temperature' is not supported with this model")
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2):
		return p, "", fmt.Errorf("temperature %v is not between 0 and 2", *r.Temperature)
	case r.Reasoning != nil && !reasons:
		return p, "", fmt.Errorf("unsupported parameter: 'reasoning.effort' is not supported with this model")
	case r.Reasoning != nil && !slices.Contains(efforts(r.Model), r.Reasoning.Effort):
		return p, "", fmt.Errorf("unsupported value: 'reasoning.effort' does not support '%s' with this model", r.Reasoning.Effort)
	case r.MaxOutputTokens != nil && *r.MaxOutputTokens < 16:
		return p, "", fmt.Errorf("invalid 'max_output_tokens': integer below minimum value, expected a value >= 16")
	case r.Text != nil && r.Text.Format == nil:
		return p, "", fmt.Errorf("missing required parameter: 'text.format'")
	case r.Text != nil:
		if err := r.Text.Format.check(r.Text.Format.Type, &p); err != nil {
			return p, "", err
		}
	}
	for _, t := range r.Tools {
		if t.Type != "function" {
			return p, "", fmt.Errorf("tool %q of type %q", t.Name, t.Type)
		}
		if err := checkFunction(t.Name, t.Parameters); err != nil {
			return p, "", err
		}
		if t.Strict == nil || *t.Strict {
			if err := checkStrict(t.Name, t.Parameters); err != nil {
				return p, "", err
			}
		}
		p.Tools = append(p.Tools, dialogue.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	for _, include := range r.Include {
		if include != "reasoning.encrypted_content" {
			return p, "", fmt.Errorf("invalid value %q for 'include'", include)
		}
	}
	p.Model, p.System, p.Temperature = r.Model, r.Instructions, r.Temperature
	if reasons {
		p.ReasoningEffort = "medium" // the default
	}
	if r.Reasoning != nil {
		p.ReasoningEffort = r.Reasoning.Effort
	}
	if r.MaxOutputTokens != nil {
		p.MaxTokens = *r.MaxOutputTokens
	}
	p.Messages, err = responsesInput(r.Model, r.Input)
	return p, r.Model, err
}

// encryptedReasoning returns the emulated reasoning of a model.
func encryptedReasoning(model string) string { return "gAAAAAB-" + model }

// responsesReasoning checks a reasoning item: it is of the same model, and an item follows it
// (https://developers.openai.com/api/docs/guides/reasoning#keeping-reasoning-items-in-context).
func responsesReasoning(raw json.RawMessage, model string, last bool) error {
	var r struct {
		Type      string            `json:"type"`
		ID        string            `json:"id"`
		Status    string            `json:"status"`
		Summary   []json.RawMessage `json:"summary"`
		Content   []json.RawMessage `json:"content"`
		Encrypted string            `json:"encrypted_content"`
	}
	if err := strictly(raw, &r); err != nil {
		return err
	}
	switch {
	case r.ID == "" || r.Summary == nil:
		return fmt.Errorf("missing required parameter of a reasoning item")
	case r.Encrypted != encryptedReasoning(model):
		return fmt.Errorf("the encrypted content of item %s could not be verified", r.ID)
	case last:
		return fmt.Errorf("item %s of type 'reasoning' was provided without its required following item", r.ID)
	}
	return nil
}

// responsesInput checks the items: each output follows its call, each call has an output.
func responsesInput(model string, input []json.RawMessage) (list []dialogue.Message, err error) {
	open := map[string]bool{} // calls without an output yet
	for i, raw := range input {
		var kind struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(raw, &kind); err != nil {
			return nil, fmt.Errorf("input[%d]: %w", i, err)
		}
		switch kind.Type {
		case "", "message":
			list, err = responsesMessage(list, raw)
		case "function_call":
			list, err = responsesCall(list, raw, open)
		case "reasoning":
			err = responsesReasoning(raw, model, i+1 == len(input))
		case "function_call_output":
			list, err = responsesOutput(list, raw, open)
		default:
			err = fmt.Errorf("invalid type %q", kind.Type)
		}
		if err != nil {
			return nil, fmt.Errorf("input[%d]: %w", i, err)
		}
	}
	for id := range open {
		return nil, fmt.Errorf("no tool output found for function call %s", id)
	}
	return list, nil
}

func responsesMessage(list []dialogue.Message, raw json.RawMessage) ([]dialogue.Message, error) {
	var m struct {
		Type    string  `json:"type"`
		Role    string  `json:"role"`
		Content *string `json:"content"`
	}
	if err := strictly(raw, &m); err != nil {
		return nil, err
	}
	if m.Content == nil {
		return nil, fmt.Errorf("missing required parameter: 'content'")
	}
	switch m.Role {
	case "user", "assistant", "system":
		return append(list, dialogue.Message{Role: dialogue.Role(m.Role), Content: *m.Content}), nil
	}
	return nil, fmt.Errorf("invalid value %q for 'role'", m.Role)
}

// responsesCall adds a call to the assistant's message before it, if there is one.
func responsesCall(list []dialogue.Message, raw json.RawMessage, open map[string]bool) ([]dialogue.Message, error) {
	var c struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	if err := strictly(raw, &c); err != nil {
		return nil, err
	}
	if c.CallID == "" || len(c.CallID) > 64 || !functionName.MatchString(c.Name) || !isObject([]byte(c.Arguments)) {
		return nil, fmt.Errorf("invalid function call %+v", c)
	}
	open[c.CallID] = true
	if len(list) == 0 || list[len(list)-1].Role != dialogue.RoleAssistant {
		list = append(list, dialogue.Message{Role: dialogue.RoleAssistant})
	}
	last := &list[len(list)-1]
	last.ToolCalls = append(last.ToolCalls, dialogue.ToolCall{ID: c.CallID, Name: c.Name, Arguments: json.RawMessage(c.Arguments)})
	return list, nil
}

func responsesOutput(list []dialogue.Message, raw json.RawMessage, open map[string]bool) ([]dialogue.Message, error) {
	var o struct {
		Type   string  `json:"type"`
		CallID string  `json:"call_id"`
		Output *string `json:"output"`
	}
	if err := strictly(raw, &o); err != nil {
		return nil, err
	}
	if !open[o.CallID] {
		return nil, fmt.Errorf("no tool call found for function call output with call_id %s", o.CallID)
	}
	if o.Output == nil {
		return nil, fmt.Errorf("missing required parameter: 'output'")
	}
	delete(open, o.CallID)
	return append(list, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: o.CallID, Content: *o.Output}), nil
}

// writeResponses streams an answer.
func writeResponses(e *sse, model string, inputTokens int, p dialogue.Prompt, r Reply) error {
	number := -1
	event := func(kind string, fields map[string]any) (string, map[string]any) {
		number++
		fields["type"], fields["sequence_number"] = kind, number
		return kind, fields
	}
	done := []any{} // the items of the answer so far
	response := func(status string, details, usage any) map[string]any {
		return map[string]any{"response": map[string]any{"id": "resp_0001", "object": "response", "created_at": time.Now().Unix(), "model": model,
			"status": status, "error": nil, "incomplete_details": details, "output": done, "store": false, "usage": usage}}
	}
	if err := e.event(event("response.created", response("in_progress", nil, nil))); err != nil {
		return err
	}
	list, _ := tokens(r.Text)
	kind, status, details := "response.completed", "completed", any(nil)
	if p.MaxTokens > 0 && len(list) > p.MaxTokens {
		list, r.ToolCalls = list[:p.MaxTokens], nil
		kind, status, details = "response.incomplete", "incomplete", map[string]any{"reason": "max_output_tokens"}
	}
	index, output := 0, len(list)
	if reasoningModel(model) && p.ReasoningEffort != "none" {
		thought := map[string]any{"id": "rs_0001", "type": "reasoning", "summary": []any{}}
		if err := e.event(event("response.output_item.added", map[string]any{"output_index": 0, "item": thought})); err != nil {
			return err
		}
		thought["encrypted_content"] = encryptedReasoning(model)
		if err := e.event(event("response.output_item.done", map[string]any{"output_index": 0, "item": thought})); err != nil {
			return err
		}
		done = append(done, thought)
		index++
	}
	if len(list) > 0 {
		at := index
		added := map[string]any{"id": "msg_0001", "type": "message", "role": "assistant", "status": "in_progress", "content": []any{}}
		if err := e.event(event("response.output_item.added", map[string]any{"output_index": at, "item": added})); err != nil {
			return err
		}
		part := func(text string) map[string]any {
			return map[string]any{"item_id": "msg_0001", "output_index": at, "content_index": 0,
				"part": map[string]any{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}}
		}
		if err := e.event(event("response.content_part.added", part(""))); err != nil {
			return err
		}
		for _, token := range list {
			if err := e.piece(event("response.output_text.delta", map[string]any{"item_id": "msg_0001", "output_index": at, "content_index": 0,
				"delta": token, "logprobs": []any{}})); err != nil {
				return err
			}
		}
		text := strings.Join(list, "")
		if err := e.event(event("response.output_text.done", map[string]any{"item_id": "msg_0001", "output_index": at, "content_index": 0,
			"text": text, "logprobs": []any{}})); err != nil {
			return err
		}
		if err := e.event(event("response.content_part.done", part(text))); err != nil {
			return err
		}
		whole := map[string]any{"id": "msg_0001", "type": "message", "role": "assistant", "status": status, "content": []any{part(text)["part"]}}
		if err := e.event(event("response.output_item.done", map[string]any{"output_index": at, "item": whole})); err != nil {
			return err
		}
		done = append(done, whole)
		index++
	}
	for _, c := range r.ToolCalls {
		id := fmt.Sprintf("fc_%04d", index)
		item := map[string]any{"id": id, "type": "function_call", "status": "in_progress", "call_id": c.ID, "name": c.Name, "arguments": ""}
		if err := e.piece(event("response.output_item.added", map[string]any{"output_index": index, "item": item})); err != nil {
			return err
		}
		for _, f := range fragments(c.Arguments) {
			output++
			if err := e.event(event("response.function_call_arguments.delta", map[string]any{"item_id": id, "output_index": index, "delta": f})); err != nil {
				return err
			}
		}
		if err := e.event(event("response.function_call_arguments.done", map[string]any{"item_id": id, "output_index": index, "name": c.Name,
			"arguments": string(c.Arguments)})); err != nil {
			return err
		}
		item["status"], item["arguments"] = "completed", string(c.Arguments)
		if err := e.event(event("response.output_item.done", map[string]any{"output_index": index, "item": item})); err != nil {
			return err
		}
		done = append(done, item)
		index++
	}
	e.s.charge("llm input_tokens", inputTokens-inputTokens/2)
	e.s.charge("llm cached_input_tokens", inputTokens/2)
	e.s.charge("llm output_tokens", output)
	return e.event(event(kind, response(status, details, map[string]any{"input_tokens": inputTokens, "output_tokens": output,
		"total_tokens": inputTokens + output, "input_tokens_details": map[string]any{"cached_tokens": inputTokens / 2},
		"output_tokens_details": map[string]any{"reasoning_tokens": 0}})))
}
