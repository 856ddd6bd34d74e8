package emulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/internal/dialogue"
)

// NewOpenAI runs an emulator of OpenAI's streamed chat completions.
// https://platform.openai.com/docs/api-reference/chat/create
// https://platform.openai.com/docs/api-reference/chat-streaming
func NewOpenAI(report Reporter, o Options, script Script) *Server {
	s := start(report, o, func(s *Server) http.Handler { return s.serve(script, openAICompletions) })
	s.URL += "/v1"
	return s
}

var openAICompletions = wire{
	path:       "/v1/chat/completions",
	authorized: func(h http.Header, key string) bool { return h.Get("Authorization") == "Bearer "+key },
	refuse:     refuseOpenAI,
	read:       readOpenAI,
	write:      writeOpenAI,
	garbage:    "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"del\n\ndata: <html>\n\n",
	model: func(name string) any {
		return map[string]any{"id": name, "object": "model", "created": 1744316542, "owned_by": "system"}
	},
}

func refuseOpenAI(w http.ResponseWriter, status int, message string) {
	kind, code := "invalid_request_error", any(nil)
	switch status {
	case http.StatusUnauthorized:
		code = "invalid_api_key"
	case http.StatusTooManyRequests:
		kind, code = "requests", "rate_limit_exceeded"
	case http.StatusInternalServerError:
		kind = "server_error"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": code}})
}

// openAIRequest has the fields that a voice agent may send.
type openAIRequest struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages            []openAIMessage `json:"messages"`
	Tools               []openAITool    `json:"tools"`
	Temperature         *float64        `json:"temperature"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	ReasoningEffort     string          `json:"reasoning_effort"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls"`
	ResponseFormat      *struct {
		Type       string        `json:"type"`
		JSONSchema *answerFormat `json:"json_schema"`
	} `json:"response_format"`
}

// answerFormat is the schema of an answer: https://developers.openai.com/api/docs/guides/structured-outputs.
type answerFormat struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// check checks the format, and has the prompt ask for it.
func (f *answerFormat) check(kind string, p *dialogue.Prompt) error {
	switch {
	case kind != "json_schema" || f == nil || f.Schema == nil:
		return fmt.Errorf("missing required parameter: 'json_schema', or type %q", kind)
	case !functionName.MatchString(f.Name):
		return fmt.Errorf("invalid name of the schema: %q", f.Name)
	case f.Strict:
		if err := checkStrict(f.Name, f.Schema); err != nil {
			return err
		}
	}
	return checkAnswerSchema(p, f.Schema)
}

