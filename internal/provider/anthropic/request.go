package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

// defaultMaxTokens bounds an answer where the agent sets no bound; the API
// wants one. It is several minutes of speech.
const defaultMaxTokens = 1024

// request puts a prompt into the wire's words.
func request(p dialogue.Prompt) anthropic.MessageNewParams {
	r := anthropic.MessageNewParams{
		Model:     p.Model,
		MaxTokens: defaultMaxTokens,
		Messages:  messages(p),
	}
	if p.MaxTokens > 0 {
		r.MaxTokens = int64(p.MaxTokens)
	}
	if p.Temperature != nil { // from 0 to 1 here, where others go to 2
		r.Temperature = anthropic.Float(min(*p.Temperature, 1))
	}
	for _, t := range p.Tools {
		r.Tools = append(r.Tools, tool(t))
	}
	// What comes before a mark is kept by the vendor for five minutes and read
	// from there by the next turn, faster and at a tenth of the price: the tools
	// and the system prompt, and the conversation so far. What is too short to be
	// kept (1,024 tokens or more, by model) costs as if it were not marked.
	// https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
	if strings.TrimSpace(p.System) != "" {
		r.System = []anthropic.TextBlockParam{{Text: p.System, CacheControl: anthropic.NewCacheControlEphemeralParam()}}
	}
	last := r.Messages[len(r.Messages)-1].Content
	*last[len(last)-1].GetCacheControl() = anthropic.NewCacheControlEphemeralParam()
	return r
}

// What stands in for a caller who has said nothing: the API wants a
// conversation to begin and to end with the user.
const (
	opening = "The call begins."
	silence = "The caller says nothing."
)

// messages are the conversation in turns of user and assistant. The system's
// words are put into the user's turns, marked as none of the caller's. Results
// of tools come first in the turn after their calls, as the API demands.
func messages(p dialogue.Prompt) []anthropic.MessageParam {
	var t turns
	for _, m := range llm.Paired(p.Messages) {
		switch m.Role {
		case dialogue.RoleSystem:
			t.note(m.Content)
		case dialogue.RoleUser:
			t.text(anthropic.MessageParamRoleUser, m.Content)
		case dialogue.RoleAssistant:
			t.text(anthropic.MessageParamRoleAssistant, m.Content)
			for _, c := range m.ToolCalls {
				t.call(c, len(p.Tools) > 0)
			}
		case dialogue.RoleTool:
			t.result(m, len(p.Tools) > 0)
		}
	}
	switch {
	case len(t.list) == 0:
		t.note(opening)
	case t.list[len(t.list)-1].Role == anthropic.MessageParamRoleAssistant:
		t.note(silence)
	}
	return t.list
}

// turns is a conversation whose turns alternate, beginning with the user's.
type turns struct{ list []anthropic.MessageParam }

// add puts a block into the turn of a role: the last one, or a new one.
func (t *turns) add(role anthropic.MessageParamRole, block anthropic.ContentBlockParamUnion) {
	if len(t.list) == 0 && role == anthropic.MessageParamRoleAssistant {
		t.note(opening)
	}
	if len(t.list) == 0 || t.list[len(t.list)-1].Role != role {
		t.list = append(t.list, anthropic.MessageParam{Role: role})
	}
	last := &t.list[len(t.list)-1]
	last.Content = append(last.Content, block)
}

// text adds words. Blank ones are refused by the API, and so is blank space at
// the end of an assistant's.
func (t *turns) text(role anthropic.MessageParamRole, text string) {
	if text = strings.TrimSpace(text); text != "" {
		t.add(role, anthropic.NewTextBlock(text))
	}
}

// note adds words of the system.
func (t *turns) note(text string) {
	if text = strings.TrimSpace(text); text != "" {
		t.text(anthropic.MessageParamRoleUser, "<system>"+text+"</system>")
	}
}

// call adds a call of the assistant. Where no tools are offered, as after a
// handoff to an agent without, the API refuses calls of the past; then they are
// left out, and their results are told in words.
func (t *turns) call(c dialogue.ToolCall, tools bool) {
	if !tools {
		return
	}
	arguments := c.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	t.add(anthropic.MessageParamRoleAssistant, anthropic.NewToolUseBlock(identifier(c.ID), arguments, c.Name))
}

// result adds a tool's result.
func (t *turns) result(m dialogue.Message, tools bool) {
	if !tools {
		t.note("A function was called. Its result: " + m.Content)
		return
	}
	block := anthropic.ToolResultBlockParam{ToolUseID: identifier(m.ToolCallID)}
	if strings.TrimSpace(m.Content) != "" {
		block.Content = []anthropic.ToolResultBlockParamContentUnion{{OfText: &anthropic.TextBlockParam{Text: m.Content}}}
	}
	t.add(anthropic.MessageParamRoleUser, anthropic.ContentBlockParamUnion{OfToolResult: &block})
}

// identifier fits the identifier of a call, which may be another vendor's after
// a failover, to what this API takes: ^[a-zA-Z0-9_-]+$.
func identifier(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, id)
}

// tool offers a function. Its schema goes out as it is.
func tool(t dialogue.Tool) anthropic.ToolUnionParam {
	schema := t.Parameters
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	offered := anthropic.ToolParam{Name: t.Name, InputSchema: param.Override[anthropic.ToolInputSchemaParam](schema)}
	if t.Description != "" {
		offered.Description = anthropic.String(t.Description)
	}
	return anthropic.ToolUnionParam{OfTool: &offered}
}
