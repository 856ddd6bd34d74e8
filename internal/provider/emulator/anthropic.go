package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"parley/internal/dialogue"
)

// NewAnthropic runs an emulator of Anthropic's streamed messages, in the manner
// of the models from Claude 4.6 on.
// https://docs.anthropic.com/en/api/messages
// https://docs.anthropic.com/en/docs/build-with-claude/streaming
func NewAnthropic(report Reporter, o Options, script Script) *Server {
	return start(report, o, func(s *Server) http.Handler {
		return s.serve(script, wire{
			path:       "/v1/messages",
			authorized: func(h http.Header, key string) bool { return h.Get("X-Api-Key") == key },
			refuse:     refuseAnthropic,
			read:       readAnthropic,
			write:      writeAnthropic,
			garbage:    "event: message_start\ndata: {\"type\":\"message_start\",\"mess\n\ndata: <html>\n\n",
			model: func(name string) any {
				return map[string]any{"type": "model", "id": name, "display_name": name, "created_at": "2026-02-17T00:00:00Z"}
			},
		})
	})
}

func refuseAnthropic(w http.ResponseWriter, status int, message string) {
	kind := map[int]string{http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error",
		http.StatusNotFound: "not_found_error", http.StatusTooManyRequests: "rate_limit_error", http.StatusInternalServerError: "api_error"}[status]
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_011CSHoEeqs5C35K2UUqR7Fy")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message},
		"request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"})
}