type openAITool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"function"`
}

type openAIMessage struct {
	Role       string           `json:"role"`
	Content    *string          `json:"content"`
	ToolCalls  []openAIToolCall `json:"tool_calls"`
	ToolCallID string           `json:"tool_call_id"`
}

type openAIToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// readOpenAI checks a request and makes a prompt of it.
func readOpenAI(h http.Header, body []byte) (p dialogue.Prompt, model string, err error) {
	if h.Get("Content-Type") != "application/json" {
		return p, "", fmt.Errorf("content type %q", h.Get("Content-Type"))
	}
	var r openAIRequest
	if err := strictly(body, &r); err != nil {
		return p, "", err
	}
	switch {
	case r.Model == "":
		return p, "", fmt.Errorf("you must provide a model parameter")
	case !r.Stream:
		return p, "", fmt.Errorf("stream is not true")
	case r.StreamOptions == nil || !r.StreamOptions.IncludeUsage:
		return p, "", fmt.Errorf("stream_options.include_usage is not true: usage would be lost")
	case len(r.Messages) == 0:
		return p, "", fmt.Errorf("[] is too short - 'messages'")
	case len(r.Tools) > 128:
		return p, "", fmt.Errorf("%d tools, at most 128", len(r.Tools))
	}
	if p.MaxTokens, err = r.limits(); err != nil {
		return p, "", err
	}
	for _, t := range r.Tools {
		if t.Type != "function" {
			return p, "", fmt.Errorf("tool type %q", t.Type)
		}
		if err := checkFunction(t.Function.Name, t.Function.Parameters); err != nil {
			return p, "", err
		}
		p.Tools = append(p.Tools, dialogue.Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
	}
	if r.ResponseFormat != nil {
		if err := r.ResponseFormat.JSONSchema.check(r.ResponseFormat.Type, &p); err != nil {
			return p, "", err
		}
	}
	p.Model, p.Temperature = r.Model, r.Temperature
	return p, r.Model, r.conversation(&p)
}

var (
	reasoningName = regexp.MustCompile(`^(o[0-9]|gpt-[5-9])`)
	sinceGPT56    = regexp.MustCompile(`^gpt-(5\.[6-9]|[6-9])`)
)

// reasoningModel reports whether a model reasons before it answers.
func reasoningModel(model string) bool {
	return reasoningName.MatchString(model) && !strings.Contains(model, "-chat")
}

// efforts returns the reasoning efforts of a model: https://developers.openai.com/api/docs/guides/reasoning.
func efforts(model string) []string {
	switch {
	case !reasoningModel(model):
		return nil
	case strings.HasPrefix(model, "o"):
		return []string{"low", "medium", "high"}
	case strings.Contains(model, "-pro"), strings.Contains(model, "-codex"):
		return []string{"medium", "high", "xhigh"}
	case strings.HasPrefix(model, "gpt-5.") || !strings.HasPrefix(model, "gpt-5"):
		return []string{"none", "low", "medium", "high", "xhigh", "max"}
	}
	return []string{"minimal", "low", "medium", "high"}
}

// switchedOff are models after their shutdown date: https://developers.openai.com/api/docs/deprecations, November 2026.
var switchedOff = regexp.MustCompile(`^(gpt-3\.5-turbo|gpt-4|gpt-4-turbo|gpt-4\.1-nano|o1|o1-mini|o1-pro|o3-mini|o4-mini|chatgpt-4o-latest)(-20[0-9-]+)?$`)

// limits checks the parameters that depend on the model, and returns
// the most tokens of an answer, 0 for no limit.
func (r openAIRequest) limits() (int, error) {
	reasons := reasoningModel(r.Model)
	switch {
	case switchedOff.MatchString(r.Model):
		return 0, fmt.Errorf("the model `%s` has been deprecated", r.Model)
	case r.ReasoningEffort != "" && reasons && !slices.Contains(efforts(r.Model), r.ReasoningEffort):
		return 0, fmt.Errorf("unsupported value: 'reasoning_effort' does not support '%s' with this model", r.ReasoningEffort)
	// https://developers.openai.com/api/docs/models/gpt-6-luna
	case len(r.Tools) > 0 && sinceGPT56.MatchString(r.Model) && r.ReasoningEffort != "none":
		return 0, fmt.Errorf("function calling is supported with reasoning_effort 'none' only; use the Responses API")
	case r.MaxTokens != nil && r.MaxCompletionTokens != nil:
		return 0, fmt.Errorf("setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported")
	case r.MaxTokens != nil && reasons:
		return 0, fmt.Errorf("unsupported parameter: 'max_tokens' is not supported with this model, use 'max_completion_tokens' instead")
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2):
		return 0, fmt.Errorf("temperature %v is not between 0 and 2", *r.Temperature)
	case r.Temperature != nil && *r.Temperature != 1 && reasons:
		return 0, fmt.Errorf("unsupported value: 'temperature' does not support %v with this model", *r.Temperature)
	case r.ReasoningEffort != "" && !reasons:
		return 0, fmt.Errorf("unrecognized request argument supplied: reasoning_effort")
	}
	for _, limit := range []*int{r.MaxTokens, r.MaxCompletionTokens} {
		if limit != nil && *limit < 1 {
			return 0, fmt.Errorf("a limit of %d tokens", *limit)
		} else if limit != nil {
			return *limit, nil
		}
	}
	return 0, nil
}

// conversation checks the messages: "An assistant message with 'tool_calls'
// must be followed by tool messages responding to each 'tool_call_id'."
func (r openAIRequest) conversation(p *dialogue.Prompt) error {
	open := map[string]bool{} // calls without a result yet
	for i, m := range r.Messages {
		at := fmt.Sprintf("messages.[%d]", i)
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("%s: an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'", at)
		}
		if m.Content == nil && (m.Role != "assistant" || len(m.ToolCalls) == 0) {
			return fmt.Errorf("%s: invalid value for 'content': expected a string, got null", at)
		}
		if len(m.ToolCalls) > 0 && m.Role != "assistant" || m.ToolCallID != "" && m.Role != "tool" {
			return fmt.Errorf("%s: a message of role %s with fields of another", at, m.Role)
		}
		content := ""
		if m.Content != nil {
			content = *m.Content
		}
		said := dialogue.Message{Role: dialogue.Role(m.Role), Content: content, ToolCallID: m.ToolCallID}
		switch m.Role {
		case "system", "developer":
			if i == 0 {
				p.System = content
				continue
			}
			said.Role = dialogue.RoleSystem
		case "user":
		case "assistant":
			for _, c := range m.ToolCalls {
				if c.ID == "" || len(c.ID) > 40 || c.Type != "function" || !functionName.MatchString(c.Function.Name) || !isObject([]byte(c.Function.Arguments)) {
					return fmt.Errorf("%s: invalid tool call %+v", at, c)
				}
				open[c.ID] = true
				said.ToolCalls = append(said.ToolCalls, dialogue.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)})
			}
		case "tool":
			if !open[m.ToolCallID] {
				return fmt.Errorf("%s: messages with role 'tool' must be a response to a preceding message with 'tool_calls'", at)
			}
			delete(open, m.ToolCallID)
		default:
			return fmt.Errorf("%s: invalid role %q", at, m.Role)
		}
		p.Messages = append(p.Messages, said)
	}
	if len(open) > 0 {
		return fmt.Errorf("%d tool calls at the end have no result", len(open))
	}
	return nil
}

// writeOpenAI streams an answer in chunks.
func writeOpenAI(e *sse, model string, inputTokens int, p dialogue.Prompt, r Reply) error {
	created := time.Now().Unix()
	chunk := func(choices []any, usage any) map[string]any {
		return map[string]any{"id": "chatcmpl-CaLl0001", "object": "chat.completion.chunk", "created": created, "model": model,
			"service_tier": "default", "system_fingerprint": "fp_0123456789", "choices": choices, "usage": usage, "obfuscation": strings.Repeat("x", 6)}
	}
	delta := func(delta map[string]any, finish any) map[string]any {
		return chunk([]any{map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}, nil)
	}
	call := func(index int, fields map[string]any) map[string]any {
		fields["index"] = index
		return delta(map[string]any{"tool_calls": []any{fields}}, nil)
	}
	if err := e.event("", delta(map[string]any{"role": "assistant", "content": "", "refusal": nil}, nil)); err != nil {
		return err
	}
	list, _ := tokens(r.Text)
	finish := "stop"
	if len(r.ToolCalls) > 0 {
		finish = "tool_calls"
	}
	if p.MaxTokens > 0 && len(list) > p.MaxTokens {
		list, finish, r.ToolCalls = list[:p.MaxTokens], "length", nil
	}
	output := len(list)
	for _, token := range list {
		if err := e.piece("", delta(map[string]any{"content": token}, nil)); err != nil {
			return err
		}
	}
	for i, c := range r.ToolCalls {
		first := map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}}
		if err := e.piece("", call(i, first)); err != nil {
			return err
		}
		for _, f := range fragments(c.Arguments) {
			output++
			if err := e.event("", call(i, map[string]any{"function": map[string]any{"arguments": f}})); err != nil {
				return err
			}
		}
	}
	e.s.charge("llm input_tokens", inputTokens-inputTokens/2)
	e.s.charge("llm cached_input_tokens", inputTokens/2)
	e.s.charge("llm output_tokens", output)
	for _, last := range []any{
		delta(map[string]any{}, finish),
		chunk([]any{}, map[string]any{"prompt_tokens": inputTokens, "completion_tokens": output, "total_tokens": inputTokens + output,
			"prompt_tokens_details": map[string]any{"cached_tokens": inputTokens / 2, "audio_tokens": 0}}),
		"[DONE]",
	} {
		if err := e.event("", last); err != nil {
			return err
		}
	}
	return nil
}
