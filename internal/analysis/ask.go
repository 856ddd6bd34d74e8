package analysis

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"parley/internal/dialogue"
)

// maxTokens bounds an answer of a language model unless the analysis sets it.
const maxTokens = 4096

// Ask asks a language model about a call, a second time if its answer is not valid or rests on too little. It returns the answer and its
// faults, and what was used, also with an error, which is one of the provider. Each answer may take as long as timeout.
func (c Config) Ask(ctx context.Context, model dialogue.LanguageModel, l LLM, q Question, timeout time.Duration) (a Answers, faults []string, used dialogue.Usage, err error) {
	prompt := dialogue.Prompt{Model: l.Model, Temperature: l.Temperature, MaxTokens: maxTokens, ReasoningEffort: l.ReasoningEffort, JSON: true}
	if l.MaxTokens != nil {
		prompt.MaxTokens = *l.MaxTokens
	}
	if prompt.System, err = c.System(); err != nil {
		return a, nil, used, err
	}
	if prompt.JSONSchema, err = c.AnswerSchema(); err != nil {
		return a, nil, used, err
	}
	message, err := q.Message()
	if err != nil {
		return a, nil, used, err
	}
	prompt.Messages = []dialogue.Message{{Role: dialogue.RoleUser, Content: message}}
	for range 2 {
		text, usage, err := generate(ctx, model, prompt, timeout)
		if refusesSchema(err) && prompt.JSONSchema != nil {
			prompt.JSONSchema = nil
			text, usage, err = generate(ctx, model, prompt, timeout)
		}
		used.Add(usage)
		if err != nil {
			return a, nil, used, err
		}
		var unproven []string
		a, faults, unproven = c.Read(text, q.Transcript)
		if len(faults) == 0 && len(unproven) == 0 {
			break
		}
		prompt.Messages = append(prompt.Messages, dialogue.Message{Role: dialogue.RoleAssistant, Content: cmp.Or(text, "{}")},
			dialogue.Message{Role: dialogue.RoleUser, Content: Repair(slices.Concat(faults, unproven))})
	}
	return a, faults, used, nil
}

// refusesSchema reports whether an error may be about the schema: the content of the request was refused, and not its key, its model or its
// length.
func refusesSchema(err error) bool {
	return errors.Is(err, dialogue.ErrRequestRefused) && !errors.Is(err, dialogue.ErrPromptTooLong)
}

// generate returns the whole answer of a language model.
func generate(ctx context.Context, model dialogue.LanguageModel, p dialogue.Prompt, timeout time.Duration) (text string, usage dialogue.Usage, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for delta, err := range model.Generate(ctx, p) {
		if err != nil {
			return "", usage, err
		}
		text += delta.Text
		if delta.Usage != nil {
			usage.Add(*delta.Usage)
		}
	}
	return text, usage, nil
}
