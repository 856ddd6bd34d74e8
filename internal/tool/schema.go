package tool

import (
	"encoding/json"
	"fmt"
)

// property is a parameter in JSON Schema.
type property struct {
	Type        string            `json:"type"`
	Description string            `json:"description,omitempty"`
	Enum        []json.RawMessage `json:"enum,omitempty"`
	Default     json.RawMessage   `json:"default,omitempty"`
	// Items allows any value. OpenAI rejects an array without it.
	Items *struct{} `json:"items,omitempty"`
}

// Schema returns the JSON Schema of a tool's parameters, for language models. Properties keep the order of the
// parameters.
func Schema(c Config) (json.RawMessage, error) {
	properties, required := []byte("{"), []string{}
	for n, p := range c.Parameters {
		described := property{Type: p.Type, Description: p.Description, Enum: p.Enum, Default: p.Default}
		if p.Type == "array" {
			described.Items = &struct{}{}
		}
		text, err := json.Marshal(described)
		if err != nil {
			return nil, fmt.Errorf("describe parameter %s: %w", p.Name, err)
		}
		if n > 0 {
			properties = append(properties, ',')
		}
		properties = fmt.Appendf(properties, "%q:%s", p.Name, text) // a name needs no escapes
		if p.Required {
			required = append(required, p.Name)
		}
	}
	properties = append(properties, '}')
	return json.Marshal(struct {
		Type                 string          `json:"type"`
		Properties           json.RawMessage `json:"properties"`
		Required             []string        `json:"required"`
		AdditionalProperties bool            `json:"additionalProperties"`
	}{"object", properties, required, false})
}
