package geminilive

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/internal/dialogue"
)

func newSetup(o dialogue.ConversationOptions) *setup {
	s := &setup{Model: "models/" + strings.TrimPrefix(o.Model, "models/")}
	s.GenerationConfig.ResponseModalities = []string{"AUDIO"}
	s.RealtimeInputConfig.AutomaticActivityDetection.Disabled = true
	if o.Voice != "" {
		s.GenerationConfig.SpeechConfig = new(speechConfig)
		s.GenerationConfig.SpeechConfig.VoiceConfig.PrebuiltVoiceConfig.VoiceName = o.Voice
	}
	if system := instructions(o); system != "" {
		s.SystemInstruction = &content{Parts: []part{{Text: system}}}
	}
	var list []declaration
	for _, t := range o.Tools {
		list = append(list, declaration{t.Name, t.Description, parameters(t.Parameters), "BLOCKING"})
	}
	if len(list) > 0 {
		s.Tools = []tools{{list}}
	}
	return s
}

// instructions returns the system prompt, the language, and what was said before as a text: calls of functions that another
// connection made cannot be continued on this one.
func instructions(o dialogue.ConversationOptions) string {
	list := []string{strings.TrimSpace(o.System)}
	if o.Language != "" { // https://ai.google.dev/gemini-api/docs/live-guide: native audio takes the language from the prompt
		list = append(list, "Speak the language "+o.Language+" unless you are told otherwise.")
	}
	if history := transcript(o.Messages); history != "" {
		list = append(list, "The conversation so far, which you continue:\n"+history)
	}
	return strings.TrimSpace(strings.Join(list, "\n\n"))
}

// transcript returns messages as a text.
func transcript(messages []dialogue.Message) string {
	var b strings.Builder
	for _, m := range messages {
		who := map[dialogue.Role]string{
			dialogue.RoleUser: "Caller", dialogue.RoleAssistant: "You", dialogue.RoleSystem: "Instruction", dialogue.RoleTool: "Result of the function",
		}[m.Role]
		if m.Content != "" {
			fmt.Fprintf(&b, "%s: %s\n", who, m.Content)
		}
		for _, call := range m.ToolCalls {
			fmt.Fprintf(&b, "You called the function %s with %s\n", call.Name, call.Arguments)
		}
	}
	return strings.TrimSpace(b.String())
}

// note returns an instruction within a turn of the user's, which is the only role but the model's.
func note(text string) part { return part{Text: "<system>" + text + "</system>"} }

// parts returns messages as parts of a turn of the user's.
func parts(messages []dialogue.Message) (list []part) {
	for _, m := range messages {
		switch {
		case m.Content == "":
		case m.Role == dialogue.RoleUser:
			list = append(list, part{Text: m.Content})
		case m.Role == dialogue.RoleSystem:
			list = append(list, note(m.Content))
		default:
			list = append(list, note(transcript([]dialogue.Message{m})))
		}
	}
	return list
}

// schemaFields are those of a Schema; the Live API takes no JSON schema.
// https://ai.google.dev/api/caching#Schema, https://github.com/livekit/agents/pull/5560
var schemaFields = strings.Fields("type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength " +
	"pattern anyOf propertyOrdering items minimum maximum")

// parameters converts the JSON schema of a function's parameters; nil for a function without.
func parameters(schema json.RawMessage) json.RawMessage {
	var given map[string]any
	if json.Unmarshal(schema, &given) != nil {
		return nil
	}
	if properties, _ := given["properties"].(map[string]any); len(properties) == 0 {
		return nil
	}
	converted, _ := json.Marshal(convert(given)) // it was JSON
	return converted
}

func convert(schema map[string]any) map[string]any {
	converted := map[string]any{}
	for field, value := range schema {
		if !slices.Contains(schemaFields, field) {
			continue
		}
		switch v := value.(type) {
		case map[string]any: // properties or items
			if field == "items" {
				value = convert(v)
				break
			}
			properties := map[string]any{}
			for name, property := range v {
				if p, ok := property.(map[string]any); ok {
					properties[name] = convert(p)
				}
			}
			value = properties
		case []any:
			if field == "type" { // one of several, null among them
				value, converted["nullable"] = anyType(v)
			}
			if field == "enum" && slices.ContainsFunc(v, notText) {
				continue // the Live API knows enumerations of texts only; arguments are checked anyway
			}
			if field == "anyOf" {
				value = each(v)
			}
		}
		if text, ok := value.(string); ok && field == "type" {
			value = strings.ToUpper(text)
		}
		converted[field] = value
	}
	return converted
}

func notText(value any) bool {
	_, isText := value.(string)
	return !isText
}

func each(list []any) (converted []any) {
	for _, entry := range list {
		if schema, ok := entry.(map[string]any); ok {
			converted = append(converted, convert(schema))
		}
	}
	return converted
}

// anyType returns the first type that is not null, and whether null is one.
func anyType(types []any) (first any, nullable bool) {
	for _, t := range types {
		switch {
		case t == "null":
			nullable = true
		case first == nil:
			first = t
		}
	}
	return first, nullable
}
