package provider

import "regexp"

// effort returns the parameter of models with a choice of reasoning effort.
func effort(values ...string) Parameter { return Parameter{Name: ReasoningEffort, Values: values} }

var (
	tools     = Parameter{Name: Tools}
	maxTokens = atLeast(MaxTokens, 1)
)

// llmFamilies are the families of language models. The first with a matching name counts.
var llmFamilies = []Family{
	// Reasoning models reject every temperature but the default, and every effort below their lowest.
	// https://developers.openai.com/api/docs/guides/reasoning, November 2026.
	{kind: LLM, name: "openai", models: regexp.MustCompile(`^o[0-9]`), Reasons: true, Effort: "low",
		Parameters: []Parameter{maxTokens, tools, effort("low", "medium", "high")}},
	{kind: LLM, name: "openai", models: regexp.MustCompile(`^gpt-[5-9](\.[0-9]+)?-.*chat`),
		Parameters: []Parameter{between(Temperature, 0, 2), maxTokens, tools}},
	// Each has its own lowest effort; the default is not changed.
	{kind: LLM, name: "openai", models: regexp.MustCompile(`^gpt-[5-9](\.[0-9]+)?-(pro|codex)`), Reasons: true,
		Parameters: []Parameter{maxTokens, tools, effort("medium", "high")}},
	{kind: LLM, name: "openai", models: regexp.MustCompile(`^gpt-5(-|$)`), Reasons: true, Effort: "minimal",
		Parameters: []Parameter{maxTokens, tools, effort("minimal", "low", "medium", "high")}},
	// https://developers.openai.com/api/docs/models/gpt-6-luna: none to max. From GPT-5.6 on, chat completions accept functions
	// with the effort none only.
	{kind: LLM, name: "openai", models: regexp.MustCompile(`^gpt-([6-9]|5\.[1-9])(\.[0-9]+)?(-|$)`), Reasons: true, Effort: "none",
		Parameters: []Parameter{maxTokens, tools, effort("none", "low", "medium", "high", "xhigh", "max")}},
	{kind: LLM, name: "openai", models: regexp.MustCompile(`^(gpt-4|gpt-3|chatgpt-)`),
		Parameters: []Parameter{between(Temperature, 0, 2), maxTokens, tools}},

	// https://platform.claude.com/docs/en/models/overview and its migration guides, November 2026: newer models refuse a
	// temperature; Opus 5.5, Fable and Mythos always think, before Sonnet 5.5 and Haiku 5.5 only where they are asked to.
	{kind: LLM, name: "anthropic", models: regexp.MustCompile(`^claude-(opus-5-5|fable|mythos)`), Reasons: true, Effort: "low",
		Parameters: []Parameter{maxTokens, tools, effort("low", "medium", "high", "xhigh", "max")}},
	{kind: LLM, name: "anthropic", models: regexp.MustCompile(`^claude-(sonnet|haiku)-5-5`), Thinking: "between_tools",
		Parameters: []Parameter{maxTokens, tools}},
	{kind: LLM, name: "anthropic", models: regexp.MustCompile(`^claude-(opus|sonnet|haiku)-5`), Thinking: "disabled",
		Parameters: []Parameter{maxTokens, tools}},
	{kind: LLM, name: "anthropic", models: regexp.MustCompile(`^claude-opus-4-[78]`), Parameters: []Parameter{maxTokens, tools}},
	{kind: LLM, name: "anthropic", models: regexp.MustCompile(`^claude-`),
		Parameters: []Parameter{between(Temperature, 0, 1), maxTokens, tools}},
}
