package openai

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

// request puts a prompt into the wire's words.
//
// OpenAI's reasoning models know no max_tokens, many servers that imitate it
// know no max_completion_tokens: OpenAI itself and models of its name get the
// one, others the other.
func (m *LanguageModel) request(p dialogue.Prompt) openai.ChatCompletionNewParams {
	r := openai.ChatCompletionNewParams{
		Model:         p.Model,
		Messages:      messages(p),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	for _, t := range p.Tools {
		r.Tools = append(r.Tools, tool(t))
	}
	effort, reasons := reasoning(p.Model)
	r.ReasoningEffort = effort
	if p.Temperature != nil && !reasons {
		r.Temperature = openai.Float(*p.Temperature)
	}
	switch limit := openai.Int(int64(p.MaxTokens)); {
	case p.MaxTokens <= 0:
	case m.vendor || reasons:
		r.MaxCompletionTokens = limit
	default:
		r.MaxTokens = limit
	}
	return r
}

var (
	oSeries = regexp.MustCompile(`^o[0-9]`)
	gpt5    = regexp.MustCompile(`^gpt-5(\.[0-9]+)?(-.*)?$`)
)

// reasoning tells whether a model thinks before it answers, and the least
// effort that it can be asked for: a caller does not wait. Such models refuse
// every temperature but their own.
// https://platform.openai.com/docs/guides/reasoning
func reasoning(model string) (effort shared.ReasoningEffort, reasons bool) {
	name := model[strings.LastIndexByte(model, '/')+1:] // as routers prefix it
	version := gpt5.FindStringSubmatch(name)
	switch {
	case oSeries.MatchString(name):
		return shared.ReasoningEffortLow, true
	case version == nil || strings.Contains(version[2], "-chat"):
		return "", false
	case strings.Contains(version[2], "-pro") || strings.Contains(version[2], "-codex"):
		return "", true // they have a least of their own
	case version[1] == "":
		return shared.ReasoningEffortMinimal, true
	default:
		return shared.ReasoningEffortNone, true
	}
}

// messages are the conversation. The system's words keep their role in the
// midst of it too; "system" is understood everywhere, "developer" is not.
func messages(p dialogue.Prompt) []openai.ChatCompletionMessageParamUnion {
	var list []openai.ChatCompletionMessageParamUnion
	if strings.TrimSpace(p.System) != "" {
		list = append(list, openai.SystemMessage(p.System))
	}
	for _, m := range llm.Paired(p.Messages) {
		switch m.Role {
		case dialogue.RoleSystem:
			list = append(list, openai.SystemMessage(m.Content))
		case dialogue.RoleUser:
			list = append(list, openai.UserMessage(m.Content))
		case dialogue.RoleTool:
			list = append(list, openai.ToolMessage(m.Content, m.ToolCallID))
		case dialogue.RoleAssistant:
			if m.Content != "" || len(m.ToolCalls) > 0 {
				list = append(list, assistant(m))
			}
		}
	}
	return list
}

// assistant is what the agent said, called, or both.
func assistant(m dialogue.Message) openai.ChatCompletionMessageParamUnion {
	said := &openai.ChatCompletionAssistantMessageParam{}
	if m.Content != "" {
		said.Content.OfString = openai.String(m.Content)
	}
	for _, c := range m.ToolCalls {
		arguments := string(c.Arguments)
		if arguments == "" {
			arguments = "{}"
		}
		said.ToolCalls = append(said.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: arguments},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: said}
}

// tool offers a function. Its schema goes out as it is: the SDK's map would
// shuffle the properties, whose order the model reads.
func tool(t dialogue.Tool) openai.ChatCompletionToolUnionParam {
	return openai.ChatCompletionFunctionTool(param.Override[shared.FunctionDefinitionParam](struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}{t.Name, t.Description, t.Parameters}))
}