// anthropicRequest has the fields that a voice agent may send.
type anthropicRequest struct {
	Model       string   `json:"model"`
	MaxTokens   int      `json:"max_tokens"`
	Stream      bool     `json:"stream"`
	Temperature *float64 `json:"temperature"`
	Thinking    *struct {
		Type    string `json:"type"`
		Display string `json:"display"`
	} `json:"thinking"`
	Output *struct {
		Effort string `json:"effort"`
	} `json:"output_config"`
	System   blocks `json:"system"`
	Messages []struct {
		Role    string `json:"role"`
		Content blocks `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name         string          `json:"name"`
		Description  string          `json:"description"`
		InputSchema  json.RawMessage `json:"input_schema"`
		CacheControl *cacheControl   `json:"cache_control"`
	} `json:"tools"`
	Choice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

// claudes are the families of models with the parameters that they reject; the first match counts. Other models accept a
// temperature, and think on request.
// https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide and the guides of the other models.
var claudes = []struct {
	models   *regexp.Regexp
	thinking []string // the types that it accepts
	always   bool     // it always thinks
	effort   bool     // it accepts an effort
}{
	{regexp.MustCompile(`^claude-(opus-5-5|fable|mythos)`), []string{"adaptive"}, true, true},
	{regexp.MustCompile(`^claude-(sonnet|haiku)-5-5`), []string{"adaptive", "between_tools"}, false, true},
	{regexp.MustCompile(`^claude-(opus|sonnet|haiku)-5`), []string{"adaptive", "disabled"}, false, true},
	{regexp.MustCompile(`^claude-opus-4-[78]`), []string{"adaptive", "disabled"}, false, true},
}

// refusal returns which parameter of a request a family rejects; "" for none. A model that thinks sets always.
func (r anthropicRequest) refusal() (why string, always bool) {
	for _, c := range claudes {
		if !c.models.MatchString(r.Model) {
			continue
		}
		switch {
		case r.Temperature != nil:
			return "temperature: this model does not support sampling parameters", false
		case r.Thinking != nil && !slices.Contains(c.thinking, r.Thinking.Type):
			return fmt.Sprintf("thinking.type: %s is not supported by this model", r.Thinking.Type), false
		case r.Output != nil && !slices.Contains([]string{"low", "medium", "high", "xhigh", "max"}, r.Output.Effort):
			return "output_config.effort: invalid value", false
		}
		// Without the field these models think as they see fit, before the first word too.
		return "", c.always || r.Thinking == nil && !strings.HasPrefix(r.Model, "claude-opus-4") || r.Thinking != nil && r.Thinking.Type == "adaptive"
	}
	if r.Output != nil {
		return "output_config.effort: this model does not support the effort parameter", false
	}
	return "", false
}

// signatureOf returns what an emulated model signs its thinking with. Blocks are tied to the model that produced them
// (https://platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5).
func signatureOf(model string) string { return "EqQB-" + model }

// block is a piece of content: text, tool_use, tool_result or thinking.
type block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      blocks          `json:"content"`
	IsError      bool            `json:"is_error"`
	Thinking     *string         `json:"thinking"`
	Signature    string          `json:"signature"`
	CacheControl *cacheControl   `json:"cache_control"`
}

// blocks are content; a string is one block of text.
type blocks []block

func (b *blocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = blocks{{Type: "text", Text: text}}
		return nil
	}
	return strictly(data, (*[]block)(b))
}

// readAnthropic checks a request and makes a prompt of it.
func readAnthropic(h http.Header, body []byte) (p dialogue.Prompt, model string, err error) {
	if h.Get("Content-Type") != "application/json" {
		return p, "", fmt.Errorf("content type %q", h.Get("Content-Type"))
	}
	if v := h.Get("Anthropic-Version"); v != "2023-06-01" {
		return p, "", fmt.Errorf("anthropic-version: %q is not a valid version", v)
	}
	var r anthropicRequest
	if err := strictly(body, &r); err != nil {
		return p, "", err
	}
	switch {
	case r.Model == "":
		return p, "", fmt.Errorf("model: Field required")
	case r.MaxTokens < 1:
		return p, "", fmt.Errorf("max_tokens: Input should be greater than or equal to 1")
	case !r.Stream:
		return p, "", fmt.Errorf("stream is not true")
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 1):
		return p, "", fmt.Errorf("temperature: range: 0..1")
	}
	why, always := r.refusal()
	if why != "" {
		return p, "", errors.New(why)
	}
	marks := 0
	for _, t := range r.Tools {
		if err := checkFunction(t.Name, t.InputSchema); err != nil {
			return p, "", err
		}
		marks += t.CacheControl.count()
		p.Tools = append(p.Tools, dialogue.Tool{Name: t.Name, Description: t.Description, Parameters: t.InputSchema})
	}
	if c := r.Choice; c != nil {
		switch n := slices.IndexFunc(p.Tools, func(t dialogue.Tool) bool { return t.Name == c.Name }); {
		case c.Type != "tool" || n < 0:
			return p, "", fmt.Errorf("tool_choice: tool %q not found in provided tools", c.Name)
		case always || r.Thinking != nil && r.Thinking.Type != "disabled":
			return p, "", fmt.Errorf("thinking may not be enabled when tool_choice forces tool use")
		default:
			p.JSON, p.JSONSchema = true, p.Tools[n].Parameters
		}
	}
	for _, b := range r.System {
		if b.Type != "text" || strings.TrimSpace(b.Text) == "" {
			return p, "", fmt.Errorf("system: text content blocks must be non-empty")
		}
		marks += b.CacheControl.count()
		p.System += b.Text
	}
	for _, m := range r.Messages {
		for _, b := range m.Content {
			marks += b.CacheControl.count()
		}
	}
	if marks > 4 {
		return p, "", fmt.Errorf("a maximum of 4 blocks with cache_control may be provided, found %d", marks)
	}
	p.Model, p.MaxTokens, p.Temperature = r.Model, r.MaxTokens, r.Temperature
	if err := r.conversation(&p); err != nil {
		return p, "", err
	}
	afterTool := p.Messages[len(p.Messages)-1].Role == dialogue.RoleTool
	if always || r.Thinking != nil && r.Thinking.Type == "between_tools" && afterTool {
		p.ReasoningEffort = "low" // it thinks
	}
	return p, r.Model, nil
}

// count returns 1 for a mark, 0 for none, and more than may be for a wrong one.
func (c *cacheControl) count() int {
	switch {
	case c == nil:
		return 0
	case c.Type != "ephemeral" || c.TTL != "" && c.TTL != "5m" && c.TTL != "1h":
		return 5
	}
	return 1
}

var toolUseID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// conversation checks the messages: user and assistant alternate, the first and the last message are the user's (these models
// reject a prefilled answer), and each tool_use has its tool_result at the beginning of the next message.
func (r anthropicRequest) conversation(p *dialogue.Prompt) error {
	if len(r.Messages) == 0 {
		return fmt.Errorf("messages: at least one message is required")
	}
	open := map[string]bool{} // calls of the message before
	for i, m := range r.Messages {
		at := fmt.Sprintf("messages.%d", i)
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return fmt.Errorf("%s: role %q, not %s: roles must alternate between user and assistant, beginning with user", at, m.Role, want)
		}
		if len(m.Content) == 0 {
			return fmt.Errorf("%s: content is empty", at)
		}
		now := map[string]bool{}
		said := dialogue.Message{Role: dialogue.RoleAssistant}
		for j, b := range m.Content {
			switch {
			case b.Type == "text" && strings.TrimSpace(b.Text) == "":
				return fmt.Errorf("%s: text content blocks must be non-empty", at)
			case b.Type == "text" && m.Role == "assistant":
				said.Content += b.Text
			case b.Type == "text":
				if len(open) > 0 {
					return fmt.Errorf("%s: `tool_use` ids were found without `tool_result` blocks immediately after", at)
				}
				p.Messages = append(p.Messages, dialogue.Message{Role: dialogue.RoleUser, Content: b.Text})
			case b.Type == "thinking" && m.Role == "assistant":
				if j > 0 && m.Content[j-1].Type != "thinking" {
					return fmt.Errorf("%s.content.%d: thinking blocks must come first", at, j)
				}
				if b.Thinking == nil || b.Signature != signatureOf(r.Model) {
					return fmt.Errorf("%s.content.%d: invalid `signature` in `thinking` block", at, j)
				}
			case b.Type == "tool_use" && m.Role == "assistant":
				if !toolUseID.MatchString(b.ID) || !functionName.MatchString(b.Name) || !isObject(b.Input) || now[b.ID] {
					return fmt.Errorf("%s.content.%d: invalid tool_use %s %q %s", at, j, b.ID, b.Name, b.Input)
				}
				now[b.ID] = true
				said.ToolCalls = append(said.ToolCalls, dialogue.ToolCall{ID: b.ID, Name: b.Name, Arguments: b.Input})
			case b.Type == "tool_result" && m.Role == "user":
				if !open[b.ToolUseID] {
					return fmt.Errorf("%s.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s", at, j, b.ToolUseID)
				}
				delete(open, b.ToolUseID)
				result := ""
				for _, c := range b.Content {
					if c.Type != "text" || c.Text == "" {
						return fmt.Errorf("%s.content.%d: content of a tool_result is not text", at, j)
					}
					result += c.Text
				}
				p.Messages = append(p.Messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: b.ToolUseID, Content: result})
			default:
				return fmt.Errorf("%s.content.%d: block of type %q in a message of the %s", at, j, b.Type, m.Role)
			}
		}
		if len(open) > 0 {
			return fmt.Errorf("%s: `tool_use` ids were found without `tool_result` blocks immediately after", at)
		}
		if len(now) > 0 && len(r.Tools) == 0 {
			return fmt.Errorf("requests which include `tool_use` or `tool_result` blocks must define tools")
		}
		if m.Role == "assistant" {
			p.Messages = append(p.Messages, said)
		}
		open = now
	}
	if len(r.Messages)%2 == 0 {
		return fmt.Errorf("this model does not support assistant message prefill. The conversation must end with a user message")
	}
	return nil
}

// writeAnthropic streams an answer in events: message_start, the blocks,
// message_delta, message_stop.
func writeAnthropic(e *sse, model string, inputTokens int, p dialogue.Prompt, r Reply) error {
	send := func(fields map[string]any) error { return e.event(fields["type"].(string), fields) }
	piece := func(fields map[string]any) error { return e.piece(fields["type"].(string), fields) }
	delta := func(index int, delta map[string]any) map[string]any {
		return map[string]any{"type": "content_block_delta", "index": index, "delta": delta}
	}
	if err := send(map[string]any{"type": "message_start", "message": map[string]any{
		"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant", "content": []any{}, "model": model,
		"stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 3, "cache_creation_input_tokens": 2,
			"cache_read_input_tokens": inputTokens - 5, "output_tokens": 1, "service_tier": "standard"}}}); err != nil {
		return err
	}
	if p.JSON { // a forced call
		r = Reply{ToolCalls: []dialogue.ToolCall{{ID: "toolu_01A09q90qw90lq917835lq9", Name: p.Tools[0].Name, Arguments: json.RawMessage(r.Text)}}}
	}
	list, _ := tokens(r.Text)
	reason := "end_turn"
	if len(r.ToolCalls) > 0 {
		reason = "tool_use"
	}
	if len(list) > p.MaxTokens {
		list, reason, r.ToolCalls = list[:p.MaxTokens], "max_tokens", nil
	}
	index, output := 0, len(list)
	begin := func(content map[string]any) error {
		return send(map[string]any{"type": "content_block_start", "index": index, "content_block": content})
	}
	end := func() error {
		index++
		return send(map[string]any{"type": "content_block_stop", "index": index - 1})
	}
	if p.ReasoningEffort != "" {
		if err := begin(map[string]any{"type": "thinking", "thinking": "", "signature": ""}); err != nil {
			return err
		}
		if err := send(delta(index, map[string]any{"type": "signature_delta", "signature": signatureOf(model)})); err != nil {
			return err
		}
		if err := end(); err != nil {
			return err
		}
	}
	if len(list) > 0 {
		if err := begin(map[string]any{"type": "text", "text": ""}); err != nil {
			return err
		}
		if err := send(map[string]any{"type": "ping"}); err != nil {
			return err
		}
		for _, token := range list {
			if err := piece(delta(index, map[string]any{"type": "text_delta", "text": token})); err != nil {
				return err
			}
		}
		if err := end(); err != nil {
			return err
		}
	}
	for _, c := range r.ToolCalls {
		if err := begin(map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}}); err != nil {
			return err
		}
		if err := piece(delta(index, map[string]any{"type": "input_json_delta", "partial_json": ""})); err != nil {
			return err
		}
		for _, f := range fragments(c.Arguments) {
			output++
			if err := send(delta(index, map[string]any{"type": "input_json_delta", "partial_json": f})); err != nil {
				return err
			}
		}
		if err := end(); err != nil {
			return err
		}
	}
	e.s.charge("llm input_tokens", 3)
	e.s.charge("llm cache_write_tokens", 2)
	e.s.charge("llm cached_input_tokens", inputTokens-5)
	e.s.charge("llm output_tokens", output)
	if err := send(map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": reason, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": output}}); err != nil {
		return err
	}
	return send(map[string]any{"type": "message_stop"})
}
